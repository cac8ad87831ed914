// URLs without passwords and signatures, for error messages and logs.

extension String {
    /// This URL without its user info, and without its query or fragment if that may be a credential.
    ///
    /// A query is shown unless the name of a parameter contains a word such as `sig`, `token` or `key`, a
    /// value has 20 letters and digits in a row, as signatures have, or it contains an `@`. A malformed URL is assumed to have
    /// user info of the maximum length.
    package var redactedURL: String {
        guard !hasPrefix("data:") else { return self }
        let text = withoutUserInfo
        guard let mark = text.unicodeScalars.firstIndex(where: { $0 == "?" || $0 == "#" }) else {
            return text
        }
        let (path, rest) = (text[...mark], text.unicodeScalars[mark...].dropFirst())
        return Self.mayBeCredential(rest) ? path + "…" : text
    }

    /// This text with each of its URLs as ``redactedURL``.
    package var redactingURLs: String {
        guard utf8.contains(.slash) else { return self }
        var result = ""
        var rest = unicodeScalars[...]
        while !rest.isEmpty {
            let word = rest.prefix { !Self.isDelimiter($0) }
            result += Self.redacted(word: String(word))
            rest = rest[word.endIndex...]
            let gap = rest.prefix(while: Self.isDelimiter)
            result.unicodeScalars += gap
            rest = rest[gap.endIndex...]
        }
        return result
    }

    /// A word that may be a URL, with trailing punctuation.
    private static func redacted(word: String) -> String {
        guard word.contains("://") || word.hasPrefix("//") else { return word }
        let end = word.lastIndex { !").,;:".contains($0) } ?? word.startIndex
        return String(word[...end]).redactedURL + word[end...].dropFirst()
    }

    private static func isDelimiter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || "'\"<>“”‘’".unicodeScalars.contains(scalar)
    }

    /// Wherever `//` begins an authority, also in a path or a query.
    private var withoutUserInfo: String {
        var result = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let slashes = rest.firstRange(of: "//".unicodeScalars) {
            result += rest[..<slashes.upperBound]
            rest = rest[slashes.upperBound...]
            let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
            let at = authority.lastIndex(of: "@") ?? (Self.hasPort(authority) ? nil : rest.lastIndex(of: "@"))
            guard let at else { continue }
            result.append("…")
            rest = rest[at...]
        }
        return String(result + rest)
    }

    /// Whether the text after the host's colon is a port, if there is a colon, rather than part of a password.
    private static func hasPort(_ authority: Substring.UnicodeScalarView) -> Bool {
        guard authority.last != "]", let colon = authority.lastIndex(of: ":") else { return true }
        return authority[colon...].dropFirst().allSatisfy { ("0"..."9").contains($0) }
    }

    private static func mayBeCredential(_ query: Substring.UnicodeScalarView) -> Bool {
        let text = String(query).removingPercents.lowercased()
        if text.contains("@") { return true }
        var run = 0
        for byte in text.utf8 {
            run = byte.isLetterOrDigit ? run + 1 : 0
            if run == 20 { return true }
        }
        return text.split { "&;~?#".contains($0) }.contains { parameter in
            let name = parameter.prefix { $0 != "=" }
            return credentialWords.contains { name.contains($0) }
        }
    }

    /// Parts of the names of parameters whose values are credentials.
    private static let credentialWords = [
        "sig", "token", "key", "auth", "secret", "pass", "pwd", "policy", "credential", "hmac", "hash",
        "session", "jwt",
    ]
}

extension String {
    /// This text with its percent-encoded bytes decoded.
    private var removingPercents: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == .percent, let high = rest.first?.hexDigit, let low = rest.dropFirst().first?.hexDigit {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        decimalDigit != nil || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased)
    }
}
