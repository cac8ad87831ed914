import Foundation

/// A `data` URL taken apart (RFC 2397).
struct DataURL {
    /// The media type with its parameters, or the RFC's default.
    let mediaType: String

    /// The bytes, decoded.
    let body: Data

    /// Reads `url`, which must start with `data:` in any case.
    init(_ url: String) throws(TransportError) {
        let rest = url.utf8.dropFirst("data:".utf8.count).prefix { $0 != UInt8(ascii: "#") }
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else {
            throw .invalidURL(url, reason: "there is no comma before its data")
        }
        var parameters = String(decoding: rest[..<comma].percentDecoded, as: UTF8.self)
            .split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let isBase64 = parameters.last?.lowercased() == "base64"
        if isBase64 { parameters.removeLast() }
        let text = rest[rest.index(after: comma)...].percentDecoded
        if isBase64 {
            guard let bytes = Self.base64(text) else {
                throw .invalidURL(url, reason: "its data is not valid base64")
            }
            body = bytes
        } else {
            body = Data(text)
        }
        let type = parameters.joined(separator: ";")
        let isTyped = parameters.first.map { !$0.isEmpty } ?? false
        mediaType = isTyped ? type : "text/plain" + (type.isEmpty ? ";charset=US-ASCII" : type)
    }

    /// Reads both alphabets, with or without padding and blanks between.
    private static func base64(_ text: [UInt8]) -> Data? {
        var digits = Data(capacity: text.count + 3)
        for byte in text where !byte.isBlank {
            switch byte {
            case UInt8(ascii: "-"): digits.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): digits.append(UInt8(ascii: "/"))
            default: digits.append(byte)
            }
        }
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        digits.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - digits.count % 4) % 4))
        return Data(base64Encoded: digits)
    }
}
