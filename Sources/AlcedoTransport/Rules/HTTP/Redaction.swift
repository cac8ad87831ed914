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
        guard let mark = text.utf8.firstIndex(where: { "?#".utf8.contains($0) }) else { return text }
        let rest = text.unicodeScalars[mark...].dropFirst()
        return Self.mayBeCredential(rest) ? text[...mark] + "…" : text
    }

    /// This text with each of its URLs as ``redactedURL``.
    package var redactingURLs: String {
        guard utf8.firstSlashes != nil else { return self }
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
    private static func redacted(word: Substring) -> Substring {
        guard word.utf8.hasSlashes(after: .colon) || word.utf8.starts(with: "//".utf8) else { return word }
        let end = word.utf8.lastIndex { !").,;:".utf8.contains($0) } ?? word.startIndex
        return String(word[...end]).redactedURL + word[end...].dropFirst()
    }

    private static func isDelimiter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "'", "\"", "<", ">", "“", "”", "‘", "’": true
        // Properties of a scalar are looked up in tables, which takes longer than all else.
        case "!"..."~": false
        default: scalar.properties.isWhitespace
        }
    }

    /// Wherever `//` begins an authority, also in a path or a query.
    private var withoutUserInfo: String {
        var result: [UInt8] = []
        var rest = Array(utf8)[...]
        while let slashes = rest.firstSlashes {
            result += rest[..<slashes.upperBound]
            rest = rest[slashes.upperBound...]
            let authority = rest.prefix { !"/?#".utf8.contains($0) }
            let at = UInt8(ascii: "@")
            let place =
                authority.lastIndex(of: at) ?? (Self.hasPort(authority) ? nil : rest.lastIndex(of: at))
            guard let place else { continue }
            result += "…".utf8
            rest = rest[place...]
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    /// Whether the text after the host's colon is a port, if there is a colon, rather than part of a password.
    private static func hasPort(_ authority: ArraySlice<UInt8>) -> Bool {
        guard authority.last != UInt8(ascii: "]"), let colon = authority.lastIndex(of: .colon) else {
            return true
        }
        return authority[colon...].dropFirst().allSatisfy { $0.decimalDigit != nil }
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

extension Collection<UInt8> {
    /// Where the first `//` is.
    fileprivate var firstSlashes: Range<Index>? {
        var place = startIndex
        while let slash = self[place...].firstIndex(of: .slash) {
            place = index(after: slash)
            if place < endIndex, self[place] == .slash { return slash..<index(after: place) }
        }
        return nil
    }

    /// Whether `//` follows this byte somewhere.
    fileprivate func hasSlashes(after byte: UInt8) -> Bool {
        var rest = self[...]
        while let place = rest.firstIndex(of: byte) {
            rest = rest[index(after: place)...]
            if rest.prefix(2).elementsEqual([.slash, .slash]) { return true }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        decimalDigit != nil || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased)
    }
}
