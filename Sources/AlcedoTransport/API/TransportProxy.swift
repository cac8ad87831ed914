/// The way to a server.
public enum TransportProxy: Sendable, Equatable {
    /// As the environment says: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    case environment

    /// Straight to the server, whatever the environment says.
    case none

    /// Through this one, whatever the environment says.
    indirect case server(ProxyServer)
}

/// A server that forwards requests, or connections, to others.
///
/// `http` URLs are forwarded by an HTTP or HTTPS proxy, which sees everything; for `https` URLs, and with SOCKS, it
/// passes on a connection that it cannot look into. The proxy looks up the server's name.
public struct ProxyServer: Sendable, Equatable {
    /// What a proxy speaks.
    public enum Kind: String, Sendable {
        /// HTTP.
        case http

        /// HTTP over TLS.
        case https

        /// SOCKS 5.
        case socks5
    }

    /// What it speaks.
    public var kind: Kind

    /// Its name or address; an IPv6 address without brackets.
    public var host: String

    /// Its port.
    public var port: Int

    /// What it knows the client by; nil by default.
    ///
    /// An HTTP proxy that wants one and has none, or refuses this one, is a challenge for the handler.
    public var credential: TransportCredential?

    /// Hosts to go to without it: each stands for itself and the names below it, `*` for all; none by default.
    public var bypassedHosts: [String] = []

    /// A proxy at `host`, after `configure` has changed the rest.
    public init(_ kind: Kind, host: String, port: Int, _ configure: (inout Self) -> Void = { _ in }) {
        self.kind = kind
        self.host = host
        self.port = port
        configure(&self)
    }
}
