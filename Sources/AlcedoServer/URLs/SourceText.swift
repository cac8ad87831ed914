/// The source as the path names it.
struct SourceText {
    /// The URL, decoded.
    let url: [UInt8]
    /// What follows the `@` or `.`, if it isn't empty.
    let format: ArraySlice<UInt8>?

    init(_ segments: ArraySlice<ArraySlice<UInt8>>, rules: URLRules) throws(URLFailure) {
        let kind = segments.first.map(Array.init) ?? []
        guard kind != Array("enc".utf8) && kind != Array("-".utf8) || segments.count < 2 else {
            throw URLFailure(.invalidURL, "encrypted and chained sources are not supported")
        }
        let text: [ArraySlice<UInt8>]
        if kind == Array("plain".utf8), segments.count > 1 {
            text = Array(segments.dropFirst().joined(separator: [.slash])).parts(by: UInt8(ascii: "@"))
        } else {
            let dropsLast = rules.base64IncludesFilename && segments.count > 1
            text = Array((dropsLast ? segments.dropLast() : segments).joined()).parts(by: .dot)
        }
        guard text.count <= 2 else {
            throw URLFailure(.invalidURL, "the source has more than one format")
        }
        format = text.count == 2 && !text[1].isEmpty ? text[1] : nil
        let isPlain = kind == Array("plain".utf8) && segments.count > 1
        url = try isPlain ? Self.decodedPercents(text[0]) : Self.decodedBase64(text[0])
        guard !url.isEmpty else { throw URLFailure(.invalidURL, "the source is empty") }
    }

    private static func decodedPercents(_ text: ArraySlice<UInt8>) throws(URLFailure) -> [UInt8] {
        guard let url = text.percentDecoded else {
            throw URLFailure(
                .invalidURL, "a % of the source is not followed by two hexadecimal digits; write %25")
        }
        return url
    }

    private static func decodedBase64(_ text: ArraySlice<UInt8>) throws(URLFailure) -> [UInt8] {
        var letters = text
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        guard let url = Base64URL.decoded(letters) else {
            throw URLFailure(.invalidURL, "the source is not Base64 of the URL-safe kind")
        }
        return url
    }
}
