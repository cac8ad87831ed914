/// The directives of a `Cache-Control` field (RFC 9111, 5.2).
struct CacheControl {
    private var directives: [String: [String]] = [:]

    /// Parses all `Cache-Control` fields; without any, `Pragma: no-cache` counts.
    init(_ headers: [(name: String, value: String)]) {
        let values = headers.filter { $0.name.lowercased() == "cache-control" }.map(\.value)
        for directive in values.flatMap(Self.split) {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard let name = parts.first.map(Self.trimmed), !name.isEmpty else { continue }
            let value = parts.count > 1 ? Self.trimmed(parts[1].filter { $0 != "\"" }) : ""
            directives[name.lowercased(), default: []].append(value)
        }
        let pragma = headers.contains {
            $0.name.lowercased() == "pragma" && $0.value.lowercased().contains("no-cache")
        }
        if values.isEmpty, pragma { directives["no-cache"] = [""] }
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

    /// The parts between commas that are not in quotes; in quotes, a backslash escapes a quote (RFC 9110, 5.6.4).
    private static func split(_ text: String) -> [Substring] {
        var (isQuoted, isEscaped) = (false, false)
        return text.split { character in
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            return character == "," && !isQuoted
        }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
