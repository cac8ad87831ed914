import AlcedoCaches
import AlcedoLocks
import AlcedoTransport
import Foundation

/// What a server keeps while its rules change: caches, connections and running work.
package final class ServerEngine: Sendable {
    let results: ResultStore

    /// The shared cache, for the metrics; nil without one.
    let shared: SharedTier?

    /// Loads sources that are no files.
    let origins: OriginClient

    let downloads = Flights<SourceOutcome>()
    let work = Flights<ImageOutcome>()
    let fixedImages = FixedImages()
    let purges = Purges()

    /// Nil without a disk cache.
    let purgeFile: PurgeFile?

    /// Bounds the work, which may wait for its source.
    let admission: Admission

    /// Bounds the images that are processed at a time; each has its source by then.
    let workers: Admission

    /// Which sources respond, and the threads that read files.
    let sources: SourceWatch

    let files: FileAccess

    /// Nil without tracing.
    let traces: TraceExporter?

    /// Nil unless metrics are sent to a collector.
    let metrics: MetricsExporter?

    /// The clock of kept results.
    let now: @Sendable () -> Date

    /// Apart from those that read files, which a file system that hangs takes for itself.
    private let threads: BoundedQueue

    /// Opens the caches that the settings name.
    package convenience init(_ settings: ServerSettings) throws {
        try self.init(settings, shared: SharedTier(settings.cache))
    }

    /// Opens the disk cache and the bucket that the settings name, in front of a shared cache if there is one.
    convenience init(_ settings: ServerSettings, shared: SharedTier?) throws {
        self.init(
            cache: settings.cache.disk > 0 ? try Self.cache(settings.cache) : nil, tier: shared,
            bucket: settings.cache.bucket,
            memoryBytes: settings.cache.memory << 20, workers: settings.workers,
            admission: Admission(
                workers: settings.workers, queueSize: settings.queueSize, quotas: Quotas(settings.quotas)),
            tracing: settings.traces)
    }

    /// Creates an engine from its parts.
    ///
    /// The shared cache is `shared` or that of `tier`, which has its metrics. Without `admission`, there is one for
    /// `workers` and `queueSize`. What does not respond is first tried again after `pause`.
    init(
        cache: EntryCache? = nil, shared: SharedImageCache? = nil, tier: SharedTier? = nil,
        bucket: ResultBucket.Place? = nil, memoryBytes: Int = 64 << 20, workers: Int = 4, queueSize: Int = 0,
        admission: Admission? = nil,
        transport: any Transport = CurlTransport(), tracing: TraceSettings = TraceSettings(),
        retrying pause: Duration = .seconds(1),
        files: FileAccess = FileAccess(), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.shared, self.files, self.now) = (tier, files, now)
        // Without a limit of the queue: what is queued here has a place of `admission` already.
        self.workers = Admission(places: workers, queueSize: 0)
        self.admission = admission ?? Admission(workers: workers, queueSize: queueSize)
        threads = BoundedQueue(label: "alcedo.server.work", width: workers)
        // Files may take most places for loading, and leave threads for trials. Dispatch has 255 threads for all
        // queues of the process.
        let sources = SourceWatch(width: min(max(64, 2 * workers), 128), pause: pause)
        self.sources = sources
        origins = OriginClient(transport: transport, sources: sources)
        traces = TraceExporter(tracing, transport: transport) { sources.warn($0) }
        metrics = MetricsExporter(tracing, transport: transport) { sources.warn($0) }
        purgeFile = cache.map { PurgeFile(folder: $0.disk.directoryURL.path) }
        results = ResultStore(
            cache: cache, shared: shared ?? tier?.cache,
            bucket: bucket.map { [origins] in ResultBucket($0, origins: origins, now: now) },
            memoryBytes: memoryBytes, warn: { sources.warn($0) }
        ) { sources.abandoned(SourceWatch.cacheName) }
    }

    /// Waits until disk, shared cache and bucket have what was stored; only a failure of the disk is an error.
    package func flush(within seconds: Double = 5) async throws {
        async let isShared: Void? = try? results.shared?.flush(within: .seconds(seconds))
        async let isInBucket: Void? = results.bucket?.flush(within: .seconds(seconds))
        try await results.cache?.flush(within: seconds)
        _ = await (isShared, isInBucket)
    }

    /// Runs `body` for one of the ``workers`` on a thread that it may block, unlike those of Swift's cooperative pool.
    func blocking<Result: Sendable>(
        _ worker: borrowing Admission.Permit, _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        let result = OneShot<Result, Never>()
        let trace = Trace.current
        threads.async {
            result.finish(.success(Trace.$current.withValue(trace) { body() }))
        }
        return await result.value()
    }

    private static func cache(_ settings: ServerCacheSettings) throws(CacheFolderError) -> EntryCache {
        var config = DiskStorage.Config(name: "alcedo-serve", sizeLimit: UInt(settings.disk) << 20)
        if let folder = settings.folder { config.cachePathBlock = { _, _ in URL(fileURLWithPath: folder) } }
        let disk = DiskStorage.Core(config: config)
        guard let error = disk.folderError else { return EntryCache(disk) }
        throw CacheFolderError(path: disk.directoryURL.path, cause: error)
    }
}

/// Why the server does not start without its disk cache.
struct CacheFolderError: Error, CustomStringConvertible {
    let path: String
    let cause: POSIXError

    var description: String {
        "Could not make the cache folder \(path): \(cause.reason); ALCEDO_CACHE_FOLDER names another one"
    }
}
