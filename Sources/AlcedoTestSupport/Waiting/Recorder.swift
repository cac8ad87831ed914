/// Keeps what callbacks deliver, in order, from any thread; a task can wait for a number of deliveries.
package final class Recorder<Element: Sendable>: Sendable {
    private let recorded = Monitor<[Element]>([])

    package init() {}

    /// What was recorded so far, in an array of its own: see decision 0009.
    package var values: [Element] { recorded.read { $0.map { $0 } } }

    /// How many were recorded so far.
    package var count: Int { recorded.read { $0.count } }

    /// Adds one to the end.
    package func append(_ element: Element) { recorded.update { $0.append(element) } }

    /// Suspends until there are `count` or more, and returns all; fewer only if the task is cancelled.
    @discardableResult
    package func waitFor(count: Int) async -> [Element] {
        await recorded.wait { $0.count >= count }
        return values
    }

    /// Suspends until what was recorded is as `condition` says; false if the task is cancelled before.
    package func wait(until condition: @escaping @Sendable ([Element]) -> Bool) async -> Bool {
        await recorded.wait { condition($0) }
    }
}
