import AlcedoPixels
import AlcedoTransport

/// A request's path as the log has it: without the signature, and with the source decoded and shown as a
/// ``ShownURL``.
///
/// A signature may be one that passes for every path.
struct LoggedPath: CustomStringConvertible {
    let description: String

    init(_ target: String, rules: URLRules) {
        let bytes = Array(target.utf8)
        guard let path = try? RequestPath(bytes, prefix: rules.pathPrefix) else {
            description = Self.malformed(bytes, rules)
            return
        }
        let separator = Array(rules.argumentsSeparator.utf8)
        let segments = path.signed.dropFirst().parts(by: .slash)
        let count =
            rules.onlyPresets
            ? min(1, segments.count) : segments.prefix { $0.firstIndex(of: separator) != nil }.count
        let prefix = bytes[..<path.signature.startIndex].text
        let options = segments[..<count].map { Array($0) + [.slash] }.joined()
        let shownOptions = ShownURL(Array(options).percentDecodedWherePossible.text)
        let query = ShownURL(bytes.drop { $0 != UInt8(ascii: "?") }.text)
        description = "\(prefix)…/\(shownOptions)\(Self.source(segments[count...], rules))\(query)"
    }

    private static func source(_ segments: ArraySlice<ArraySlice<UInt8>>, _ rules: URLRules) -> String {
        if segments.first?.elementsEqual("plain".utf8) == true {
            let text = Array(segments.dropFirst().joined(separator: [.slash]))
            let parts = text.parts(by: UInt8(ascii: "@"))
            // The format is no part of the URL; other unencoded `@` are errors, as that after a password is.
            let hasFormat = parts.count == 2 && EncodedFormat(urlName: parts[1].text) != nil
            let (url, format) = hasFormat ? (parts[0], "@" + parts[1].text) : (text[...], "")
            return "plain/\(ShownURL(url.percentDecodedWherePossible.text))\(format)"
        }
        // Decoded, because nobody reads Base64.
        guard let source = try? SourceText(segments, rules: rules), let url = source.url.exactText else {
            return segments.isEmpty ? "" : "…"
        }
        return "plain/\(ShownURL(url))\(source.format.map { "@" + $0.text } ?? "")"
    }

    /// A path that is no image's, without trusted signatures.
    private static func malformed(_ target: [UInt8], _ rules: URLRules) -> String {
        let trusted = rules.trustedSignatures.map { Array($0.utf8) }
        let segments = target.parts(by: .slash).map { segment in
            trusted.contains { segment.elementsEqual($0) || segment.percentDecodedWherePossible == $0 }
                ? Array("…".utf8) : Array(segment)
        }
        return ShownURL(Array(segments.joined(separator: [.slash])).percentDecodedWherePossible.text)
            .description
    }
}
