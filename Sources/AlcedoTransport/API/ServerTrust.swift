public import Foundation
import Synchronization

/// A server's certificates, and the result of their verification.
public struct ServerTrust: Sendable {
    /// The server's host, in lower case.
    public let host: String

    public let port: Int

    /// The server's certificate chain, its own certificate first; never empty.
    public let certificates: [ServerCertificate]

    /// Why verification failed, a mismatched host name included; nil if it succeeded.
    public let defect: String?

    public var isValid: Bool { defect == nil }

    /// A trust, for transports other than libcurl's.
    public init(host: String, port: Int, certificates: [ServerCertificate], defect: String? = nil) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.defect = defect
    }
}

/// A certificate of a server's chain.
public struct ServerCertificate: Sendable, Equatable {
    /// The whole certificate, as DER.
    public let der: Data

    /// The SHA-256 of ``der``: 32 bytes.
    public let fingerprint: Data

    /// The subject: `CN=example.org,O=Example`, for example.
    public let subject: String

    public let issuer: String

    /// When it becomes valid; 1970 if it cannot be read.
    public let validFrom: Date

    /// When it expires; 1970 if it cannot be read.
    public let validUntil: Date

    /// The host names and addresses that it is for.
    public let alternativeNames: [String]
}

/// What to do about a ``ServerTrust``.
public enum TrustDecision: Sendable, Equatable {
    /// Continues, even if verification failed.
    case accept

    /// Fails with ``TransportError/serverRejected(url:)``.
    case reject

    /// Continues if the certificate is valid, and fails with ``TransportError/tls(reason:url:)`` if not.
    case byDefault
}

/// Requests that share their decisions about servers' certificates.
///
/// A certificate that one request of a scope has accepted is accepted for the same host and port without a further
/// decision, and the requests share the connection. Requests outside of the scope never use it.
public final class TrustScope: Sendable {
    private static let lastNumber = Atomic(0)

    /// Separates its connections from those of other scopes.
    let number: Int

    let decisions = TrustDecisions()

    public init() { number = Self.lastNumber.add(1, ordering: .relaxed).newValue }
}
