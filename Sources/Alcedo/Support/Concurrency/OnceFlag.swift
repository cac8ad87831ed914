import Synchronization

/// A flag that is set once, so that one of several competitors acts.
final class OnceFlag: Sendable {
    private let isSet = Atomic(false)

    var value: Bool { isSet.load(ordering: .acquiring) }

    /// Sets the flag; true for the first call only.
    func set() -> Bool { !isSet.exchange(true, ordering: .acquiringAndReleasing) }
}
