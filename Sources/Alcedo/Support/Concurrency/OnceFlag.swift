import Synchronization

/// A flag that is set once, so that one of several competitors acts.
final class OnceFlag: Sendable {
    private let isSet = Atomic(false)

    /// Sets the flag; true for the first call only.
    func set() -> Bool { !isSet.exchange(true, ordering: .acquiringAndReleasing) }
}
