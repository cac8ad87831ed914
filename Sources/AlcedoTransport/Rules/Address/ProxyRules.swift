import Foundation

extension TransportProxy {
    /// The value of `CURLOPT_PROXY`; nil if libcurl reads the environment.
    var address: String? {
        switch self {
        case .environment: nil
        case .none: ""
        case .server(let server): server.address
        }
    }

    /// Whether a 407 to a request for `url` can come from a proxy; one from the server is invalid.
    func mayChallenge(for url: WebURL) -> Bool {
        guard !url.isSecure else { return false }
        switch self {
        case .none:
            return false
        case .server(let server):
            return server.kind != .socks5 && !url.host.isNamed(in: server.bypassedHosts)
        case .environment:
            return text(for: url).map(Self.speaksHTTP) ?? false
        }
    }

    /// The configured proxy for `url`, with its password if any; nil if there is none.
    func text(for url: WebURL) -> String? {
        switch self {
        case .none: return nil
        case .server(let server): return url.host.isNamed(in: server.bypassedHosts) ? nil : server.address
        case .environment:
            let environment = ProcessInfo.processInfo.environment
            // Like libcurl, ignores HTTP_PROXY: a CGI server sets it from a client's header.
            let names = url.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
            let proxies = (names + ["all_proxy", "ALL_PROXY"]).compactMap { environment[$0] }
            let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
            let hosts = exceptions.split { $0 == "," || $0 == " " }.map(String.init)
            return url.host.isNamed(in: hosts) ? nil : proxies.first { !$0.isEmpty }
        }
    }

    /// The host and port of the proxy for `url`, for its challenges; empty and 0 if unknown.
    func endpoint(for url: WebURL) -> (host: String, port: Int) {
        if case .server(let server) = self { return (server.host, server.port) }
        return text(for: url).map(Self.endpoint) ?? ("", 0)
    }

    static func endpoint(of text: String) -> (host: String, port: Int) {
        var shown = displayText(text)
        // A colon without a number, which libcurl ignores.
        if shown.last == ":" { shown.removeLast() }
        guard let colon = shown.lastIndex(of: ":"), let port = Int(shown[colon...].dropFirst()) else {
            // libcurl's default ports of proxies, CURLOPT_PROXYPORT(3).
            return (shown.withoutBrackets, scheme(of: text) == "https" ? 443 : 1080)
        }
        return (String(shown[..<colon]).withoutBrackets, port)
    }

    /// Whether a proxy speaks HTTP, as those without a scheme do, and not SOCKS, which has no 407.
    static func speaksHTTP(_ text: String) -> Bool { !scheme(of: text).hasPrefix("socks") }

    /// The scheme of a configured proxy, in lower case; empty without one.
    private static func scheme(of text: String) -> String {
        let bytes = Array(text.utf8)
        let end = bytes.firstRange(of: "://".utf8)?.lowerBound ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self).lowercased()
    }

    /// A configured proxy without scheme, user info and path.
    static func displayText(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let address = bytes.firstRange(of: "://".utf8).map { bytes[$0.upperBound...] } ?? bytes[...]
        let authority = address.lastIndex(of: UInt8(ascii: "@")).map { address[($0 + 1)...] } ?? address
        return String(decoding: authority.prefix { $0 != .slash }, as: UTF8.self)
    }
}

extension ProxyServer {
    fileprivate var address: String {
        // With socks5h, unlike socks5, the proxy resolves the server's name.
        let scheme = kind == .socks5 ? "socks5h" : kind.rawValue
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension String {
    fileprivate var withoutBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }

    /// Whether `hosts` contains this host, in lower case, or a parent domain, or `*` for all.
    fileprivate func isNamed(in hosts: [String]) -> Bool {
        hosts.contains { host in
            let name = Array(host.lowercased().utf8.drop { $0 == UInt8(ascii: ".") })
            return name.elementsEqual("*".utf8) || utf8.elementsEqual(name)
                || utf8.reversed().starts(with: (".".utf8 + name).reversed())
        }
    }
}
