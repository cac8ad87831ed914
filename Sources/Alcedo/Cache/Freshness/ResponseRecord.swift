import AlcedoTransport
import CXXHash
import Foundation

/// What a cache keeps of the response that a key's images were created from: one record for all variants.
///
/// It lies in the disk cache as a variant with an identifier of its own, so that removals, clears and trims include it.
struct ResponseRecord: Sendable, Codable {
    /// The head; its body is empty.
    private(set) var response: StoredResponse

    /// Identifies the body: records with the same one stand for the same image.
    let body: BodyIdentity

    /// The hash of the URL that redirects led to; nil without redirects.
    let redirectTarget: UInt64?

    /// The bytes of an image, by their hash and number.
    struct BodyIdentity: Sendable, Codable, Equatable {
        let hash: UInt64
        let count: Int

        init(_ data: Data) {
            hash = data.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
            count = data.count
        }
    }

    /// The identifier of the variant.
    static let identifier = "alcedo.response"

    /// The most bytes of a record on disk; longer ones are damaged.
    private static let byteLimit = 64 << 10

    /// The record of a response whose head may be stored.
    init(_ head: StoredResponse, body: BodyIdentity, redirectTarget: UInt64?) {
        (response, self.body, self.redirectTarget) = (head, body, redirectTarget)
    }

    /// The record updated by a 304.
    enum Update {
        case confirmed(ResponseRecord)

        /// The response must no longer be stored.
        case forbidden(ResponseRecord)

        /// The 304 is for another response.
        case mismatched
    }

    func updated(by response: TransportResponse, requested: Date, received: Date) -> Update {
        guard let head = self.response.revalidated(by: response, requested: requested, received: received)
        else { return .mismatched }
        var copy = self
        copy.response = head
        guard let bounded = head.boundedHead(bodyBytes: body.count) else { return .forbidden(copy) }
        copy.response = bounded
        return .confirmed(copy)
    }

    static func hash(_ url: String) -> UInt64 {
        var text = String(url.prefix { $0 != "#" })
        return text.withUTF8 { XXH3_64bits($0.baseAddress, $0.count) }
    }
}

// MARK: - Rules

extension ResponseRecord {
    /// Whether its images may be used for `request` without asking the server.
    ///
    /// Not after redirects: those may lead elsewhere by now.
    func isFresh(for request: TransportRequest, at now: Date) -> Bool {
        redirectTarget == nil && Freshness.isFresh(response, for: request, at: now)
    }

    /// Whether stale images may be used for `request` while the server is asked.
    func mayBeUsedWhileRevalidating(for request: TransportRequest, at now: Date) -> Bool {
        redirectTarget == nil
            && Freshness.mayBeUsedWhileRevalidating(response, for: request, at: now)
    }

    /// Whether stale images may be used because the server fails.
    func mayBeUsedOnError(at now: Date) -> Bool { Freshness.mayBeUsedOnError(response, at: now) }

    /// Two loads with equal ones send the same conditions.
    var validators: String? {
        let conditions = response.conditions
        guard !conditions.isEmpty else { return nil }
        let target = redirectTarget.map { "\($0)" } ?? ""
        return ([target] + conditions.map(\.value)).joined(separator: "\n")
    }
}

// MARK: - Disk

extension ResponseRecord {
    /// Its bytes on disk.
    var data: Data? { try? JSONEncoder().encode(self) }

    /// The record with these bytes; nil if they are damaged.
    init?(data: Data) {
        guard data.count <= Self.byteLimit,
            let record = try? JSONDecoder().decode(Self.self, from: data)
        else { return nil }
        self = record
    }
}
