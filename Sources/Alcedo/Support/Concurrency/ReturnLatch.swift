import Dispatch
import Synchronization

/// Delays a completion until the call that started the load has returned.
///
/// The call opens the latch in its last statement without waking a thread, which could run before the call has returned.
/// An early completion, which is rare, polls after 1 ms, 2 ms, and so on up to 64 ms.
final class ReturnLatch: Sendable {
    private let remaining: Atomic<Int>

    /// Opens after `steps` steps; is open from the start with 0.
    init(steps: Int = 1) { remaining = Atomic(steps) }

    var isOpen: Bool { remaining.load(ordering: .acquiring) <= 0 }

    func step() { _ = remaining.subtract(1, ordering: .acquiringAndReleasing) }

    /// Runs `action`: at once if the latch is open, else on another thread once it is.
    func whenOpen(_ action: @escaping @Sendable () -> Void) {
        if isOpen { action() } else { poll(after: 1, action) }
    }

    private func poll(after milliseconds: Int, _ action: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in
            if isOpen { action() } else { poll(after: min(milliseconds * 2, 64), action) }
        }
    }
}
