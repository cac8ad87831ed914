public import Foundation
public import FoundationNetworking

/// A cache of HTTP responses for a session configuration's `urlCache`, kept by the rules of RFC 9111.
///
/// Responses are kept that became an image: status 200 or 203 and a whole image, or anything that a processor made an image of.
/// A disk that hangs or is full holds up no download.
///
/// Foundation's own cache does not know on Linux when a response may be used. Of this one Foundation only sees the
/// capacities; a downloader whose configuration has it keeps responses here, and answers requests whose cache policy
/// allows that. Requests of ``ImageDownloader`` say `.reloadIgnoringLocalCacheData` unless a request modifier changes
/// that. May be shared by downloaders; several processes may share a folder.
///
/// Safe because it does not change once it is made.
public final class HTTPCache: URLCache, @unchecked Sendable {
    let responses: ResponseCache
    private let bytesInMemory: Int
    private let bytesOnDisk: Int

    /// Opens or makes a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: most bytes in memory, headers included; nothing is kept there with 0.
    ///   - diskCapacity: most bytes on disk; nothing is kept there with 0, or if the folder can't be made.
    ///   - directory: the folder; nil for `org.alcedo.http` among the user's caches.
    public init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        let folder =
            directory ?? (caches ?? FileManager.default.temporaryDirectory).appending(path: "org.alcedo.http")
        bytesInMemory = memoryCapacity
        bytesOnDisk = diskCapacity
        responses = ResponseCache(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, folder: folder)
        // Without a path Foundation would make a folder of its own.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: diskCapacity > 0 ? folder.path : "/")
    }

    /// Most bytes in memory; setting it changes nothing.
    public override var memoryCapacity: Int {
        get { bytesInMemory }
        set {}
    }

    /// Most bytes on disk; setting it changes nothing.
    public override var diskCapacity: Int {
        get { bytesOnDisk }
        set {}
    }

    /// Nil: responses are found by a downloader alone.
    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? { nil }

    /// Does nothing: a downloader stores its responses by itself.
    public override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {}

    /// Removes all responses.
    public override func removeAllCachedResponses() { responses.removeAll() }
}
