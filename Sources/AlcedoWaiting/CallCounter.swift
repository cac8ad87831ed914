/// Counts from any thread; a task can wait for a count.
public final class CallCounter: Sendable {
    private let count = Monitor(0)

    public init() {}

    public var value: Int { count.value }

    /// Adds `amount` and returns the new count.
    @discardableResult
    public func increment(by amount: Int = 1) -> Int {
        count.update { count in
            count += amount
            return count
        }
    }

    /// Suspends until the count is at least `target`, or the task is cancelled.
    public func waitFor(_ target: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await count.wait(file: file, line: line) { $0 >= target }
    }
}
