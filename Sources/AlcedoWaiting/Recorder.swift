import AlcedoLocks

/// Records values from callbacks in order, on any thread; a task can wait for a number of values.
public final class Recorder<Element: Sendable>: Sendable {
    private let recorded = Monitor<[Element]>([])

    public init() {}

    public var values: [Element] {
        recorded.read { $0.unshared }
    }

    public var count: Int { recorded.read { $0.count } }

    public func append(_ element: Element) { recorded.update { $0.append(element) } }

    /// Suspends until there are at least `count` values, and returns all.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before, as by a test's time limit.
    @discardableResult
    public func values(
        atLeast count: Int, file: StaticString = #fileID, line: UInt = #line
    ) async throws -> [Element] {
        let values = await waitFor(count: count, file: file, line: line)
        guard values.count >= count else { throw CancellationError() }
        return values
    }

    /// As ``values(atLeast:file:line:)``, but returns fewer values if the task is cancelled.
    @discardableResult
    package func waitFor(
        count: Int, file: StaticString = #fileID, line: UInt = #line
    ) async -> [Element] {
        await recorded.wait(file: file, line: line) { $0.count >= count }
        return values
    }

    /// Suspends until `condition` holds for the values; false if the task is cancelled before.
    @discardableResult
    public func wait(
        file: StaticString = #fileID, line: UInt = #line,
        until condition: @escaping @Sendable ([Element]) -> Bool
    ) async -> Bool {
        while true {
            let values = values
            if condition(values) { return true }
            guard await recorded.wait(file: file, line: line, until: { $0.count > values.count }) else {
                return false
            }
        }
    }
}
