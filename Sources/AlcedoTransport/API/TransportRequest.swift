public import Foundation

/// What to ask for, and on which terms.
public struct TransportRequest: Sendable {
    /// An absolute URL: `http`, `https`, `file` or `data`.
    public var url: String

    /// The HTTP method; `GET` by default.
    public var method = "GET"

    /// Header fields to send, in order; none by default.
    ///
    /// `Accept-Encoding` is added unless it is here. No name or value may contain a line break.
    public var headers: [(name: String, value: String)] = []

    /// The body to send; none by default.
    public var body: Data?

    /// How long to wait for what.
    public var timeouts = TransportTimeouts()

    /// The largest body to accept, in bytes after decoding any `Content-Encoding`; 256 MiB by default.
    public var maximumBodyBytes = 256 << 20

    /// How many redirects to follow; 10 by default.
    public var maximumRedirects = 10

    /// How many HTTP/1.1 connections the URL's origin may have in use for this request to start; 6 by default.
    ///
    /// Where the origin speaks HTTP/2, up to 100 requests share its connection instead.
    public var connectionsPerHost = 6

    /// From 0 to 1; of the requests that wait for a connection, the highest goes first; 0.5 by default.
    public var priority: Float = 0.5

    /// Whether the server must prove who it is; true by default.
    ///
    /// False accepts any certificate.
    public var verifiesServer = true

    /// Has the handler decide about the server's certificate, and says with whom it shares the decisions; nil, the
    /// default, asks nobody.
    ///
    /// Nothing is sent before the answer. ``TransportHandler/transfer(didReceiveTrust:decide:)`` is asked once for each
    /// certificate that the scope does not know yet, that of an HTTPS proxy apart, which is verified as ever; ``verifiesServer`` does not matter then. Needs a libcurl that uses
    /// OpenSSL, or requests fail with ``TransportError/cannotAskAboutServer(reason:url:)``.
    public var trustScope: TrustScope?

    /// A PEM file of the certificate authorities to trust instead of the system's, for an HTTPS proxy too; nil by
    /// default.
    public var certificateAuthorityFile: String?

    /// Answers the server's first wish for Basic or Digest authentication; nil by default.
    ///
    /// If there is none, or it is refused, ``TransportHandler/transfer(didReceiveChallenge:decide:)`` is asked.
    public var credential: TransportCredential?

    /// Where cookies come from and go to; nil, the default, neither sends nor keeps any.
    ///
    /// A `Cookie` field in ``headers`` is sent together with those of the jar.
    public var cookies: CookieJar?

    /// What a transport with a cache may answer with; what RFC 9111 allows by default.
    ///
    /// Without a cache nothing is there to be found.
    public var cachePolicy = CachePolicy.byProtocol

    /// The way to the server; as the environment says by default.
    public var proxy = TransportProxy.environment

    /// Which addresses may be connected to, also after a redirect; all by default.
    public var addressPolicy = AddressPolicy.any

    /// Who waits for the body, besides the transport's own backlog; nil, the default, for nobody who could hold it back.
    package var consumers: Consumers?

    /// A request for `url`, after `configure` has changed what it wants.
    public init(url: String, _ configure: (inout Self) -> Void = { _ in }) {
        self.url = url
        configure(&self)
    }
}

extension TransportRequest {
    /// Whether the method may be sent twice (RFC 9110, 9.2.2).
    var isIdempotent: Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
        default: false
        }
    }
}

/// A name and a password.
public struct TransportCredential: Sendable, Equatable {
    /// Who asks.
    public var user: String

    /// The secret that proves it.
    public var password: String

    /// A credential of `user`.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}
