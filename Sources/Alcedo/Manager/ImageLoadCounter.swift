import AlcedoLocks

/// What loads have done so far, and what is queued or running at this moment.
public struct ImageLoadCounts: Sendable, Equatable, Codable {
    public var started = 0
    public var delivered = 0
    public var failed = 0
    public var cancelled = 0

    /// Lookups that found the image or its original in memory.
    public var memoryHits = 0

    /// Lookups that found the image or its original on disk.
    public var diskHits = 0

    /// Lookups that found the image or its original in the shared cache.
    public var sharedHits = 0

    /// Lookups that found nothing.
    public var misses = 0

    /// Loads that have shared the download of another load.
    public var coalesced = 0

    /// Attempts that failed and were followed by another one.
    public var retries = 0

    /// Bytes received by downloads that have ended, for whatever reason.
    public var receivedBytes = 0

    public var memoryEvictions = 0
    public var diskEvictions = 0
    public var diskEvictedBytes = 0

    /// Downloads that run now, including those that wait for a connection.
    public var runningDownloads = 0

    /// Downloads that are queued now.
    public var queuedDownloads = 0

    /// Bytes received by the running downloads so far.
    public var bytesInFlight = 0

    /// Images that wait for a thread that decodes or processes them now, of all downloaders and caches.
    public var queuedJobs = 0

    /// Changes that the disk cache has not written yet.
    public var queuedWrites = 0

    public var queuedWriteBytes = 0

    public init() {}

    public var inFlight: Int { started - delivered - failed - cancelled }
}

/// Counts loads, and reads what their cache and downloader have counted.
///
/// Counts only loads that are started while it is among their observers:
///
///     let counter = ImageLoadCounter()
///     KingfisherManager.shared.observers.append(counter)
public final class ImageLoadCounter: ImageLoadObserver {
    private let cache: ImageCache
    private let downloader: ImageDownloader
    private let counted = Lock(ImageLoadCounts())

    /// Creates a counter that starts at zero, for loads through this cache and downloader.
    public init(cache: ImageCache = .default, downloader: ImageDownloader = .default) {
        self.cache = cache
        self.downloader = downloader
    }

    /// The counts at this moment; may be read on any thread.
    ///
    /// Received bytes and evictions are those since the downloader and the cache were created. Reading takes time in
    /// proportion to the number of running and queued downloads.
    public var counts: ImageLoadCounts {
        var counts = counted.withLock { $0 }
        cache.count(into: &counts)
        downloader.count(into: &counts)
        counts.queuedJobs = WorkerPool.shared.queuedCount
        return counts
    }

    public func imageLoad(didReach event: ImageLoadEvent) {
        counted.withLock { counts in
            switch event.stage {
            case .queued: counts.started += 1
            case .cacheLookedUp(.memory, _): counts.memoryHits += 1
            case .cacheLookedUp(.disk, _): counts.diskHits += 1
            case .cacheLookedUp(.shared, _): counts.sharedHits += 1
            case .cacheLookedUp(.none, _): counts.misses += 1
            case .coalesced: counts.coalesced += 1
            case .retrying: counts.retries += 1
            case .delivered: counts.delivered += 1
            case .failed: counts.failed += 1
            case .cancelled: counts.cancelled += 1
            case .waiting, .transferring, .transferred, .decoding, .processing, .storing: break
            }
        }
    }
}

extension ImageCache {
    fileprivate func count(into counts: inout ImageLoadCounts) {
        let evicted = diskStorage.core.trims.withLock { $0.evicted }
        (counts.diskEvictions, counts.diskEvictedBytes) = evicted
        counts.memoryEvictions = memoryStorage.evictionCount
        (counts.queuedWrites, counts.queuedWriteBytes) = writes.queued
        counts.queuedWrites += staged.withLock { $0.encodingCount }
    }
}

extension ImageDownloader {
    fileprivate func count(into counts: inout ImageLoadCounts) {
        let (tasks, received) = transfers.withLock { transfers in
            (transfers.byKey.values.map { ($0, $0.queueState) }, transfers.receivedBytes)
        }
        counts.receivedBytes = received
        for (task, state) in tasks {
            switch state {
            case .queued: counts.queuedDownloads += 1
            case .running:
                counts.runningDownloads += 1
                counts.bytesInFlight += Int(task.received)
            case .ended: break
            }
        }
    }
}
