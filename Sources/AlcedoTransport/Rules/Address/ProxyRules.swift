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
            return text(for: url) != nil
        }
    }

    /// The proxy for `url` as it was written, with whatever password it has; nil if there is none.
    func text(for url: WebURL) -> String? {
        switch self {
        case .none: return nil
        case .server(let server): return url.host.isNamed(in: server.bypassedHosts) ? nil : server.address
        case .environment:
            let environment = ProcessInfo.processInfo.environment
            // As libcurl reads them: a web server sets HTTP_PROXY from a client's header.
            let names = url.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
            let proxies = (names + ["all_proxy", "ALL_PROXY"]).compactMap { environment[$0] }
            let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
            let hosts = exceptions.split { $0 == "," || $0 == " " }.map(String.init)
            return url.host.isNamed(in: hosts) ? nil : proxies.first { !$0.isEmpty }
        }
    }

    /// Whom a challenge of the proxy for `url` names: host and port, as far as they are known.
    func place(for url: WebURL) -> (host: String, port: Int) {
        if case .server(let server) = self { return (server.host, server.port) }
        return text(for: url).map(Self.place) ?? ("", 0)
    }

    /// The host and the port of a proxy's text.
    static func place(of text: String) -> (host: String, port: Int) {
        let text = shown(text)
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[colon...].dropFirst()) else {
            return (text.withoutBrackets, 1080)
        }
        return (String(text[..<colon]).withoutBrackets, port)
    }

    /// A proxy's text without scheme, user info and path.
    static func shown(_ text: String) -> String {
        let address = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let place = address.lastIndex(of: "@").map { address[$0...].dropFirst() } ?? address
        return String(place.prefix { $0 != "/" })
    }
}

extension ProxyServer {
    fileprivate var address: String {
        let scheme = kind == .socks5 ? "socks5h" : kind.rawValue
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension String {
    fileprivate var withoutBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }

    /// Whether this host, in lower case, or a domain that it is in, is among `hosts`; `*` stands for all.
    fileprivate func isNamed(in hosts: [String]) -> Bool {
        hosts.contains { host in
            let name = host.lowercased().drop { $0 == "." }
            return name == "*" || self == name || hasSuffix(".\(name)")
        }
    }
}
