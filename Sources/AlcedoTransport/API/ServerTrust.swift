public import Foundation
import Synchronization

/// What a server shows to prove who it is, and what libcurl makes of it.
public struct ServerTrust: Sendable {
    /// The server's host, in lower case.
    public let host: String

    /// The server's port.
    public let port: Int

    /// What the server has sent, its own certificate first; never empty.
    public let certificates: [ServerCertificate]

    /// Why it would be refused, the host's name not matching included; nil if it would be accepted.
    public let defect: String?

    /// Whether the server has proved to be whom the URL names.
    public var isValid: Bool { defect == nil }

    /// What a transport that is not libcurl has been shown.
    public init(host: String, port: Int, certificates: [ServerCertificate], defect: String? = nil) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.defect = defect
    }
}

/// A certificate as a server has sent it.
public struct ServerCertificate: Sendable, Equatable {
    /// The whole certificate, as DER.
    public let der: Data

    /// The SHA-256 of ``der``: 32 bytes.
    public let fingerprint: Data

    /// Whom it names: `CN=example.org,O=Example`, for instance.
    public let subject: String

    /// Who has signed it.
    public let issuer: String

    /// When it becomes valid; 1970 if it cannot be read.
    public let validFrom: Date

    /// When it ends to be valid; 1970 if it cannot be read.
    public let validUntil: Date

    /// The host names and addresses that it is for.
    public let alternativeNames: [String]
}

/// What to do about a ``ServerTrust``.
public enum TrustAnswer: Sendable, Equatable {
    /// Goes on, whatever libcurl makes of it.
    case accept

    /// Fails with ``TransportError/serverRefused(url:)``.
    case refuse

    /// Goes on if the certificate is valid, and fails with ``TransportError/tls(reason:url:)`` if not.
    case byDefault
}

/// Requests that share what one of them has decided about servers.
///
/// A certificate that one request of a scope has accepted is not asked about again for the same host and port, and the
/// connection may be used by the others. No other request ever uses it.
public final class TrustScope: Sendable {
    private static let lastNumber = Atomic(0)

    /// What sets its connections apart from others.
    let number: Int

    let decisions = TrustDecisions()

    /// A scope that has decided nothing yet.
    public init() { number = Self.lastNumber.add(1, ordering: .relaxed).newValue }
}
