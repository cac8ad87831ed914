import AlcedoLocks
import Synchronization

/// Counts loads, and reads what their cache and downloader have counted.
///
/// Counts only loads that are started while it is among their observers:
///
///     let counter = ImageLoadCounter()
///     KingfisherManager.shared.observers.append(counter)
public final class ImageLoadCounter: ImageLoadObserver {
    private let cache: ImageCache
    private let downloader: ImageDownloader
    private let started = Atomic(0)
    private let delivered = Atomic(0)
    private let failed = Atomic(0)
    private let cancelled = Atomic(0)
    private let memoryHits = Atomic(0)
    private let diskHits = Atomic(0)
    private let sharedHits = Atomic(0)
    private let misses = Atomic(0)
    private let coalesced = Atomic(0)
    private let retries = Atomic(0)

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
        var counts = ImageLoadCounts()
        counts.delivered = delivered.load(ordering: .acquiring)
        counts.failed = failed.load(ordering: .acquiring)
        counts.cancelled = cancelled.load(ordering: .acquiring)
        counts.memoryHits = memoryHits.load(ordering: .acquiring)
        counts.diskHits = diskHits.load(ordering: .acquiring)
        counts.sharedHits = sharedHits.load(ordering: .acquiring)
        counts.misses = misses.load(ordering: .acquiring)
        counts.coalesced = coalesced.load(ordering: .acquiring)
        counts.retries = retries.load(ordering: .acquiring)
        // Last, so that no load has ended or was answered that has not started.
        counts.started = started.load(ordering: .acquiring)
        cache.count(into: &counts)
        downloader.count(into: &counts)
        counts.queuedJobs = WorkerPool.shared.queuedCount
        return counts
    }

    /// Counts the event.
    public func imageLoad(didReach event: ImageLoadEvent) {
        switch event.stage {
        case .queued: started.increment()
        case .cacheLookedUp(.memory, _): memoryHits.increment()
        case .cacheLookedUp(.disk, _): diskHits.increment()
        case .cacheLookedUp(.shared, _): sharedHits.increment()
        case .cacheLookedUp(.none, _): misses.increment()
        case .coalesced: coalesced.increment()
        case .retrying: retries.increment()
        case .delivered: delivered.increment()
        case .failed: failed.increment()
        case .cancelled: cancelled.increment()
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

extension Atomic<Int> {
    fileprivate borrowing func increment() { add(1, ordering: .releasing) }
}
