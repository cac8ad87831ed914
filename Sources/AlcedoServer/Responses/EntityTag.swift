import Foundation

/// ETags of responses: the origin's, with a prefix that makes all of them new when it changes.
struct EntityTag {
    let buster: String

    /// The tag of a response whose source has `etag`.
    func tag(for etag: String) -> String {
        guard !buster.isEmpty else { return etag }
        let text = Data(etag.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "\"\(buster)/\(text)\""
    }

    /// The origin's tags of a request's `If-None-Match`; nil if none is of this server's.
    func origins(of header: String) -> String? {
        guard !buster.isEmpty else { return header }
        let tags = header.split(separator: ",").compactMap { tag -> String? in
            var text = tag.trimmingCharacters(in: .whitespaces)
            if text == "*" { return text }
            if text.hasPrefix("W/") { text.removeFirst(2) }
            text = text.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            guard text.hasPrefix("\(buster)/") else { return nil }
            let encoded = text.dropFirst(buster.count + 1).replacing("-", with: "+").replacing(
                "_", with: "/")
            let padding = String(repeating: "=", count: (4 - encoded.count % 4) % 4)
            guard let data = Data(base64Encoded: encoded + padding) else { return nil }
            // It comes from a client and goes into a header.
            let origin = String(decoding: data, as: UTF8.self)
            return origin.unicodeScalars.contains { $0.value < 0x20 } ? nil : origin
        }
        return tags.isEmpty ? nil : tags.joined(separator: ", ")
    }
}
