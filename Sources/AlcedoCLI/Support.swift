import Alcedo
import Foundation

/// Calls `body` for each element, eight at a time; returns how often it answered false.
///
/// Takes elements as it goes, so a sequence of any length costs the same memory.
func forEachConcurrently<Elements: Sequence>(
    _ elements: Elements,
    _ body: @escaping @Sendable (Elements.Element) async throws -> Bool
) async throws -> Int where Elements.Element: Sendable {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        var failures = 0
        var running = 0
        for element in elements {
            if running == 8, let isDone = try await group.next() {
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

/// One line of JSON with sorted keys.
func jsonLine(_ object: [String: Any]) -> String {
    guard
        let data = try? JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    else { preconditionFailure("only texts, numbers and lists of them are printed") }
    return String(decoding: data, as: UTF8.self) + "\n"
}
