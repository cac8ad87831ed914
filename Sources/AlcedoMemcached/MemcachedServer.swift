/// One memcached server of a ``MemcachedStore``.
public struct MemcachedServer: Sendable, Hashable {
    /// The name or the address.
    ///
    /// All machines must spell it alike, because keys are spread by this text.
    public var host: String

    /// The port; 11,211 by default.
    public var port: Int

    /// The share of keys, relative to those of the other servers, from 1; 1 by default.
    public var weight: Int

    /// Creates a server; a ``MemcachedStore`` checks the values.
    public init(host: String, port: Int = 11_211, weight: Int = 1) {
        (self.host, self.port, self.weight) = (host, port, weight)
    }

    /// Parses `host`, `host:port` or `[IPv6 address]:port`, with the weight 1.
    ///
    /// - Throws: ``MemcachedError/invalidServer(_:)``.
    public init(_ text: String) throws(MemcachedError) {
        var (host, port) = (Substring(text), 11_211)
        let isAddress = text.filter { $0 == ":" }.count > 1 && !text.hasPrefix("[")
        if !isAddress, let colon = text.lastIndex(of: ":"), text[colon...].firstIndex(of: "]") == nil {
            guard let number = Int(text[text.index(after: colon)...]) else { throw .invalidServer(text) }
            (host, port) = (text[..<colon], number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        self.init(host: String(host), port: port)
        try check()
    }

    func check() throws(MemcachedError) {
        let isHost = host.utf8.allSatisfy { $0 > 32 && $0 < 127 } && (1...255).contains(host.utf8.count)
        guard isHost, (1...65_535).contains(port), (1...1_000).contains(weight) else {
            throw .invalidServer(description)
        }
    }
}

extension MemcachedServer: CustomStringConvertible {
    /// `host:port`, or `[address]:port` for IPv6.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
