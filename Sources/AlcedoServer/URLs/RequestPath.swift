/// A request target without its query and prefix, cut into signature and signed path.
struct RequestPath {
    /// The part before the second `/`.
    let signature: ArraySlice<UInt8>
    /// What the signature covers: options and source, with a `/` first; mended.
    let signed: [UInt8]

    init(_ target: [UInt8], prefix: String) throws(URLFailure) {
        var rest = target.prefix { $0 != UInt8(ascii: "?") }
        let prefix = Array(prefix.utf8.drop { $0 == .slash }).reversed().drop { $0 == .slash }.reversed()
        if !prefix.isEmpty {
            guard rest.first == .slash, rest.dropFirst().starts(with: prefix) else {
                throw URLFailure(.invalidURL, "the path is outside the prefix")
            }
            rest = rest.dropFirst(1 + prefix.count)
        }
        guard rest.first == .slash else {
            throw URLFailure(.invalidURL, "the path has no / at its start")
        }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: .slash), end > rest.startIndex else {
            throw URLFailure(.invalidURL, "the path has no signature")
        }
        guard end + 1 < rest.endIndex else {
            throw URLFailure(.invalidURL, "there is nothing after the signature")
        }
        signature = rest[..<end]
        signed = Self.mended(rest[end...])
    }

    /// Undoes what proxies and browsers do to paths: encoded colons and merged slashes.
    private static func mended(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let plain = path.firstIndex(of: Array("/plain/".utf8))
        let options = path[..<(plain ?? path.endIndex)]
        guard let plain else { return withColons(options) }
        let source = path[(plain + 7)...]
        let scheme = source.prefix { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
        let rest = source[scheme.endIndex...]
        var mended = withColons(options) + path[plain..<scheme.endIndex]
        let isMerged =
            rest.starts(with: ":/".utf8) && rest.count > 2 && rest[rest.startIndex + 2] != .slash
        if isMerged, let first = scheme.first, first.isLetter {
            mended += scheme.elementsEqual("local".utf8) ? ":///".utf8 : "://".utf8
            mended += rest.dropFirst(2)
        } else {
            mended += rest
        }
        return mended
    }

    private static func withColons(_ options: ArraySlice<UInt8>) -> [UInt8] {
        guard options.contains(.percent) else { return Array(options) }
        var mended: [UInt8] = []
        var rest = options
        while let byte = rest.popFirst() {
            if byte == .percent, rest.starts(with: "3A".utf8) || rest.starts(with: "3a".utf8) {
                mended.append(.colon)
                rest = rest.dropFirst(2)
            } else {
                mended.append(byte)
            }
        }
        return mended
    }
}
