public import Foundation

/// One cookie of a ``CookieJar``.
public struct JarCookie: Sendable, Equatable {
    /// The name; must not be empty.
    public var name: String

    public var value: String

    /// The host that it is sent to.
    public var domain: String

    /// Whether it is sent to subdomains of ``domain`` too; false by default.
    public var includesSubdomains = false

    /// The path prefix that it is sent to; `/` by default.
    public var path = "/"

    /// Whether it is sent over `https` only; false by default.
    public var isSecure = false

    /// The HttpOnly attribute, which has no effect here; false by default.
    public var isHTTPOnly = false

    /// When it expires, in whole seconds; nil, the default, for never.
    public var expires: Date?

    /// A cookie for `domain`, after `configure` has changed the rest.
    public init(
        name: String, value: String, domain: String, _ configure: (inout Self) -> Void = { _ in }
    ) {
        (self.name, self.value, self.domain) = (name, value, domain)
        configure(&self)
    }
}

// MARK: - Netscape's format

extension JarCookie {
    private static let httpOnlyMark = "#HttpOnly_"

    /// Reads a line of libcurl's.
    package init?(line: String) {
        let isHTTPOnly = line.hasPrefix(Self.httpOnlyMark)
        let fields = line.dropFirst(isHTTPOnly ? Self.httpOnlyMark.count : 0)
            .split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false)
        guard fields.count == 7, let expires = Double(fields[4]) else { return nil }
        let domain = fields[0].hasPrefix(".") ? fields[0].dropFirst() : fields[0]
        self.init(name: String(fields[5]), value: String(fields[6]), domain: String(domain)) {
            $0.includesSubdomains = fields[1] == "TRUE"
            $0.path = String(fields[2])
            $0.isSecure = fields[3] == "TRUE"
            $0.isHTTPOnly = isHTTPOnly
            $0.expires = expires > 0 ? Date(timeIntervalSince1970: expires) : nil
        }
    }

    /// The same line with an expiry in the past, which removes the cookie.
    static func expired(line: String) -> String? {
        var fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false)
        guard fields.count == 7 else { return nil }
        fields[4] = "1"
        return fields.joined(separator: "\t")
    }

    /// The line for libcurl; nil if the cookie is invalid.
    package var line: String? {
        let host = domain.drop { $0 == "." }
        // libcurl takes a line that starts with # for a comment, and one with Set-Cookie: for a header.
        guard !name.isEmpty, !host.isEmpty, !host.hasPrefix("#"), path.hasPrefix("/"),
            [name, value, domain, path].allSatisfy({ text in
                text.utf8.allSatisfy { $0 >= UInt8.space && $0 != 127 }
            }),
            !host.lowercased().hasPrefix("set-cookie:")
        else { return nil }
        // Zero would mean that it does not expire.
        let end = expires.map { Int64(clamping: $0.timeIntervalSince1970) } ?? 0
        let fields = [
            (isHTTPOnly ? Self.httpOnlyMark : "") + (includesSubdomains ? "." : "") + host,
            includesSubdomains ? "TRUE" : "FALSE", path, isSecure ? "TRUE" : "FALSE",
            "\(expires == nil ? 0 : max(1, end))", name, value,
        ]
        return fields.joined(separator: "\t")
    }
}

extension Int64 {
    fileprivate init(clamping seconds: Double) {
        self = seconds.isNaN ? 0 : Int64(Swift.min(Swift.max(seconds, 0), 1e15))
    }
}
