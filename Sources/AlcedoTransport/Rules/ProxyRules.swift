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
            return server.kind != .socks5 && !url.host.isNamed(in: server.bypassedHosts)
        case .environment:
            let environment = ProcessInfo.processInfo.environment
            let proxies = ["http_proxy", "all_proxy", "ALL_PROXY"].compactMap { environment[$0] }
            let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
            let hosts = exceptions.split { $0 == "," || $0 == " " }.map(String.init)
            return !proxies.isEmpty && !url.host.isNamed(in: hosts)
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
}

extension String {
    /// Whether this host, in lower case, or a domain that it is in, is among `hosts`; `*` stands for all.
    fileprivate func isNamed(in hosts: [String]) -> Bool {
        hosts.contains { host in
            let name = host.lowercased().drop { $0 == "." }
            return name == "*" || self == name || hasSuffix(".\(name)")
        }
    }
}
