import AlcedoTransport
public import FoundationNetworking

// What Foundation has no more than the names of on Linux, so that code that decides about servers compiles.

/// A server's certificates, and what libcurl makes of them.
public typealias SecTrust = ServerTrust

/// The authentication method of a challenge that is about a server's certificates.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLProtectionSpace {
    /// The server's certificates, if the challenge is about them: leaf first, as the server sent them.
    public var serverTrust: ServerTrust? { (self as? DownloaderProtectionSpace)?.trust }
}

extension URLCredential {
    /// A credential that accepts a server.
    public convenience init(trust: ServerTrust) {
        self.init(user: "", password: "", persistence: .none)
    }
}
