import Foundation

/// A URL as people type it, read as browsers do (WHATWG URL).
///
/// What needs percent-encoding gets it, and what has it keeps it.
///
/// Foundation would encode each `%` of a part of the URL in which it encodes something else. It also takes only the
/// characters of RFC 3986, so some that browsers send as they are, such as `[` and `|`, are encoded too.
struct URLText {
    private let scheme: String
    private let rest: Substring

    /// Reads a ``cleaned(_:)`` word that has a ``scheme(of:)``.
    init(cleaned text: String) {
        scheme = Self.scheme(of: text) ?? ""
        rest = text.dropFirst(scheme.count + 1)
    }

    /// A word as it is read: without white space around it and line breaks in it, and with slashes for the backslashes
    /// of a path.
    static func cleaned(_ word: String) -> String {
        let isKept = { (scalar: Unicode.Scalar) in !["\t", "\n", "\r"].contains(scalar) }
        let scalars = word.unicodeScalars.drop { $0.value <= 0x20 }.filter(isKept)
        let last = scalars.lastIndex { $0.value > 0x20 }
        let end = last.map { scalars.index(after: $0) } ?? scalars.startIndex
        let text = String(String.UnicodeScalarView(scalars[..<end]))
        guard let scheme = scheme(of: text), ["http", "https", "file"].contains(scheme.lowercased()) else {
            return text
        }
        let path = text.unicodeScalars.prefix { $0 != "?" && $0 != "#" }
        let slashed = path.map { $0 == "\\" ? "/" : $0 }
        return String(String.UnicodeScalarView(slashed)) + text[path.endIndex...]
    }

    /// The scheme that a word starts with; nil for a path, which a letter before a colon is too.
    static func scheme(of word: String) -> String? {
        guard let scheme = word.firstMatch(of: /^[\u{0}-\u{20}]*([A-Za-z][A-Za-z0-9+.\-]+):/)?.1 else {
            return nil
        }
        return String(scheme)
    }

    /// The URL; nil if it is none.
    var url: URL? {
        let (beforeFragment, fragment) = Self.split(rest, at: "#")
        let (beforeQuery, query) = Self.split(beforeFragment, at: "?")
        var path = beforeQuery
        var text = scheme + ":"
        if path.hasPrefix("//") {
            let authority = path.dropFirst(2).prefix { $0 != "/" }
            path = path.dropFirst(2 + authority.count)
            text += "//" + Self.authority(authority)
        }
        text += Self.encoded(path, keeping: "/:@")
        if let query { text += "?" + Self.encoded(query, keeping: "/:@?") }
        if let fragment { text += "#" + Self.encoded(fragment, keeping: "/:@?") }
        return URL(string: text)
    }

    /// User info is encoded up to its last `@`; Foundation makes a host ASCII.
    private static func authority(_ text: Substring) -> String {
        guard let at = text.lastIndex(of: "@") else { return String(text) }
        return encoded(text[..<at], keeping: ":") + text[at...]
    }

    private static func split(_ text: Substring, at character: Character) -> (Substring, Substring?) {
        guard let index = text.unicodeScalars.firstIndex(of: Unicode.Scalar(character.asciiValue ?? 0)) else {
            return (text, nil)
        }
        return (text[..<index], text[text.unicodeScalars.index(after: index)...])
    }

    /// Encodes all but letters, digits, RFC 3986's marks, `kept`, and percent signs before two hexadecimal digits.
    private static func encoded(_ text: Substring, keeping kept: String) -> String {
        let marks = Array(("-._~!$&'()*+,;=" + kept).utf8)
        let bytes = Array(text.utf8)
        func isHexDigit(_ index: Int) -> Bool {
            index < bytes.count && Character(Unicode.Scalar(bytes[index])).isHexDigit
        }
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let character = Character(Unicode.Scalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber)
            let isEncoded = byte == UInt8(ascii: "%") && isHexDigit(index + 1) && isHexDigit(index + 2)
            if isPlain || isEncoded || marks.contains(byte) {
                result.append(byte)
            } else {
                result += "%".utf8 + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
