import AlcedoHTTPServer
package import AlcedoTransport

/// The proxies whose `X-Forwarded-For` is believed.
package struct TrustedProxies: Sendable, Equatable {
    package var blocks: [AddressBlock] = []

    /// Whether all clients of a Unix socket are trusted.
    package var includesUnixSocket = false

    package init() {}

    /// The address of a request's client: that of the connection, or what trusted proxies report of it.
    ///
    /// Each proxy appends the address that it sees, so the list is read from the right, up to the first address that is
    /// no trusted proxy's: anything left of it may be invented by the client.
    func client(of request: HTTPRequest) -> String? {
        let connected = request.client.flatMap { IPAddress($0) }
        guard connected.map(contains) ?? includesUnixSocket else { return request.client }
        var client = connected
        for entry in (request.headers.joined("X-Forwarded-For") ?? "").split(separator: ",").reversed() {
            guard let address = Self.address(in: entry) else { break }
            client = address
            guard contains(address) else { break }
        }
        return client?.text
    }

    private func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

    /// Reads `192.0.2.1`, `192.0.2.1:5000`, `2001:db8::1` or `[2001:db8::1]:5000`.
    private static func address(in entry: Substring) -> IPAddress? {
        var text = entry.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.first == "[" {
            text = text.dropFirst().prefix { $0 != "]" }
        } else if text.count(where: { $0 == ":" }) == 1 {
            text = text.prefix { $0 != ":" }
        }
        return IPAddress(String(text)).map { $0.embeddedIPv4 ?? $0 }
    }
}
