import AlcedoLocks
import Foundation
import FoundationNetworking
import Synchronization

/// Loads images into the caches before they are needed.
///
/// Its priority is 0.25 unless the options set one; a coalesced load of higher priority raises it. Cached sources are
/// skipped, unless the options contain `forceRefresh`. The options set cache and downloader; the shared manager's default
/// options have no effect. A source is reported once the caches have it, the disk included. A prefetcher runs once and
/// stays alive until it ends, but not while it is paused and no load runs. Only running sources take memory beyond the
/// reported lists.
///
/// Safe because all mutable state is behind locks.
public class ImagePrefetcher: CustomStringConvertible, @unchecked Sendable {
    let count: Int
    let source: @Sendable (Int) -> Source
    let report: any PrefetchReporting
    let plan: PrefetchPlan
    let queue = DispatchQueue(label: "alcedo.prefetcher")
    let work: Lock<PrefetchWork>
    let isStopped = Atomic(false)
    private let concurrency = Lock(5)

    init(
        count: Int,
        options: KingfisherParsedOptionsInfo,
        report: any PrefetchReporting,
        source: @escaping @Sendable (Int) -> Source
    ) {
        self.count = count
        self.report = report
        self.source = source
        let plan = PrefetchPlan(options)
        self.plan = plan
        work = Lock(PrefetchWork(count: count, priority: plan.options.downloadPriority))
    }

    /// The number of concurrent loads, 5 by default and at least 1; can be changed at any time.
    public var maxConcurrentDownloads: Int {
        get { concurrency.withLock { $0 } }
        set { concurrency.withLock { $0 = newValue } }
    }

    /// The priority of the loads, from 0 to 1; the options' `downloadPriority`, or 0.25.
    ///
    /// Can be changed at any time, for running loads too: raise it for what is about to be visible.
    public var priority: Float {
        get { work.withLock { $0.priority } }
        set {
            work.withLock { $0.priority = newValue }
            queue.async { [self] in
                let (tasks, priority) = work.withLock { (Array($0.running.values), $0.priority) }
                for task in tasks { task?.priority = priority }
            }
        }
    }

    /// Whether ``pause()`` was called, and not ``resume()`` since.
    public var isPaused: Bool { work.withLock { $0.isPaused } }

    /// How many sources were started, and how many there are.
    public var description: String {
        "ImagePrefetcher(started: \(work.withLock { $0.next }) of \(count))"
    }

    /// Starts in the background; a second call has no effect.
    ///
    /// A prefetcher that was stopped before reports all sources as failed.
    public func start() {
        queue.async { [self] in
            let isFirst = work.withLock { work in
                defer { work.isStarted = true }
                return !work.isStarted
            }
            if isFirst { startNext() }
        }
    }

    /// Starts no further loads until ``resume()``; running loads continue and are reported.
    ///
    /// Can be called before ``start()`` too. A paused prefetcher that the program releases never ends.
    public func pause() { work.withLock { $0.isPaused = true } }

    /// Starts loads again after ``pause()``.
    public func resume() {
        work.withLock { $0.isPaused = false }
        queue.async { [self] in startNext() }
    }

    /// Cancels the running loads; they and all remaining sources are reported as failed, also while it is paused.
    public func stop() {
        isStopped.store(true, ordering: .releasing)
        queue.async { [self] in
            for task in work.withLock({ Array($0.running.values) }) { task?.cancel() }
            startNext()
        }
    }
}
