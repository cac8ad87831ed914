package import Alcedo
import AlcedoLocks
import AlcedoTransport
import Foundation

/// What responders share and keep when rules change: caches, connections and work in progress.
package final class ServerEngine: Sendable {
    /// The encoded results.
    let results: ResultStore

    /// Loads `http` and `https` sources.
    let transport: any Transport

    let downloads = Flights<SourceOutcome>()
    let work = Flights<SharedOutcome>()
    let fixedImages = FixedImages()

    /// Bounds the images that are processed at a time; each has its source by then.
    let workers: Admission

    /// Which sources respond, and the threads that read files.
    package let sources: SourceWatch

    let files: FileAccess

    /// Apart from those that read files, which a file system that hangs takes for itself.
    private let threads: BoundedQueue

    /// An engine with a disk cache and a shared one, if they are given, `memoryBytes` for results in memory, and so many images
    /// that are processed at a time.
    package convenience init(
        cache: ImageCache? = nil, shared: SharedImageCache? = nil, memoryBytes: Int = 64 << 20,
        workers: Int = 2 * ProcessorCount.usable,
        transport: any Transport = CurlTransport()
    ) {
        self.init(
            cache: cache, shared: shared, memoryBytes: memoryBytes, workers: workers, transport: transport,
            files: FileAccess())
    }

    init(
        cache: ImageCache? = nil, shared: SharedImageCache? = nil, memoryBytes: Int = 64 << 20,
        workers: Int = 4, transport: any Transport = CurlTransport(), retrying pause: Duration = .seconds(1),
        files: FileAccess
    ) {
        (self.transport, self.files) = (transport, files)
        self.workers = Admission(places: workers, queueSize: 0)
        threads = BoundedQueue(label: "alcedo.server.work", width: workers)
        // Files may take most places for loading, and leave threads for trials. Dispatch has 255 threads for all
        // queues of the process.
        let sources = SourceWatch(width: min(max(64, 2 * workers), 128), pause: pause)
        self.sources = sources
        results = ResultStore(cache: cache, shared: shared, memoryBytes: memoryBytes) {
            sources.abandoned(SourceWatch.cacheName)
        }
    }

    /// Waits until the disk and the shared cache have what was stored; that the latter fails is no error.
    package func flush(within seconds: Double = 10) async throws {
        async let isShared: Void? = try? results.shared?.flush(within: seconds)
        try await results.cache?.flush(within: seconds)
        await isShared
    }

    /// Downloads `request`, and notes how its source does.
    func download(
        _ request: TransportRequest, from url: String
    ) async -> Result<RemoteSource.Response, TransportError> {
        let result = await RemoteSource.load(request, with: transport)
        switch result {
        case .success: sources.remoteResponded()
        case .failure(.timedOut): sources.abandoned(ImageSource.http(url).origin)
        case .failure: break
        }
        return result
    }

    /// Runs `body` on a thread that it may occupy, unlike those of Swift's cooperative pool.
    func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            threads.async { continuation.resume(returning: body()) }
        }
    }
}
