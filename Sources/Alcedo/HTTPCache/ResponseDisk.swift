package import AlcedoTransport
package import Foundation

/// The disk of a ``ResponseCache``; all methods block.
protocol ResponseDisk: Sendable {
    /// The response under `key`; nil if there is none or it can't be read.
    func read(_ key: String) -> StoredResponse?

    /// Stores a response; if that fails, removes the present one.
    func write(_ response: StoredResponse, forKey key: String)

    /// Removes the response under `key`.
    func remove(_ key: String)

    /// Removes all responses.
    func removeAll()
}

/// A folder with one file per response.
struct ResponseFolder: ResponseDisk {
    private let storage: DiskStorage.Backend<StoredResponse>

    /// Opens or makes the folder; nil if that fails.
    init?(_ folder: URL, capacity: Int, transform: (any DiskTransform)? = nil) {
        guard capacity > 0 else { return nil }
        var config = DiskStorage.Config(name: "responses", sizeLimit: UInt(capacity))
        config.expiration = .never
        config.transform = transform
        config.cachePathBlock = { _, _ in folder }
        guard let storage = try? DiskStorage.Backend<StoredResponse>(config: config) else { return nil }
        self.storage = storage
    }

    func read(_ key: String) -> StoredResponse? { (try? storage.value(forKey: key)) ?? nil }

    func write(_ response: StoredResponse, forKey key: String) {
        do { try storage.store(value: response, forKey: key) } catch { remove(key) }
    }

    func remove(_ key: String) { try? storage.remove(forKey: key) }

    func removeAll() { try? storage.removeAll() }
}

extension StoredResponse: DataTransformable {
    /// The length of the JSON head as a big-endian `UInt32`, the head, and the body.
    package func toData() throws -> Data {
        let head = try JSONEncoder().encode(self)
        var data = withUnsafeBytes(of: UInt32(head.count).bigEndian) { Data($0) }
        data.append(head)
        data.append(body)
        return data
    }

    /// Decodes the bytes of ``toData()``; throws for other bytes.
    package static func fromData(_ data: Data) throws -> StoredResponse {
        guard data.count >= 4 else { throw CocoaError(.coderReadCorrupt) }
        let length = data.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= data.count - 4 else { throw CocoaError(.coderReadCorrupt) }
        var response = try JSONDecoder().decode(StoredResponse.self, from: data.dropFirst(4).prefix(length))
        response.body = Data(data.dropFirst(4 + length))
        return response
    }

    /// A response that no request uses.
    package static var empty: StoredResponse { .nothing }
}
