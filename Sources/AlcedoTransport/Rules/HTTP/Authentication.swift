/// The credentials that a transfer has sent to a server, or to a proxy.
struct Authentication {
    /// Rejected credentials after which a 401 or 407 is final.
    static let attempts = 5

    /// Rejected credentials so far.
    private(set) var failures = 0

    /// The credential of the current or the next request; nil without one.
    private(set) var sent: (credential: TransportCredential, scheme: HTTPChallenge.Scheme?)?

    /// Whether a 401 or 407 becomes a challenge for the handler.
    var mayChallenge: Bool { failures < Self.attempts }

    /// Sends the credential with the next request; `scheme` is nil if libcurl chooses it.
    mutating func send(_ credential: TransportCredential, by scheme: HTTPChallenge.Scheme?) {
        sent = (credential, scheme)
    }

    /// A response rejects the credential.
    mutating func fail() {
        if sent != nil { failures += 1 }
        sent = nil
    }

    /// Follows a redirect within the server.
    ///
    /// Basic credentials are sent again; Digest needs a new challenge.
    mutating func followRedirect() {
        if sent?.scheme != .basic { sent = nil }
    }
}
