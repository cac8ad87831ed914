import Synchronization

/// Something that only one of several may do.
final class Claim: Sendable {
    private let isTaken = Atomic(false)

    /// True for the first who asks.
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
