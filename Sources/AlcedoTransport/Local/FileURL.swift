package import Foundation

/// The path in a `file` URL.
enum FileURL {
    /// The path that `url`, which must start with `file:` in any case, stands for.
    static func path(of url: String) throws(TransportError) -> String {
        let end = [UInt8(ascii: "#"), UInt8(ascii: "?")]
        var rest = url.utf8.dropFirst("file:".utf8.count).prefix { !end.contains($0) }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || String(decoding: host, as: UTF8.self).lowercased() == "localhost" else {
                throw .invalidURL(url, reason: "it names a file on another host")
            }
            rest = rest.dropFirst(host.count)
        }
        guard rest.first == UInt8(ascii: "/") else {
            throw .invalidURL(url, reason: "its path is not absolute")
        }
        let bytes = rest.percentDecoded
        guard !bytes.contains(0) else { throw .invalidURL(url, reason: "its path contains a zero byte") }
        return String(systemBytes: bytes)
    }
}

extension URL {
    /// The path of a file, as ``FileURL`` reads it if it is not UTF-8, of which Foundation makes an empty one, or has a character
    /// that stands for a byte.
    package var filePath: String {
        let path = path
        guard path.isEmpty || path.hasForeignBytes else { return path }
        return (try? FileURL.path(of: absoluteString)) ?? path
    }
}
