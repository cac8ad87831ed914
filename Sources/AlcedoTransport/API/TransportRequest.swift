public import Foundation

/// A request, with its limits and policies.
public struct TransportRequest: Sendable {
    /// An absolute URL: `http`, `https`, `file` or `data`.
    public var url: URL { didSet { address = url.absoluteString } }

    /// What libcurl parses and sends: the text of ``url``, or what a server named where Foundation percent-encodes more,
    /// such as brackets in a query.
    package private(set) var address: String

    /// The HTTP method; `GET` by default.
    public var method = "GET"

    /// Header fields to send, in order; none by default.
    ///
    /// `Accept-Encoding` is added unless it is here. No name or value may contain a line break.
    public var headers: [(name: String, value: String)] = []

    /// The body to send; none by default.
    public var body: Data?

    /// Timeouts of the transfer's phases; the defaults of ``TransportTimeouts``.
    public var timeouts = TransportTimeouts()

    /// The largest body to accept, in bytes after decoding any `Content-Encoding`; 256 MiB by default.
    public var maximumBodyBytes = 256 << 20

    /// The most redirects to follow; 10 by default.
    public var maximumRedirects = 10

    /// The request starts while its origin has fewer HTTP/1.1 connections in use; 6 by default.
    ///
    /// With HTTP/2, up to 100 requests share the origin's connection instead.
    public var connectionsPerHost = 6

    /// From 0 to 1, 0.5 by default: the queued request with the highest priority starts first.
    public var priority: Float = 0.5

    /// Whether the server's certificate is verified; true by default.
    ///
    /// False accepts any certificate.
    public var verifiesServer = true

    /// Has the handler decide about the server's certificate; nil by default.
    ///
    /// Requests of one scope share the decisions. The request is sent after the decision. ``TransportHandler/transfer(didReceiveTrust:decide:)`` is called once for each
    /// certificate without a decision in the scope; ``verifiesServer`` has no effect then. An HTTPS proxy's certificate is
    /// always verified. Needs a libcurl that uses OpenSSL, or requests fail with
    /// ``TransportError/cannotAskAboutServer(reason:url:)``.
    public var trustScope: TrustScope?

    /// A PEM file of the certificate authorities to trust instead of the system's, for an HTTPS proxy too; nil by
    /// default.
    public var certificateAuthorityFile: String?

    /// The credential for the server's first Basic or Digest challenge; nil by default.
    ///
    /// If it is nil or rejected, ``TransportHandler/transfer(didReceiveChallenge:decide:)`` is called.
    public var credential: TransportCredential?

    /// The jar of the cookies to send and store; nil by default, which sends and stores none.
    ///
    /// A `Cookie` field in ``headers`` is sent together with the jar's cookies.
    public var cookies: CookieJar?

    /// How a transport with a cache uses it; by RFC 9111 by default.
    ///
    /// A transport without a cache acts as with an empty one.
    public var cachePolicy = CachePolicy.byProtocol

    /// The proxy; the environment's by default.
    public var proxy = TransportProxy.environment

    /// The addresses that may be connected to, after redirects too; all by default.
    public var addressPolicy = AddressPolicy.any

    /// The consumers whose backpressure can block the request, besides the transport's; nil by default.
    package var consumers: Consumers?

    /// The value of the first header field called `name`, case-insensitively; nil without one.
    public func value(forHeader name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }

    /// A request for `url`, changed by `configure`.
    public init(url: URL, _ configure: (inout Self) -> Void = { _ in }) {
        (self.url, address) = (url, url.absoluteString)
        configure(&self)
    }

    /// A request for the URL with this text, which is sent as it is.
    package init(
        address: String, _ configure: (inout Self) -> Void = { _ in }
    ) throws(TransportError) {
        self.init(url: try Self.url(address))
        self.address = address
        configure(&self)
    }

    /// Changes the URL to that with this text, which is sent as it is.
    mutating func redirect(to address: String) throws(TransportError) {
        url = try Self.url(address)
        self.address = address
    }

    private static func url(_ address: String) throws(TransportError) -> URL {
        guard let url = URL(string: address) else {
            throw .invalidURL(address, reason: "Foundation cannot read it")
        }
        return url
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
    public var user: String
    public var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}
