import AlcedoLocks
import Dispatch
import Foundation
import Synchronization

/// One load, from the first cache lookup to the completion, across retries and alternative sources.
///
/// Stages: cache lookup (`ImageLoad+Cache`), source (`ImageLoad+Loading`), store (`ImageLoad+Store`); on failure a retry or
/// the next source (`ImageLoad+Failure`); then the completion (`ImageLoad+Finish`).
final class ImageLoad: Sendable {
    typealias Completion = @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

    struct State {
        var current: Source

        /// Whether ``current`` is a retry or an alternative.
        var isReplacement = false
        var alternatives: ArraySlice<Source>
        var errors: [PropagationError] = []
        var retryContext: RetryContext?

        /// The pending decision of the retry strategy.
        var decision: OnceCallback<RetryDecision>?

        /// Whether the network was constrained, so that `lowDataModeSource` was tried.
        var usesLowDataSource = false

        /// The right to store the image of ``current`` in the shared cache, after it had none.
        var sharedFetch: SharedFetch?

        /// The cached image of ``current``, if the load respects freshness.
        var freshness = LoadFreshness()

        var completion: Completion?
        var isFinished = false
        var isSynchronous = false

        /// Callbacks that run now and must precede the completion, and the result that waits for them.
        var announcements = 0
        var pendingResult: Result<RetrieveImageResult, KingfisherError>?
    }

    /// The source of the call, before alternatives.
    let source: Source
    let options: KingfisherParsedOptionsInfo

    /// Cancels the load at any stage.
    let handle: DownloadTask
    let downloadTaskUpdated: DownloadTaskUpdatedBlock?
    let state: Lock<State>

    /// The manager's running loads; nil for a load of a prefetcher.
    let activeLoads: ActiveLoads?

    /// Whether ``activeLoads`` counts this load.
    let isCounted = Atomic(false)

    /// Delays the completion until ``start()`` has returned.
    let latch: ReturnLatch
    let startTime = ContinuousClock.now

    /// Whether a task waits for it.
    let isAwaited: Bool

    /// Whether it is a part of an intercepted load, which sends the first and the last event.
    let isPass: Bool

    /// Creates a load; with `isAwaited` the completion may run before ``start()`` returns.
    init(
        of source: Source,
        options: KingfisherParsedOptionsInfo,
        handle: DownloadTask = DownloadTask(),
        isAwaited: Bool = false,
        isPass: Bool = false,
        downloadTaskUpdated: DownloadTaskUpdatedBlock?,
        activeLoads: ActiveLoads? = nil,
        completion: Completion?
    ) {
        self.activeLoads = activeLoads
        self.source = source
        self.handle = handle
        self.downloadTaskUpdated = downloadTaskUpdated
        self.isPass = isPass
        self.isAwaited = isAwaited
        latch = ReturnLatch(steps: isAwaited ? 0 : 1)
        var options = options.reducing()
        if !isPass { options.context.events = LoadEvents(of: source, for: options.observers) }
        state = Lock(
            State(
                current: source, alternatives: (options.alternativeSources ?? [])[...],
                sharedFetch: options.context.sharedFetch,
                completion: completion ?? options.context.events?.completion))
        // Not the handle, which retains the transfer, which retains these options.
        let cancellation = handle.cancellation
        let isCurrent = options.context.isCurrent
        options.context.isCurrent = { !cancellation.isCancelled && isCurrent?() != false }
        options.httpFreshness = options.httpFreshness ?? options.targetCache?.httpFreshness
        options.context.storeBackpressure = options.downloader?.backpressure
        options.sharedCache = options.sharedCache ?? options.targetCache?.sharedCache
        options.context.sharedFetch = nil
        self.options = options
    }

    /// Starts the load; the last statement of a public call, because the completion may run afterwards.
    ///
    /// - Returns: the handle to cancel the load; nil if it has completed synchronously.
    func start() -> DownloadTask? {
        defer { latch.step() }
        if !isPass { options.context.events?.send(.queued, at: startTime) }
        guard activeLoads?.isClosed != true else { return refuse() }
        let isIntercepted = !options.interceptors.isEmpty
        let isRefused = isIntercepted || options.downloader?.refusal(of: source) != nil
        let hit = isRefused ? nil : imageInMemory(of: source)
        if let hit, !hit.needsRemaking(for: options), isUsableInMemory(source) {
            lookedUp(.memory)
            deliver(hit: hit, cacheType: .memory, source: source, synchronously: true)
            return nil
        }
        let threads = WorkerPool.shared.startThreads()
        guard threads == 0 else {
            let error = POSIXError(POSIXErrorCode(rawValue: threads) ?? .EAGAIN)
            finish(.failure(.requestError(reason: .cannotStartThread(error: error))))
            return handle
        }
        if let activeLoads {
            guard activeLoads.enter() else { return refuse() }
            isCounted.store(true, ordering: .relaxed)
        }
        handle.expect(priority: options.downloadPriority)
        if isIntercepted { return intercept() }
        handle.cancellation.whenCancelled { [self] in finish(.failure(cancellation)) }
        attempt(source, hit: hit)
        return state.withLock { $0.isSynchronous } ? nil : handle
    }

    /// Fails because the manager is shut down.
    private func refuse() -> DownloadTask {
        finish(.failure(.requestError(reason: .managerIsShutDown)))
        return handle
    }

    /// Tries an alternative source.
    func attempt(_ source: Source) {
        let old = state.withLock { state in
            state.current = source
            state.isReplacement = true
            return (exchange(&state.freshness, with: LoadFreshness()), state.sharedFetch.take())
        }
        withExtendedLifetime(old) {}
        attempt(source, hit: imageInMemory(of: source))
    }

    /// Tries one source, caches first.
    private func attempt(_ source: Source, hit: KFCrossPlatformImage?) {
        guard isCurrent(source) else { return }
        if let refusal = options.downloader?.refusal(of: source) {
            return tryAlternative(after: .refusal(refusal), to: source)
        }
        if options.reads([.memory, .disk]) { lookUpTarget(source, hit: hit) } else { loadIfAllowed(source) }
    }

    /// Whether the load is still current; ends a stale one.
    func isCurrent(_ source: Source) -> Bool {
        guard options.isSourceTaskStale else { return true }
        finish(.failure(.cacheError(reason: .imageNotExisting(key: source.cacheKey))))
        return false
    }
}
