import Dispatch
import Synchronization

/// Holds a completion back until the call that asked for it has returned.
///
/// The call opens the latch last of all and wakes nobody: a thread that it woke could overtake it before it has
/// returned. Whoever comes too soon, which is rare, looks again a little later.
final class ReturnLatch: Sendable {
    private let remaining: Atomic<Int>

    /// Opens after so many steps; it is open already after none.
    init(steps: Int = 1) { remaining = Atomic(steps) }

    var isOpen: Bool { remaining.load(ordering: .acquiring) <= 0 }

    func step() { _ = remaining.subtract(1, ordering: .acquiringAndReleasing) }

    /// Runs `action`: at once if the latch is open, else on another thread once it is.
    func whenOpen(_ action: @escaping @Sendable () -> Void) {
        if isOpen { action() } else { lookAgain(after: 1, action) }
    }

    private func lookAgain(after milliseconds: Int, _ action: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [self] in
            if isOpen { action() } else { lookAgain(after: min(milliseconds * 2, 64), action) }
        }
    }
}
