import Dispatch
import Synchronization

/// Waits until so many things have happened, on any thread.
public final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let isOver = DispatchSemaphore(value: 0)

    /// Waits for `count` of them.
    public init(_ count: Int) {
        left = Atomic(count)
    }

    /// One of them has happened.
    public func countDown() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isOver.signal() }
    }

    /// Blocks until all have; to be called once.
    public func wait() { isOver.wait() }
}
