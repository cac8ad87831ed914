/// The number of concurrent loads.
enum Jobs {
    static let option = Arguments.Option.value("jobs")

    static let details = "  --jobs N           how many images to load at a time, from 1 to 64; 8 by default"

    static func count(_ arguments: Arguments) throws -> Int { try arguments.integer("jobs", in: 1...64) ?? 8 }
}

/// Calls `body` for each element, with up to `jobs` calls at a time; returns how many returned false.
///
/// Reads elements on demand, so the memory does not depend on their number.
func forEachConcurrently<Elements: Sequence>(
    _ elements: Elements,
    jobs: Int,
    _ body: @escaping @Sendable (Elements.Element) async throws -> Bool
) async throws -> Int where Elements.Element: Sendable {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        var failures = 0
        var running = 0
        for element in elements {
            if running == jobs, let isDone = try await group.next() {
                failures += isDone ? 0 : 1
                running -= 1
            }
            group.addTask { try await body(element) }
            running += 1
        }
        for try await isDone in group where !isDone { failures += 1 }
        return failures
    }
}
