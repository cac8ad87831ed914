package import AlcedoTransport
package import Foundation

/// Where a ``ResponseCache`` keeps responses for good; each method blocks for as long as the disk takes.
protocol ResponseDisk: Sendable {
    /// The response under `key`; nil if there is none that can be read.
    func read(_ key: String) -> StoredResponse?

    /// Keeps `response` if there is room; if not, or if it can't be written, nothing is left under `key`.
    func write(_ response: StoredResponse, forKey key: String)

    /// Removes what is under `key`.
    func remove(_ key: String)

    /// Removes everything.
    func removeAll()
}

/// A folder with a file for each response.
struct ResponseFolder: ResponseDisk {
    private let storage: DiskStorage.Backend<StoredResponse>

    /// Opens or makes the folder; nil if there can be none.
    init?(_ folder: URL, capacity: Int) {
        guard capacity > 0 else { return nil }
        var config = DiskStorage.Config(name: "responses", sizeLimit: UInt(capacity))
        config.expiration = .never
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
    /// The length of the head as four bytes, the highest first; the head; the body.
    package func toData() throws -> Data {
        let head = try JSONEncoder().encode(self)
        var data = withUnsafeBytes(of: UInt32(head.count).bigEndian) { Data($0) }
        data.append(head)
        data.append(body)
        return data
    }

    /// What ``toData()`` has written; throws if it is anything else.
    package static func fromData(_ data: Data) throws -> StoredResponse {
        guard data.count >= 4 else { throw CocoaError(.coderReadCorrupt) }
        let length = data.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= data.count - 4 else { throw CocoaError(.coderReadCorrupt) }
        var response = try JSONDecoder().decode(StoredResponse.self, from: data.dropFirst(4).prefix(length))
        response.body = Data(data.dropFirst(4 + length))
        return response
    }

    /// Nothing that would ever be used.
    package static var empty: StoredResponse { .nothing }
}
