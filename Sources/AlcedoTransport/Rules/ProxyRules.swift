import Foundation

extension TransportProxy {
    /// What libcurl wants to hear; nil lets it read the environment.
    var address: String? {
        switch self {
        case .environment: nil
        case .none: ""
        case .server(let server): server.address
        }
    }

    /// Whether a 407 that answers a request for `url` may be a proxy's; a server itself has no business sending it.
    func mayAnswer(for url: WebURL) -> Bool {
        guard !url.isSecure else { return false }
        switch self {
        case .none:
            return false
        case .server(let server):
            return server.kind != .socks5 && !server.bypasses(url.host)
        case .environment:
            let environment = ProcessInfo.processInfo.environment
            return environment["http_proxy"] != nil || environment["all_proxy"] != nil
                || environment["ALL_PROXY"] != nil
        }
    }

    /// Whom a proxy's challenge names: host and port, as far as they are known.
    var place: (host: String, port: Int) {
        if case .server(let server) = self { (server.host, server.port) } else { ("", 0) }
    }
}

extension ProxyServer {
    fileprivate var address: String {
        let scheme = kind == .socks5 ? "socks5h" : kind.rawValue
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Whether `host`, in lower case, is one to go to without the proxy.
    func bypasses(_ host: String) -> Bool {
        bypassedHosts.contains { entry in
            let name = entry.lowercased().drop { $0 == "." }
            return name == "*" || host == name || host.hasSuffix(".\(name)")
        }
    }
}
