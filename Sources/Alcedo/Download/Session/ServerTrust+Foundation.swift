import AlcedoTransport
public import FoundationNetworking

// Names of server trust that Foundation lacks on Linux, for code from other platforms.

/// A server's certificates, and the result of their verification.
public typealias SecTrust = ServerTrust

/// The authentication method of a challenge that is about a server's certificates.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLProtectionSpace {
    /// The server's certificates, leaf first; nil for other challenges.
    public var serverTrust: ServerTrust? { (self as? DownloaderProtectionSpace)?.trust }
}

extension URLCredential {
    /// A credential that accepts a server.
    public convenience init(trust: ServerTrust) {
        self.init(user: "", password: "", persistence: .none)
    }
}
