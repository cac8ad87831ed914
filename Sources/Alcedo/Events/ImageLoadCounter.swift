import AlcedoLocks

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

    /// Makes a counter of zero, for loads through this cache and downloader.
    public init(cache: ImageCache = .default, downloader: ImageDownloader = .default) {
        self.cache = cache
        self.downloader = downloader
    }

    /// The counts at this moment; may be read on any thread.
    ///
    /// Received bytes and evictions are those since the downloader and the cache were made. Reading takes time in proportion
    /// to the number of running and queued downloads.
    public var counts: ImageLoadCounts {
        var counts = counted.withLock { $0 }
        cache.count(into: &counts)
        downloader.count(into: &counts)
        counts.queuedJobs = WorkerPool.shared.queuedCount
        return counts
    }

    /// Counts the event.
    public func imageLoad(didReach event: ImageLoadEvent) {
        switch event.stage {
        case .queued: counted.withLock { $0.started += 1 }
        case .cacheLookedUp(.memory, _): counted.withLock { $0.memoryHits += 1 }
        case .cacheLookedUp(.disk, _): counted.withLock { $0.diskHits += 1 }
        case .cacheLookedUp(.none, _): counted.withLock { $0.misses += 1 }
        case .coalesced: counted.withLock { $0.coalesced += 1 }
        case .retrying: counted.withLock { $0.retries += 1 }
        case .delivered: counted.withLock { $0.delivered += 1 }
        case .failed: counted.withLock { $0.failed += 1 }
        case .cancelled: counted.withLock { $0.cancelled += 1 }
        case .waiting, .transferring, .transferred, .decoding, .processing, .storing: break
        }
    }
}

extension ImageCache {
    fileprivate func count(into counts: inout ImageLoadCounts) {
        let evicted = diskStorage.trims.withLock { $0.evicted }
        (counts.diskEvictions, counts.diskEvictedBytes) = evicted
        counts.memoryEvictions = memoryStorage.evictionCount
        (counts.queuedWrites, counts.queuedWriteBytes) = writes.queued
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
