/// A server's or a proxy's wish to know who asks.
public struct HTTPChallenge: Sendable {
    /// How the client is to prove who it is.
    public enum Scheme: String, Sendable {
        /// The password itself, in the clear unless the connection is secured.
        case basic

        /// A hash of the password.
        case digest
    }

    /// Whose wish it is: the server's host, or the proxy's, which is empty if it comes from the environment.
    public let host: String

    /// The server's or the proxy's port; 0 for a proxy from the environment.
    public let port: Int

    /// The scheme of the URL, `http` or `https`.
    public let urlScheme: String

    /// What the credential is for, in the server's words; nil if it does not say.
    public let realm: String?

    /// The better of the schemes that the server offers.
    public let scheme: Scheme

    /// Whether a proxy asks; the server has not seen the request then.
    public let isProxy: Bool

    /// How many credentials this transfer has sent there in vain, that of the request included.
    public let previousFailures: Int

    /// The response that asks: a 401, or a proxy's 407.
    public let response: TransportResponse

    /// A challenge, as a transport that is not libcurl makes it.
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
public enum ChallengeAnswer: Sendable, Equatable {
    /// Sends the request again, body and all, with this credential.
    case use(TransportCredential)

    /// Takes the response as the final one.
    case goOnWithout

    /// Fails with ``TransportError/authenticationCancelled(url:)``.
    case cancel
}
