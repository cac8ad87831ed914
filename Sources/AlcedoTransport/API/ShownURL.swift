/// A URL as it may be printed, logged, stored or sent to others: without user info, and without a query or
/// fragment that may be a credential.
///
/// A query is shown unless the name of a parameter contains a word such as `sig`, `token` or `key`, a value has
/// 20 letters and digits in a row, as signatures have, or it contains an `@`. A malformed URL is assumed to
/// have user info of the maximum length. Works on bytes, as a mark that follows a separator must not hide it.
package struct ShownURL: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Whether nothing was left out.
    package let isWhole: Bool

    package init(_ url: String) {
        let bytes = Array(url.utf8)
        let shown = bytes.isDataURL ? bytes : bytes.withoutUserInfo.withoutCredentialQuery
        isWhole = shown == bytes
        description = isWhole ? url : String(decoding: shown, as: UTF8.self)
    }

    /// Parts of the names of parameters whose values are credentials.
    fileprivate static let credentialWords = [
        "sig", "token", "key", "auth", "secret", "pass", "pwd", "policy", "credential", "hmac", "hash",
        "session", "jwt",
    ].map { Array($0.utf8) }
}

extension String {
    /// This text with each of its URLs as a ``ShownURL``.
    package var redactingURLs: String {
        guard utf8.contains(where: { $0.isSlash || $0 == .at || $0 == .percent }) else { return self }
        var result = ""
        var rest = unicodeScalars[...]
        while !rest.isEmpty {
            let word = rest.prefix { !Self.isDelimiter($0) }
            result += Self.redacted(word: Substring(word))
            rest = rest[word.endIndex...]
            let gap = rest.prefix(while: Self.isDelimiter)
            result.unicodeScalars += gap
            rest = rest[gap.endIndex...]
        }
        return result
    }

    /// A word that may be a URL, with trailing punctuation.
    private static func redacted(word: Substring) -> String {
        guard Array(word.utf8).mayBeURL else { return String(word) }
        // By bytes: a combining mark after it does not make punctuation another character.
        let end = word.utf8.lastIndex { !").,;:".utf8.contains($0) } ?? word.startIndex
        let next = word.utf8.index(end, offsetBy: 1, limitedBy: word.endIndex) ?? word.endIndex
        let (url, rest) = (word.utf8[..<next], word.utf8[next...])
        return ShownURL(String(decoding: url, as: UTF8.self)).description
            + String(decoding: rest, as: UTF8.self)
    }

    private static func isDelimiter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "'", "\"", "<", ">", "“", "”", "‘", "’": true
        // Properties of a scalar are looked up in tables, which takes longer than all else.
        case "!"..."~": false
        default: scalar.properties.isWhitespace
        }
    }
}

extension [UInt8] {
    fileprivate var isDataURL: Bool { prefix(5).map(\.asciiLowercased).elementsEqual("data:".utf8) }

    /// Whether a word of a text has an authority, or what may be user info.
    fileprivate var mayBeURL: Bool {
        nextAuthority(from: 0) != nil || contains(.colon) && self[...].lastAt != nil
    }

    // MARK: - User info

    /// Without the user info wherever an authority starts, also in a path or a query.
    fileprivate var withoutUserInfo: [UInt8] {
        var result: [UInt8] = []
        // Looked for once: a text may have thousands of authorities.
        let lastAt = self[...].lastAt
        // Without slashes, as in `user:password@host`; a scheme with its colon has no port.
        var rest = appendAuthority(at: 0, to: &result, isMarked: false, lastAt)
        while let start = nextAuthority(from: rest) {
            result += self[rest..<start]
            rest = appendAuthority(at: start, to: &result, isMarked: true, lastAt)
        }
        return result + self[rest...]
    }

    /// Appends the start of the authority at `start` as it may be shown; returns where the rest starts.
    private func appendAuthority(
        at start: Int, to result: inout [UInt8], isMarked: Bool, _ lastAt: Range<Int>?
    ) -> Int {
        let authority = self[start...].prefix {
            !$0.isSlash && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        let port = authority.malformedPort
        guard isMarked || port != nil || authority.contains(.colon) else { return start }
        if let at = authority.lastAt ?? (port == nil ? nil : lastAt), at.lowerBound >= start {
            result += "…@".utf8
            return at.upperBound
        }
        guard isMarked, let port else { return start }
        // The text may have been cut before the `@`.
        result += self[start..<port] + "…".utf8
        return authority.endIndex
    }

    /// Where the next authority starts: after `//`, or after the one slash that parsers accept after `https:`.
    fileprivate func nextAuthority(from start: Int) -> Int? {
        var index = start
        while let slash = self[index...].firstIndex(where: \.isSlash) {
            let end = self[slash...].firstIndex { !$0.isSlash } ?? endIndex
            let colon = slash - 1
            let hasScheme = slash > startIndex + 1 && self[colon] == .colon && self[colon - 1].isLetterOrDigit
            let isFile = hasScheme && end - slash != 2 && isFileScheme(before: colon)
            if !isFile, end - slash >= 2 || hasScheme && decimalScheme(before: colon) == false { return end }
            index = end
        }
        return nil
    }

    /// Whether there are only digits before the colon, as in a port or an option.
    private func decimalScheme(before colon: Int) -> Bool { self[colon - 1].decimalDigit != nil }

    private func isFileScheme(before colon: Int) -> Bool {
        let scheme = self[..<colon].reversed().prefix(while: \.isLetterOrDigit).reversed().map(
            \.asciiLowercased)
        return scheme.elementsEqual("file".utf8) || scheme.elementsEqual("local".utf8)
    }

    // MARK: - Queries

    /// Without the query or fragment if that may be a credential.
    fileprivate var withoutCredentialQuery: [UInt8] {
        guard let mark = firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return self
        }
        return Self.mayBeCredential(self[(mark + 1)...]) ? Array(self[...mark]) + "…".utf8 : self
    }

    private static func mayBeCredential(_ query: ArraySlice<UInt8>) -> Bool {
        var text = Array(query)
        // Some queries contain URLs that contain queries.
        for _ in 0..<4 where text.contains(.percent) { text = text.percentDecoded }
        text = text.map(\.asciiLowercased)
        if text.contains(.at) { return true }
        var run = 0
        for byte in text {
            run = byte.isLetterOrDigit ? run + 1 : 0
            if run == 20 { return true }
        }
        return text.split { "&;~?#".utf8.contains($0) }.contains { parameter in
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            return ShownURL.credentialWords.contains { word in
                name.indices.contains { name[$0...].starts(with: word) }
            }
        }
    }
}

extension ArraySlice<UInt8> {
    /// Where the last `@` is, also one that is percent-encoded, once or several times.
    fileprivate var lastAt: Range<Int>? {
        for index in indices.reversed() {
            if self[index] == .at { return index..<index + 1 }
            guard self[index] == .percent else { continue }
            var rest = self[(index + 1)...]
            while rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
            if rest.starts(with: "40".utf8) { return index..<rest.startIndex + 2 }
        }
        return nil
    }

    /// Where the text after the last colon starts if that is no port, but may be part of a password.
    fileprivate var malformedPort: Int? {
        guard last != UInt8(ascii: "]"), let colon = lastIndex(of: .colon) else { return nil }
        let port = self[(colon + 1)...]
        return port.allSatisfy { $0.decimalDigit != nil } ? nil : colon + 1
    }
}

extension UInt8 {
    fileprivate static let at = UInt8(ascii: "@")

    /// Whether parsers take it for a slash.
    fileprivate var isSlash: Bool { self == .slash || self == UInt8(ascii: "\\") }

    fileprivate var isLetterOrDigit: Bool {
        decimalDigit != nil || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased)
    }
}
