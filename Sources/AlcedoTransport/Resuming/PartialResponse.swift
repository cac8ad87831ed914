import CSSL
package import Foundation

/// A response that broke off: its head, and the first bytes of its body.
package struct PartialResponse: Sendable, Codable {
    /// The fewest bytes of a body that are kept.
    package static let minimumBytes = 64 << 10

    /// The SHA-256 of the URL of the response, which is the last one after redirects: a URL may have a credential.
    package var urlDigest: Data

    package var headers: [StoredResponse.Field]

    /// Bytes of the whole body.
    package var total: Int64

    /// The first bytes; stored separately from the rest, which is text.
    package var body = Data()

    private enum CodingKeys: CodingKey { case urlDigest, headers, total }

    /// The head of a response; nil if its body could not be resumed, or must not be stored.
    package init?(_ response: TransportResponse) {
        let control = CacheControl(response)
        guard response.status == 200, let total = response.expectedBytes, total > Self.minimumBytes,
            response.hasIdentityCoding, !control.noStore, !response.values(forHeader: "vary").contains("*"),
            !response.values(forHeader: "accept-ranges").contains(where: { $0.lowercased() == "none" })
        else { return nil }
        urlDigest = Self.digest(of: response.url.absoluteString)
        headers = StoredResponse.kept(response.headers)
        self.total = total
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard bytes <= 16 << 10, validator != nil else { return nil }
    }

    /// The value of `If-Range`; nil without a strong validator.
    ///
    /// A date is strong only if it was a minute old when the response was made, and counts only if there is no entity tag
    /// (RFC 9110, 8.8.2.2 and 13.1.5).
    package var validator: String? {
        let tags = values("etag")
        if let tag = tags.first {
            let isStrong = tag.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            return tags.count == 1 && isStrong ? tag : nil
        }
        guard let text = values("last-modified").first, let modified = HTTPDate.read(text),
            let date = HTTPDate.read(values("date").first), modified.timeIntervalSince1970 > 0,
            date.timeIntervalSince(modified) >= 60
        else { return nil }
        return text
    }

    func isOf(_ url: URL) -> Bool { Self.digest(of: url.absoluteString) == urlDigest }

    private static func digest(of url: String) -> Data {
        var digest = [UInt8](repeating: 0, count: 32)
        var url = url
        url.withUTF8 { _ = EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil) }
        return Data(digest)
    }

    var count: Int64 { Int64(body.count) }

    /// The response without the body.
    package var head: PartialResponse {
        var head = self
        head.body = Data()
        return head
    }

    private func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

// MARK: - The rest of it

extension PartialResponse {
    /// The header fields that request the rest.
    var rangeFields: [(name: String, value: String)] {
        validator.map { [("Range", "bytes=\(body.count)-"), ("If-Range", $0)] } ?? []
    }

    /// Whether a 206 has the rest of this body: from its end to the last byte, unencoded, and of the same entity tag
    /// (RFC 9110, 15.3.7).
    func isContinued(by response: TransportResponse) -> Bool {
        let ranges = response.values(forHeader: "content-range")
        guard response.status == 206, isOf(response.url), ranges.count == 1,
            // The total is read from a file, which may have any number.
            ranges[0] == "bytes \(body.count)-\(total &- 1)/\(total)",
            response.hasIdentityCoding, response.values(forHeader: "etag") == values("etag")
        else { return false }
        let modified = response.values(forHeader: "last-modified")
        let type = response.value(forHeader: "content-type")?.lowercased() ?? ""
        return !type.hasPrefix("multipart/")
            && (modified.isEmpty || modified == values("last-modified"))
            && response.expectedBytes.map { $0 == total &- Int64(body.count) } ?? true
    }

    /// The head of the whole response, which a 206 has updated (RFC 9111, 3.4).
    func whole(updatedBy response: TransportResponse) -> TransportResponse {
        let fixed: Set = ["content-encoding", "content-length", "content-range"]
        let news = response.headers.filter { !fixed.contains($0.name.lowercased()) }
        // The old Age no longer applies.
        let changed = Set(news.map { $0.name.lowercased() }).union(["age"])
        let left = headers.filter { !changed.contains($0.name.lowercased()) }
        return TransportResponse(
            url: response.url, status: 200, httpVersion: response.httpVersion,
            headers: left.map { ($0.name, $0.value) } + news, expectedBytes: total)
    }
}

extension TransportResponse {
    /// Whether the body is not compressed.
    fileprivate var hasIdentityCoding: Bool {
        values(forHeader: "content-encoding").allSatisfy { $0.lowercased() == "identity" }
    }
}
