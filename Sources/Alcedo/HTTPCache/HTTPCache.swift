import AlcedoLocks
import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// An HTTP cache (RFC 9111) for the `urlCache` of a session configuration.
///
/// It stores responses that became an image: status 200 or 203 with a complete image, or any that a processor made an image
/// of. A stalled or full disk delays no download.
///
/// Foundation's own cache does not implement freshness on Linux. A downloader whose configuration has this cache uses it for
/// requests whose cache policy allows that; requests of ``ImageDownloader`` have `.reloadIgnoringLocalCacheData` unless a
/// request modifier changes it. Downloaders may share a cache, and processes a folder. The methods that it has from `URLCache`
/// look up, store and remove responses of downloaders without an address policy.
///
/// Safe because its responses and limits are behind locks.
public final class HTTPCache: URLCache, @unchecked Sendable {
    let responses: ResponseCache
    private let bytesOnDisk: Lock<Int>

    /// Opens a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: the limit in memory in bytes, including headers; 0 for no memory cache.
    ///   - diskCapacity: the limit on disk in bytes; 0 for no disk cache. There is none either if the folder can't be created.
    ///   - directory: the folder; nil for `org.alcedo.http` in the user's caches folder.
    ///   - transform: changes all bytes that go to the disk, for example encrypts them with ``AESGCMTransform``.
    public init(
        memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil, transform: (any DiskTransform)? = nil
    ) {
        bytesOnDisk = Lock(diskCapacity)
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
        bytesOnDisk = Lock(diskCapacity)
        responses = ResponseCache(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, folder: folder,
            transform: transform, timeout: timeout)
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: diskCapacity > 0 ? folder.path : "/")
    }

    private static var standardFolder: URL {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return (caches ?? FileManager.default.temporaryDirectory).appending(path: "org.alcedo.http")
    }

    /// The limit in memory in bytes; a lower one takes effect at once.
    public override var memoryCapacity: Int {
        get { responses.memoryCapacity }
        set { responses.memoryCapacity = newValue }
    }

    /// The limit on disk in bytes; a lower one takes effect once the disk responds, 0 removes all.
    ///
    /// A cache that was opened with 0 has no disk and stays without one, which a ``Diagnostic`` says.
    public override var diskCapacity: Int {
        get { bytesOnDisk.withLock { $0 } }
        set {
            guard responses.setDiskCapacity(newValue) else {
                if newValue > 0 {
                    let reason = "the cache was opened without a disk."
                    IgnoredSettings.report([.ignoredSetting(name: "HTTPCache.diskCapacity", reason: reason)])
                }
                return
            }
            bytesOnDisk.withLock { $0 = newValue }
        }
    }

    /// The bytes in memory, including headers.
    public override var currentMemoryUsage: Int { responses.bytesInMemory }

    /// The bytes on disk; lists the folder.
    public override var currentDiskUsage: Int { responses.bytesOnDisk }

    /// The response to a request, fresh or not; waits for the disk, up to 2 s.
    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let url = request.url else { return nil }
        let request = TransportRequest(request, to: url)
        let found = Lock<StoredResponse?>(nil)
        let isFound = DispatchSemaphore(value: 0)
        responses.find(CachingTransport.key(of: request)) { stored in
            found.withLock { $0 = stored }
            isFound.signal()
        }
        // Ends after 2 s at most: the lookup is a miss then, even if the disk hangs.
        isFound.wait()
        guard let stored = found.withLock({ $0 }), stored.matches(request),
            let response = stored.response(from: request.url, at: Date()).httpResponse
        else { return nil }
        return CachedURLResponse(response: response, data: stored.body)
    }

    /// Stores a response to a GET if RFC 9111 allows that, and its policy is `.allowed`.
    public override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        guard cachedResponse.storagePolicy == .allowed, let url = request.url,
            let response = cachedResponse.response as? HTTPURLResponse
        else { return }
        let (now, request) = (Date(), TransportRequest(request, to: url))
        let head = TransportResponse(
            url: url, status: response.statusCode,
            headers: response.allHeaderFields.map { ("\($0.key)", "\($0.value)") })
        let result = TransferResult(response: head, body: cachedResponse.data)
        guard request.mayBeCached,
            let stored = StoredResponse(result, to: request, requested: now, received: now)
        else { return }
        responses.store(
            stored, forKey: CachingTransport.key(of: request), generation: responses.generation)
    }

    /// Removes the responses to a request's URL, those of downloaders with an address policy too.
    public override func removeCachedResponse(for request: URLRequest) {
        guard let url = request.url else { return }
        responses.invalidate(CachingTransport.keys(of: url.absoluteString))
    }

    /// Removes the responses that were stored after `date`, and those on disk that were read since.
    public override func removeCachedResponses(since date: Date) { responses.removeAll(since: date) }

    public override func removeAllCachedResponses() { responses.removeAll() }

    /// Waits until all responses that were stored or removed before are on disk.
    ///
    /// - Parameters:
    ///   - time: the longest time to wait.
    ///   - callbackQueue: the handler's queue; with `.untouch`, the default, any thread. The handler may block it.
    ///   - completionHandler: called once, with what is missing if something is.
    public func flush(
        within time: Duration = .seconds(10), callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        responses.flush(within: time.seconds) { result in
            callbackQueue.executeElsewhere { completionHandler(result) }
        }
    }

    /// Waits until all responses that were stored or removed before are on disk.
    ///
    /// - Parameter time: the longest time to wait.
    /// - Throws: ``CacheFlushError`` with what is missing.
    public func flush(within time: Duration = .seconds(10)) async throws(CacheFlushError) {
        let result = OneShot<Void, CacheFlushError>()
        responses.flush(within: time.seconds) { result.finish($0) }
        try await result.value()
    }
}

extension TransportRequest {
    fileprivate init(_ request: URLRequest, to url: URL) {
        self.init(url: url) { $0.apply(request) }
    }
}
