import Foundation

/// ETags of responses: the origin's, with a prefix that makes all of them new when it changes, and with a suffix where one URL
/// has several representations, each of which needs a tag of its own (RFC 9110, 8.8.3).
struct EntityTag {
    let buster: String

    /// Of letters and digits; empty where all clients get the same.
    let representation: String

    private var isOrigins: Bool { buster.isEmpty && representation.isEmpty }
    private var prefix: String { buster.isEmpty ? "" : "\(buster)/" }
    private var suffix: String { representation.isEmpty ? "" : ".\(representation)" }

    /// The tag of a response whose source has `etag`; weak if that is.
    func tag(for etag: String) -> String {
        guard !isOrigins else { return etag }
        // With the origin's tag inside, so that a client's can be sent to the origin.
        let text = Data(etag.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "\(etag.hasPrefix("W/") ? "W/" : "")\"\(prefix)\(text)\(suffix)\""
    }

    /// The origin's tags of a request's `If-None-Match`; nil if none is of this server's.
    func origins(of header: String) -> String? {
        guard !isOrigins else { return header }
        let tags = Self.list(header).compactMap(origin)
        return tags.isEmpty ? nil : tags.joined(separator: ", ")
    }

    private func origin(of tag: String) -> String? {
        if tag == "*" { return tag }
        let text = (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...])
            .trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        guard text.hasPrefix(prefix), text.hasSuffix(suffix), text.count >= prefix.count + suffix.count else {
            return nil
        }
        let encoded = text.dropFirst(prefix.count).dropLast(suffix.count)
            .replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - encoded.count % 4) % 4)
        guard let data = Data(base64Encoded: encoded + padding) else { return nil }
        // It comes from a client and goes into a header.
        let origin = String(decoding: data, as: UTF8.self)
        return origin.unicodeScalars.contains { $0.value < 0x20 } ? nil : origin
    }

    /// The tags of a list; a comma in quotes separates none.
    static func list(_ header: String) -> [String] {
        // Without escapes: a backslash is a character of a tag.
        var isQuoted = false
        let parts = header.utf8.split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return parts.map(\.trimmed).filter { !$0.isEmpty }
    }
}
