/// The directives of a `Cache-Control` field (RFC 9111, 5.2).
struct CacheControl {
    private var directives: [String: [String]] = [:]

    /// The directives of a request or of a stored response.
    init(_ headers: [(name: String, value: String)]) {
        self.init { wanted in headers.filter { $0.name.lowercased() == wanted }.map(\.value) }
    }

    /// The directives of a response; reads only the fields that have some.
    init(_ response: TransportResponse) {
        self.init(response.values(forHeader:))
    }

    /// Parses all `Cache-Control` fields; without any, `Pragma: no-cache` counts.
    private init(_ read: (_ name: String) -> [String]) {
        let (values, pragma) = (read("cache-control"), read("pragma"))
        for directive in values.flatMap({ Self.split(Array($0.utf8)[...], at: ",") }) {
            add(directive)
            // Many take a semicolon for a comma. That hides no restriction, and makes no number valid that has one after it.
            guard directive.contains(UInt8(ascii: ";")) else { continue }
            for part in Self.split(directive, at: ";") { add(part, ifIn: Self.restrictions) }
        }
        if values.isEmpty, pragma.contains(where: { $0.lowercased().contains("no-cache") }) {
            directives["no-cache"] = [""]
        }
    }

    var noStore: Bool { directives["no-store"] != nil }

    /// Whether each use needs revalidation; a list of fields counts as all fields.
    var noCache: Bool { directives["no-cache"] != nil }

    /// Whether the response is for one user.
    var isPrivate: Bool { directives["private"] != nil }

    /// Whether a cache that several users share must not store the response (RFC 9111, 3, 3.5 and 5.2.2).
    ///
    /// With `isAuthenticated` it is a response to a request with a credential, which needs the server's permission.
    func forbidsSharing(isAuthenticated: Bool) -> Bool {
        if noStore || isPrivate { return true }
        return isAuthenticated
            && !["public", "s-maxage", "must-revalidate"].contains { directives[$0] != nil }
    }

    /// Whether a stale response must not be used, not even if the server can't be reached.
    var forbidsStale: Bool { noCache || directives["must-revalidate"] != nil }

    /// The same of a cache that several users share; `s-maxage` includes `proxy-revalidate` (RFC 9111, 5.2.2.10).
    var forbidsSharedStale: Bool {
        forbidsStale || directives["proxy-revalidate"] != nil || directives["s-maxage"] != nil
    }

    var maxAge: Double? { seconds("max-age") }

    /// The freshness lifetime in caches that several users share.
    var sharedMaxAge: Double? { seconds("s-maxage") }

    /// How long a stale response may be used while it is revalidated (RFC 5861, 3).
    var staleWhileRevalidate: Double? { seconds("stale-while-revalidate") }

    /// How long a stale response may be used if the server fails (RFC 5861, 4).
    var staleIfError: Double? { seconds("stale-if-error") }

    /// Seconds; the least of several, and 0 for an invalid number.
    private func seconds(_ directive: String) -> Double? {
        directives[directive]?.map { text in
            text.utf8.allSatisfy { $0.decimalDigit != nil } ? Double(text) ?? 0 : 0
        }.min()
    }

    private static let restrictions: Set = ["private", "no-store", "no-cache", "must-revalidate"]

    private mutating func add(_ directive: ArraySlice<UInt8>, ifIn wanted: Set<String>? = nil) {
        let name = directive.prefix { $0 != UInt8(ascii: "=") }
        let key = Self.plain(name).lowercased()
        guard !key.isEmpty, wanted?.contains(key) ?? true else { return }
        directives[key, default: []].append(Self.plain(directive.dropFirst(name.count + 1)))
    }

    /// The parts between separators that are not in quotes; in quotes, a backslash escapes a quote (RFC 9110, 5.6.4).
    ///
    /// By bytes, as a combining mark after a separator does not join it. A quote without an end must not hide a `private`.
    private static func split(
        _ text: ArraySlice<UInt8>, at separator: Unicode.Scalar
    ) -> [ArraySlice<UInt8>] {
        let separator = UInt8(ascii: separator)
        var isQuoted = false
        var isEscaped = false
        let parts = text.split { byte in
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            return byte == separator && !isQuoted
        }
        return isQuoted ? text.split(separator: separator) : parts
    }

    /// Without quotes, and without white space around.
    private static func plain(_ text: ArraySlice<UInt8>) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let text = text.filter { $0 != UInt8(ascii: "\"") }.drop(while: isSpace)
        let end = text.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? text.startIndex
        return String(decoding: text[..<end], as: UTF8.self)
    }
}
