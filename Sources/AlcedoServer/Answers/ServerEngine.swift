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

    private let threads: BoundedQueue

    /// An engine with a disk cache and a shared one, if they are given, `memoryBytes` for results in memory, and so many images
    /// that are processed at a time.
    package init(
        cache: ImageCache? = nil, shared: SharedImageCache? = nil, memoryBytes: Int = 64 << 20,
        workers: Int = 2 * ProcessorCount.usable,
        transport: any Transport = CurlTransport()
    ) {
        self.transport = transport
        self.workers = Admission(places: workers, queueSize: 0)
        // Twice as many images are loaded at a time as are processed.
        threads = BoundedQueue(label: "alcedo.server.work", width: 3 * workers)
        results = ResultStore(cache: cache, shared: shared, memoryBytes: memoryBytes)
    }

    /// Waits until the disk and the shared cache have what was stored; that the latter fails is no error.
    package func flush(within seconds: Double = 10) async throws {
        async let isShared: Void? = try? results.shared?.flush(within: seconds)
        try await results.cache?.flush(within: seconds)
        await isShared
    }

    /// Runs `body` on a thread that it may block or occupy, unlike those of Swift's cooperative pool.
    func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            threads.async { continuation.resume(returning: body()) }
        }
    }
}
