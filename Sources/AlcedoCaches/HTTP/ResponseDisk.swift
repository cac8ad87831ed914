import AlcedoLocks
import AlcedoTransport
import Foundation

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

    /// Removes the responses that were stored or read after `date`.
    func removeAll(since date: Date)

    /// The bytes of all responses.
    var byteCount: Int { get }

    /// Sets the limit in bytes, and removes what exceeds it; 0 keeps nothing.
    func setCapacity(_ bytes: Int)
}

/// A folder with one file per response.
final class ResponseFolder: ResponseDisk {
    private let storage: DiskStorage.Core

    /// A limit of 0, which to the storage is none.
    private let isOff = Lock(false)

    /// Opens or creates the folder; nil if that fails.
    init?(_ folder: URL, capacity: Int, transform: (any DiskTransform)? = nil) {
        guard capacity > 0 else { return nil }
        var config = DiskStorage.Config(name: "responses", sizeLimit: UInt(capacity))
        config.expiration = .never
        config.transform = transform
        config.cachePathBlock = { _, _ in folder }
        storage = DiskStorage.Core(config: config)
        if storage.folderError != nil { return nil }
    }

    func read(_ key: String) -> StoredResponse? {
        let entry = try? storage.entry(
            forKey: key, forcedExtension: nil, extendingExpiration: .cacheTime)
        return entry.flatMap { try? StoredResponse.fromData($0.data) }
    }

    func write(_ response: StoredResponse, forKey key: String) {
        guard !isOff.withLock(\.self) else { return remove(key) }
        do { try storage.store(response.toData, forKey: key) } catch { remove(key) }
    }

    func remove(_ key: String) { try? storage.remove(forKey: key) }

    func removeAll() { _ = try? storage.clear() }

    func removeAll(since date: Date) {
        for entry in (try? storage.entries()) ?? [] {
            // Access times have whole seconds.
            guard
                entry.lastAccess.timeIntervalSinceReferenceDate
                    >= date.timeIntervalSinceReferenceDate.rounded(.down)
            else { break }
            try? storage.remove(named: entry.name)
        }
    }

    var byteCount: Int { Int(clamping: (try? storage.totalSize()) ?? 0) }

    func setCapacity(_ bytes: Int) {
        isOff.withLock { $0 = bytes <= 0 }
        guard bytes > 0 else { return removeAll() }
        storage.config.sizeLimit = UInt(bytes)
        _ = try? storage.removeSizeExceededValues()
    }
}

extension StoredResponse {
    /// The length of the JSON head as a big-endian `UInt32`, the head, and the body.
    func toData() throws -> Data {
        let head = try JSONEncoder().encode(self)
        var data = withUnsafeBytes(of: UInt32(head.count).bigEndian) { Data($0) }
        data.append(head)
        data.append(body)
        return data
    }

    /// Decodes the bytes of ``toData()``; throws for other bytes.
    static func fromData(_ data: Data) throws -> StoredResponse {
        guard data.count >= 4 else { throw CocoaError(.coderReadCorrupt) }
        let length = data.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= data.count - 4 else { throw CocoaError(.coderReadCorrupt) }
        var response = try JSONDecoder().decode(StoredResponse.self, from: data.dropFirst(4).prefix(length))
        response.body = Data(data.dropFirst(4 + length))
        return response
    }
}
