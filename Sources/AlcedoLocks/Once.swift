import Dispatch
import Synchronization

/// A flag that is set once, so that one of several competitors acts.
package final class OnceFlag: Sendable {
    private let isSet = Atomic(false)

    package init() {}

    package var value: Bool { isSet.load(ordering: .acquiring) }

    /// Sets the flag; true for the first call only.
    package func set() -> Bool { !isSet.exchange(true, ordering: .acquiringAndReleasing) }
}

/// A callback that is called at most once, and released after the call or when it is dropped.
package final class OnceCallback<Value>: Sendable {
    private let callback: Lock<(@Sendable (Value) -> Void)?>

    package init(_ callback: @escaping @Sendable (Value) -> Void) { self.callback = Lock(callback) }

    /// Calls it, unless it was called or dropped.
    package func call(_ value: Value) { take()?(value) }

    /// Drops it; false if it was called or dropped before.
    @discardableResult
    package func drop() -> Bool { take() != nil }

    private func take() -> (@Sendable (Value) -> Void)? { callback.withLock { $0.take() } }
}

/// Runs an action after a number of steps, on the thread of the last one.
package final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let action: @Sendable () -> Void

    package init(from count: Int, then action: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.action = action
    }

    package func step() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action() }
    }
}

/// Delays a completion until the call that started the load has returned.
///
/// The call opens the latch in its last statement without waking a thread, which could run before the call has returned.
/// An early completion, which is rare, polls after 1 ms, 2 ms, and so on up to 64 ms.
package final class ReturnLatch: Sendable {
    private let remaining: Atomic<Int>

    /// Opens after `steps` steps; is open from the start with 0.
    package init(steps: Int = 1) { remaining = Atomic(steps) }

    package var isOpen: Bool { remaining.load(ordering: .acquiring) <= 0 }

    package func step() { _ = remaining.subtract(1, ordering: .acquiringAndReleasing) }

    /// Runs `action`: at once if the latch is open, else on another thread once it is.
    package func whenOpen(_ action: @escaping @Sendable () -> Void) {
        if isOpen { action() } else { poll(after: 1, action) }
    }

    private func poll(after milliseconds: Int, _ action: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in
            if isOpen { action() } else { poll(after: min(milliseconds * 2, 64), action) }
        }
    }
}
