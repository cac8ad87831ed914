/// How far a transfer has come in proving to a server, or to a proxy, who asks.
struct Authentication {
    /// Credentials that may be sent in vain before the refusal counts.
    static let attempts = 5

    /// Credentials that were sent in vain.
    private(set) var failures = 0

    /// What the next request is sent with, or the current one was; nil if it went without.
    private(set) var sent: (credential: TransportCredential, scheme: HTTPChallenge.Scheme?)?

    /// Whether a refusal means a question to the handler.
    var mayAsk: Bool { failures < Self.attempts }

    /// The credential is to be sent; `scheme` is nil while it is up to libcurl.
    mutating func send(_ credential: TransportCredential, by scheme: HTTPChallenge.Scheme?) {
        sent = (credential, scheme)
    }

    /// A response says that what was sent is not enough.
    mutating func fail() {
        if sent != nil { failures += 1 }
        sent = nil
    }

    /// The way leads to another address of the same server.
    ///
    /// A password can be sent without being asked again; a hash needs the server's word first.
    mutating func moveOn() {
        if sent?.scheme != .basic { sent = nil }
    }
}
