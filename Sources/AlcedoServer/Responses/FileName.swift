import Foundation

/// The file name that a response suggests.
enum FileName {
    /// The value of `Content-Disposition`, with `filename*` for a name that is not in ASCII; the name has at most 255 bytes, and an extension of at most 16.
    static func disposition(of url: ImageURL, fileExtension: String) -> String {
        let kind = url.options.returnsAttachment ? "attachment" : "inline"
        let stem = escaped(
            url.options.filename.isEmpty ? stem(of: url.source) : url.options.filename, limit: 255)
        let name = fileExtension.isEmpty ? stem : "\(stem).\(fileExtension)"
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return "\(kind); filename=\"\(name)\"" }
        // Clients that don't read the second one show one underscore for each character (RFC 6266, 4.3 and D).
        let plain = String(name.map { $0.isASCII ? $0 : "_" })
        let encoded = Array(name.replacing("%22", with: "\"").utf8).percentEncoded { byte in
            byte.isLetter || byte.isDigit || "!#$&+-.^_`|~".utf8.contains(byte)
        }
        return "\(kind); filename=\"\(plain)\"; filename*=UTF-8''\(encoded.text)"
    }

    /// The last part of the source's path without its extension; `image` if there is none.
    static func stem(of source: ImageSource) -> String {
        let name = lastComponent(of: source)
        let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        return stem.isEmpty ? "image" : stem
    }

    /// The extension of the source's path; empty if there is none.
    static func fileExtension(of source: ImageSource) -> String {
        let name = lastComponent(of: source)
        return name.lastIndex(of: ".").map { escaped(String(name[$0...].dropFirst()), limit: 16) } ?? ""
    }

    private static func lastComponent(of source: ImageSource) -> String {
        var path: Substring.UTF8View
        switch source {
        case .local(let local): path = local[...].utf8
        case .object(let object): path = object.key[...].utf8
        case .http(let url):
            path = url.utf8.prefix { !"?#".utf8.contains($0) }
            // The authority ends at the third slash.
            for _ in 0..<2 { path = path.drop { $0 != UInt8(ascii: "/") }.dropFirst() }
            path = path.drop { $0 != UInt8(ascii: "/") }
        }
        let last = Array(path.split(separator: .slash).last ?? path.prefix(0))
        return last.percentDecoded?.exactText ?? last.text
    }

    /// The start of a name, of at most `limit` bytes before some are escaped.
    private static func escaped(_ name: String, limit: Int) -> String {
        var (text, left) = ("", limit)
        for scalar in name.unicodeScalars {
            left -= UTF8.width(scalar)
            if left < 0 { break }
            switch scalar {
            case "\"": text += "%22"
            case "\\", "/": text += "_"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f: continue
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
