package import AlcedoTransport
package import Foundation

/// HTTP responses in memory and on disk: the image caches' storages with other contents.
///
/// Several may share a folder, those of other processes too.
package final class ResponseCache: ResponseStore {
    private let memory: MemoryStorage.Backend<StoredResponse>
    private let disk: DiskStorage.Backend<StoredResponse>?

    /// Reads wait for the writes that were asked for before them.
    private let order = DispatchQueue(label: "alcedo.responses", attributes: .concurrent)

    /// Opens or makes a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: most bytes in memory; nothing is kept there with 0.
    ///   - diskCapacity: most bytes on disk; nothing is kept there with 0, or if there can be no folder.
    ///   - folder: where on disk.
    package init(memoryCapacity: Int, diskCapacity: Int, folder: URL) {
        var memory = MemoryStorage.Config(totalCostLimit: max(1, memoryCapacity), cleanInterval: 0)
        memory.expiration = .never
        self.memory = MemoryStorage.Backend(config: memory)
        var disk = DiskStorage.Config(name: "responses", sizeLimit: UInt(clamping: diskCapacity))
        disk.expiration = .never
        disk.cachePathBlock = { _, _ in folder }
        self.disk = diskCapacity > 0 ? try? DiskStorage.Backend(config: disk) : nil
    }

    package func find(_ key: String, _ found: @escaping @Sendable (StoredResponse?) -> Void) {
        if let response = memory.value(forKey: key) { return found(response) }
        guard let disk else { return found(nil) }
        // Many that waited here for a write would take all the threads that it could run on.
        order.async { [memory] in
            let response = (try? disk.value(forKey: key)) ?? nil
            // One that has come meanwhile is newer.
            if let response { memory.store(value: response, forKey: key, if: { $0 == nil }) }
            found(response)
        }
    }

    package func store(_ response: StoredResponse, forKey key: String) {
        memory.store(value: response, forKey: key)
        guard let disk else { return }
        order.async(flags: .barrier) { try? disk.store(value: response, forKey: key) }
    }

    package func remove(forKey key: String) {
        memory.remove(forKey: key)
        guard let disk else { return }
        order.async(flags: .barrier) { try? disk.remove(forKey: key) }
    }

    func removeAll() {
        memory.removeAll()
        guard let disk else { return }
        order.async(flags: .barrier) { try? disk.removeAll() }
    }

    /// Waits until what was asked for is on disk.
    package func waitForDisk() { order.sync(flags: .barrier) {} }
}

extension StoredResponse: CacheCostCalculable {
    /// Bytes of the body, and some for the rest.
    package var cacheCost: Int { body.count + 512 }
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
