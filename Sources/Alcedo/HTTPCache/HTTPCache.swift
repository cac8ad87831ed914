public import Foundation
public import FoundationNetworking

/// An HTTP cache (RFC 9111) for the `urlCache` of a session configuration.
///
/// It stores responses that became an image: status 200 or 203 with a complete image, or any that a processor made an image
/// of. A stalled or full disk delays no download.
///
/// Foundation's own cache does not implement freshness on Linux. A downloader whose configuration has this cache uses it for
/// requests whose cache policy allows that; requests of ``ImageDownloader`` have `.reloadIgnoringLocalCacheData` unless a
/// request modifier changes it. Foundation sees only the capacities. Downloaders may share a cache, and processes a folder.
///
/// Safe because it is immutable.
public final class HTTPCache: URLCache, @unchecked Sendable {
    let responses: ResponseCache
    private let bytesInMemory: Int
    private let bytesOnDisk: Int

    /// Opens a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: the limit in memory in bytes, including headers; 0 for no memory cache.
    ///   - diskCapacity: the limit on disk in bytes; 0 for no disk cache. There is none either if the folder can't be made.
    ///   - directory: the folder; nil for `org.alcedo.http` in the user's caches folder.
    ///   - transform: changes all bytes that go to the disk, for example encrypts them with ``AESGCMTransform``.
    public init(
        memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil, transform: (any DiskTransform)? = nil
    ) {
        (bytesInMemory, bytesOnDisk) = (memoryCapacity, diskCapacity)
        let folder = directory ?? Self.standardFolder
        responses = ResponseCache(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, folder: folder, transform: transform)
        // Without a path Foundation makes a folder of its own.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: diskCapacity > 0 ? folder.path : "/")
    }

    /// With another time after which a disk lookup is a miss.
    init(
        memoryCapacity: Int, diskCapacity: Int, directory folder: URL, transform: (any DiskTransform)? = nil,
        timeout: DispatchTimeInterval
    ) {
        (bytesInMemory, bytesOnDisk) = (memoryCapacity, diskCapacity)
        responses = ResponseCache(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, folder: folder,
            transform: transform, timeout: timeout)
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: diskCapacity > 0 ? folder.path : "/")
    }

    private static var standardFolder: URL {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return (caches ?? FileManager.default.temporaryDirectory).appending(path: "org.alcedo.http")
    }

    /// The limit in memory in bytes; setting it has no effect.
    public override var memoryCapacity: Int {
        get { bytesInMemory }
        set {}
    }

    /// The limit on disk in bytes; setting it has no effect.
    public override var diskCapacity: Int {
        get { bytesOnDisk }
        set {}
    }

    /// Nil: only downloaders look up responses.
    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? { nil }

    /// Has no effect: downloaders store responses.
    public override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {}

    /// Removes all responses.
    public override func removeAllCachedResponses() { responses.removeAll() }

    /// Waits until all responses that were stored or removed before are on disk.
    ///
    /// - Parameters:
    ///   - seconds: the longest time to wait.
    ///   - callbackQueue: the handler's queue; with `.untouch`, the default, any thread. The handler may block it.
    ///   - completionHandler: called once, with what is missing if something is.
    public func flush(
        within seconds: TimeInterval = 10, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        responses.flush(within: seconds) { result in
            callbackQueue.executeElsewhere { completionHandler(result) }
        }
    }

    /// Waits until all responses that were stored or removed before are on disk.
    ///
    /// - Parameter seconds: the longest time to wait.
    /// - Throws: ``CacheFlushError`` with what is missing.
    public func flush(within seconds: TimeInterval = 10) async throws(CacheFlushError) {
        let result = OneShot<Void, CacheFlushError>()
        responses.flush(within: seconds) { result.finish($0) }
        try await result.value()
    }
}
