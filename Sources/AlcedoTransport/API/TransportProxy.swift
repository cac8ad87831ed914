/// Whether and through which proxy a request is sent.
public enum TransportProxy: Sendable, Equatable {
    /// The environment's proxy: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    case environment

    /// No proxy, even if the environment has one.
    case none

    /// This proxy, even if the environment has another.
    indirect case server(ProxyServer)
}

/// A server that forwards requests, or connections, to others.
///
/// An HTTP or HTTPS proxy forwards requests of `http` URLs, and can read them; for `https` URLs, and with SOCKS, it opens a
/// tunnel. The proxy resolves the server's name.
public struct ProxyServer: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case http

        /// HTTP over TLS: an encrypted connection to the proxy.
        case https

        case socks5
    }

    public var kind: Kind

    /// The name or address; an IPv6 address without brackets.
    public var host: String

    /// The port, which has no default.
    public var port: Int

    /// The credential for the proxy; nil by default.
    ///
    /// The handler gets a challenge if an HTTP proxy demands one and this is nil or rejected.
    public var credential: TransportCredential?

    /// Hosts that are connected to without the proxy, with their subdomains, `*` for all; none by default.
    public var bypassedHosts: [String] = []

    public init(
        _ kind: Kind, host: String, port: Int, credential: TransportCredential? = nil,
        bypassedHosts: [String] = []
    ) {
        (self.kind, self.host, self.port) = (kind, host, port)
        (self.credential, self.bypassedHosts) = (credential, bypassedHosts)
    }

    /// A proxy at `host`, after `configure` has changed the rest.
    public init(_ kind: Kind, host: String, port: Int, _ configure: (inout Self) -> Void) {
        self.init(kind, host: host, port: port)
        configure(&self)
    }
}
