/// Where a server listens: `HOST:PORT`, `:PORT`, `[IPv6]:PORT` or `unix:PATH`.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// All addresses of the machine without a host; port 0 is any free one.
    case tcp(host: String?, port: UInt16)
    case unix(path: String)

    /// Reads an address; nil if the text is none.
    package init?(_ text: String) {
        if let path = text.droppingPrefix("unix:") ?? (text.hasPrefix("/") ? text : nil) {
            guard (1...Self.longestPath).contains(path.utf8.count), !path.utf8.contains(0) else {
                return nil
            }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        self = .tcp(host: host.isEmpty || host == "*" ? nil : String(host), port: port)
    }

    /// The bytes of the longest path of a Unix socket: `sun_path` has 108 with the zero at the end.
    static let longestPath = 107

    package var description: String {
        switch self {
        case .tcp(let host, let port):
            host.map { $0.contains(":") ? "[\($0)]:\(port)" : "\($0):\(port)" } ?? ":\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension String {
    /// The rest of a text with this prefix; nil if it has another.
    fileprivate func droppingPrefix(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
