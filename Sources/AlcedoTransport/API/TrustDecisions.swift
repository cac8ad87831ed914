import AlcedoLocks
import Foundation

/// The decisions of a scope; removes all of them at 1,000.
final class TrustDecisions: Sendable {
    private static let limit = 1_000

    /// A certificate of one host and port.
    struct Subject: Hashable, Sendable {
        var host: String
        var port: Int
        var fingerprint: Data
    }

    /// How a certificate was accepted.
    enum Decision: Sendable {
        /// Even if it is invalid.
        case accepted

        /// Only while it is valid.
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
