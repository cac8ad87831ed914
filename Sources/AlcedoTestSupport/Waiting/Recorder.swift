/// Records values from callbacks in order, on any thread; a task can wait for a number of values.
package final class Recorder<Element: Sendable>: Sendable {
    private let recorded = Monitor<[Element]>([])

    package init() {}

    /// The recorded values, in a copied array: see decision 0009.
    package var values: [Element] { recorded.read { $0.map { $0 } } }

    /// The number of recorded values.
    package var count: Int { recorded.read { $0.count } }

    /// Records a value.
    package func append(_ element: Element) { recorded.update { $0.append(element) } }

    /// Suspends until there are at least `count` values, and returns all; fewer only if the task is cancelled.
    @discardableResult
    package func waitFor(count: Int) async -> [Element] {
        await recorded.wait { $0.count >= count }
        return values
    }

    /// Suspends until `condition` holds for the values; false if the task is cancelled before.
    package func wait(until condition: @escaping @Sendable ([Element]) -> Bool) async -> Bool {
        await recorded.wait { condition($0) }
    }
}
