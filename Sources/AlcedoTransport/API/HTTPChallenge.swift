/// A server's or a proxy's demand for a credential.
public struct HTTPChallenge: Sendable {
    /// How the credential is sent.
    public enum Scheme: String, Sendable {
        /// The password itself, in clear text unless the connection uses TLS.
        case basic

        /// A hash of the password.
        case digest
    }

    /// The host of the server, or of the proxy; empty if the proxy's is unknown.
    public let host: String

    /// The port of the server or the proxy; 0 if the proxy's is unknown.
    public let port: Int

    /// The scheme of the URL, `http` or `https`.
    public let urlScheme: String

    /// The realm of the challenge; nil if it has none.
    public let realm: String?

    /// The strongest of the offered schemes.
    public let scheme: Scheme

    /// Whether it comes from a proxy, before the request reaches the server.
    public let isProxy: Bool

    /// The number of credentials that this transfer has sent without success, the request's included.
    public let previousFailures: Int

    /// The response with the challenge: a 401, or a proxy's 407.
    public let response: TransportResponse

    /// A challenge, for transports other than libcurl's.
    public init(
        host: String, port: Int, urlScheme: String, realm: String?, scheme: Scheme, isProxy: Bool = false,
        previousFailures: Int = 0, response: TransportResponse
    ) {
        self.host = host
        self.port = port
        self.urlScheme = urlScheme
        self.realm = realm
        self.scheme = scheme
        self.isProxy = isProxy
        self.previousFailures = previousFailures
        self.response = response
    }
}

/// What to do about an ``HTTPChallenge``.
public enum ChallengeDecision: Sendable, Equatable {
    /// Sends the request again, with its body and this credential.
    case use(TransportCredential)

    /// Makes the response the final one.
    case goOnWithout

    /// Fails with ``TransportError/authenticationCancelled(url:)``.
    case cancel
}
