import AlcedoLocks
import Foundation

/// What a scope has decided, so much that old decisions are forgotten from time to time.
final class TrustDecisions: Sendable {
    private static let limit = 1_000

    /// A certificate at a place.
    struct Subject: Hashable, Sendable {
        var host: String
        var port: Int
        var fingerprint: Data
    }

    /// How a certificate was let through.
    enum Decision: Sendable {
        /// Whatever is wrong with it.
        case accepted

        /// Because it was valid, which it must be each time.
        case whileValid
    }

    private let known = Lock<[Subject: Decision]>([:])

    subscript(subject: Subject) -> Decision? { known.withLock { $0[subject] } }

    func remember(_ decision: Decision, about subject: Subject) {
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
            known[subject] = decision
        }
    }
}
