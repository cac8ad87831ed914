import AlcedoLocks
import AlcedoTransport
import Foundation

/// One load, from the lookup in memory to the completion, across retries and alternative sources.
///
/// ``start()`` looks into memory on the caller's thread, and `run` does everything after it, from top to bottom.
final class ImageLoad: Sendable {
    typealias Completion = @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

    /// The source of the call, before alternatives.
    let source: Source
    let options: KingfisherParsedOptionsInfo

    let context: LoadContext

    /// Cancels the load at any stage.
    let handle: DownloadTask

    /// The manager's running loads; nil for a load of a prefetcher.
    let activeLoads: ActiveLoads?
    private let startTime = ContinuousClock.now

    /// Whether a task waits for it.
    let isAwaited: Bool

    /// Whether it is a part of an intercepted load, which sends the first and the last event.
    let isPass: Bool

    let ending: LoadEnding

    let threads = Lock(LoadThreads())

    /// Creates a load; with `isAwaited` the completion may run before ``start()`` returns.
    init(
        of source: Source,
        options: consuming KingfisherParsedOptionsInfo,
        context: LoadContext = LoadContext(),
        sharedFetch: SharedFetch? = nil,
        handle: DownloadTask = DownloadTask(),
        isAwaited: Bool = false,
        isPass: Bool = false,
        activeLoads: ActiveLoads? = nil,
        completion: Completion?
    ) {
        self.activeLoads = activeLoads
        self.source = source
        self.handle = handle
        (self.isPass, self.isAwaited) = (isPass, isAwaited)
        options.reduce()
        var context = context
        if isAwaited {
            options.callbackQueue = .untouch
            context.download.completionMayBlock = false
        }
        if !isPass {
            let id = LoadEvents.nextID()
            context.download.loadID = id
            context.download.events = LoadEvents(of: source, for: options.observers, id: id)
        }
        self.context = context
        // Observers get the last event before the completion, so that a load with observers needs one.
        let forObservers: Completion = { _ in }
        ending = LoadEnding(
            completion ?? (context.download.events == nil ? nil : forObservers), source: source,
            sharedFetch: sharedFetch, isAwaited: isAwaited)
        // Not the handle, which retains the transfer, which retains these options.
        let cancellation = handle.cancellation
        let isCurrent = options.isCurrent
        options.isCurrent = { !cancellation.isCancelled && isCurrent?() != false }
        if options.httpFreshness == nil { options.httpFreshness = options.targetCache?.httpFreshness }
        if options.sharedCache == nil { options.sharedCache = options.targetCache?.sharedCache }
        self.options = options
    }

    // MARK: - The life of a load

    // Functions with options or results, which are large, are not inlined into asynchronous functions: those would keep
    // them on the heap, in their frames. That was a fifth of the processor time of a load from a network in memory.

    /// Starts the load; the last statement of a public call, because the completion may run afterwards.
    ///
    /// - Returns: the handle to cancel the load; nil if it has completed synchronously.
    func start() -> DownloadTask? {
        defer { ending.callHasReturned() }
        if !isPass { events?.send(.queued, at: startTime) }
        guard activeLoads?.isClosed != true else { return reject() }
        let attempt = LoadAttempt(source)
        let isIntercepted = !options.interceptors.isEmpty
        if !isIntercepted, options.downloader?.rejection(of: source) == nil {
            attempt.memoryHit = imageInMemory(of: source)
            // A task that waits for the load calls it on a thread of Swift's pool, where no modifier may run.
            if let hit = attempt.memoryHit, !hit.needsRemaking(for: options),
                options.imageModifier == nil || !isAwaited, let freshness = freshnessInMemory(of: source)
            {
                lookedUp(.memory)
                attempt.freshness = freshness
                let delivery = LoadDelivery(hit, .memory, in: self, isSynchronous: true)
                deliver(delivery, options.imageModifier?.modify(hit) ?? hit, of: attempt)
                return nil
            }
        }
        // A pool without threads would never run the load's task, nor end it.
        let threads = WorkerPool.shared.startThreads()
        guard threads == 0 else {
            let error = POSIXError(POSIXErrorCode(rawValue: threads) ?? .EAGAIN)
            finish(.failure(.requestError(reason: .cannotStartThread(error: error))))
            return handle
        }
        if let activeLoads {
            guard activeLoads.enter() else { return reject() }
            ending.count(in: activeLoads)
        }
        handle.expect(priority: options.downloadPriority)
        // The task does not exist yet when the handle may be cancelled.
        let stop = Cancellation()
        handle.cancellation.whenCancelled { [self] in
            // First, because the work may report the cancellation of its task.
            finish(.failure(cancellation))
            stop.cancel()
        }
        // On this thread up to the first wait, so that `loadDiskFileSynchronously` needs no code of its own.
        willRunTask()
        let task = Task.immediate(executorPreference: self) { [self] in
            if isIntercepted { await runInterceptors() } else { await run(attempt) }
        }
        didRunTask()
        stop.whenCancelled { task.cancel() }
        return ending.isSynchronous ? nil : handle
    }

    /// Fails because the manager is shut down.
    private func reject() -> DownloadTask {
        finish(.failure(.requestError(reason: .managerIsShutDown)))
        return handle
    }

    /// Tries the source, then the alternatives, until one has the image.
    private nonisolated(nonsending) func run(_ first: LoadAttempt) async {
        var attempt = first
        var alternatives = (options.alternativeSources ?? [])[...]
        var errors: [PropagationError] = []
        while true {
            do throws(KingfisherError) {
                let delivery = try await retrieve(attempt)
                let image = options.imageModifier == nil ? delivery.image : try await modified(delivery)
                return deliver(delivery, image, of: attempt)
            } catch {
                guard let next = next(after: error, of: attempt, &alternatives, &errors) else { return }
                attempt = next
            }
        }
    }

    /// The next source's attempt; nil if the load has ended, with the error.
    @inline(never) private func next(
        after failure: KingfisherError, of attempt: LoadAttempt, _ alternatives: inout ArraySlice<Source>,
        _ errors: inout [PropagationError]
    ) -> LoadAttempt? {
        guard !failure.isTaskCancelled, !options.isSourceTaskStale else {
            finish(.failure(failure))
            return nil
        }
        errors.append(PropagationError(source: attempt.source, error: failure))
        let usesLowDataSource = attempt.usesLowDataSource || failure.isConstrainedNetwork
        let lowData = usesLowDataSource != attempt.usesLowDataSource ? options.lowDataModeSource : nil
        guard let next = lowData ?? alternatives.popFirst() else {
            let all = KingfisherError.imageSettingError(reason: .alternativeSourcesExhausted(errors))
            finish(.failure(errors.count == 1 ? failure : all))
            return nil
        }
        events?.send(.retrying(next, after: failure))
        ending.setSource(next)
        let attempt = LoadAttempt(next, isReplacement: true, usesLowDataSource: usesLowDataSource)
        attempt.memoryHit = imageInMemory(of: next)
        return attempt
    }

    /// The tiers in the order in which a load looks into them: the image itself, then what it can be processed from.
    private static let tiers: [any LoadTier] = [
        TargetTier(), FallbackTier(), IntermediateTier(), OriginalTier(), MemoryTier(), SharedTier(),
    ]

    /// The image from the first tier that has it, or from the source.
    private nonisolated(nonsending) func retrieve(_ attempt: LoadAttempt) async throws(KingfisherError)
        -> LoadDelivery
    {
        try checkCurrent()
        let source = attempt.source
        if let rejection = options.downloader?.rejection(of: source) { throw .rejection(rejection) }
        for tier in Self.tiers where tier.serves(self, source) {
            guard let hit = try await tier.find(attempt, for: self) else { continue }
            if let cache = hit.cache, respectsFreshness(of: source) {
                switch try await freshness(of: attempt, in: cache) {
                case .usable: break
                case .mismatched:
                    try await checkNetwork(attempt)
                    return try await fetch(attempt)
                case .needsRevalidation(let record):
                    return try await fetch(attempt, revalidating: StaleHit(hit, in: cache, record))
                }
            }
            switch try await hit.use(attempt) {
            case .delivery(let delivery): return delivery
            case .nothing: continue
            case .damaged: return try await fetch(attempt)
            }
        }
        if options.reads([.memory, .disk, .shared]) { lookedUp(.none) }
        try await checkNetwork(attempt)
        return try await fetch(attempt)
    }

    /// Fails unless the load may use its source.
    private nonisolated(nonsending) func checkNetwork(_ attempt: LoadAttempt) async throws(KingfisherError) {
        let key = attempt.source.cacheKey
        guard options.reads(.network) else { throw .cacheError(reason: .imageNotExisting(key: key)) }
        guard respectsFreshness(of: attempt.source), let cache = options.targetCache else { return }
        // Brings the record of the other variants into memory: they are kept if the response has the same bytes.
        _ = try await callback { cache.findResponse(forKey: key, options: options, then: $0) }
    }

    /// Loads the source, again as the retry strategy decides, and stores the image.
    ///
    /// Delivers the `stale` image instead if the server confirms it, or fails and allows that.
    private nonisolated(nonsending) func fetch(
        _ attempt: LoadAttempt, revalidating stale: StaleHit? = nil
    ) async throws(KingfisherError) -> LoadDelivery {
        // Drops what the lookup found out about a cached image, which is not delivered now.
        attempt.freshness = LoadFreshness()
        attempt.revalidation = stale.flatMap(Revalidation.init)
        while true {
            do throws(KingfisherError) {
                let loaded = try await loaded(attempt)
                guard loaded.isInterceptors, attempt.isConfirmed else {
                    return try await store(loaded, of: attempt)
                }
                // The server has confirmed the cached image: not an interceptor's own one.
                if let delivery = try await confirmed(stale, of: attempt) { return delivery }
            } catch {
                if let delivery = try await recover(after: error, of: attempt, stale) { return delivery }
            }
        }
    }

    /// What to deliver after a failure; nil if the source is to be loaded again.
    private nonisolated(nonsending) func recover(
        after failure: KingfisherError, of attempt: LoadAttempt, _ stale: StaleHit?
    ) async throws(KingfisherError) -> LoadDelivery? {
        if failure.hasStatus(304), stale != nil, attempt.isConfirmed {
            return try await confirmed(stale, of: attempt)
        }
        guard !failure.isTaskCancelled, !options.isSourceTaskStale else { throw failure }
        let hasLowDataSource = options.lowDataModeSource != nil && !attempt.usesLowDataSource
        if failure.isConstrainedNetwork, hasLowDataSource { throw failure }
        if !attempt.isRejected, await retries(after: failure, of: attempt) {
            attempt.isReplacement = true
            events?.send(.retrying(attempt.source, after: failure))
            return nil
        }
        // The view may have started another load while the retry strategy decided.
        guard !options.isSourceTaskStale else { throw failure }
        shareFailure(failure, of: attempt.source)
        if let stale, let delivery = try await use(stale, after: failure, of: attempt) { return delivery }
        throw failure
    }

    /// The image as the program's modifier returns it.
    private nonisolated(nonsending) func modified(
        _ delivery: LoadDelivery
    ) async throws(KingfisherError) -> KFCrossPlatformImage {
        guard let modifier = options.imageModifier, !handle.isCancelled else { return delivery.image }
        if delivery.isSynchronous, !isAwaited { return modifier.modify(delivery.image) }
        return try await callback { then in
            options.callImageCode(keeping: delivery.loading?.originalData.count ?? 0) {
                then(modifier.modify(delivery.image))
            }
        }
    }

    /// Completes the load with an image that was modified.
    @inline(never) private func deliver(
        _ delivery: LoadDelivery, _ image: KFCrossPlatformImage, of attempt: LoadAttempt
    ) {
        guard !handle.isCancelled else { return finish(.failure(cancellation)) }
        // An image in memory is watched already, by the load that stored it.
        let isStored = !options.writeLayers.isDisjoint(with: [.memory, .disk])
        if delivery.cacheType == .disk
            || delivery.cacheType == .none && (isStored || options.downloader?.session.responses != nil)
        {
            watch(delivery.image, of: attempt.source)
        }
        // Without a download, as for every memory hit, the clock is not read.
        let metrics = delivery.loading?.metrics?.afterRetrieving(
            in: (ContinuousClock.now - startTime) / .seconds(1))
        let freshness = options.respectsFreshness ? attempt.freshness : LoadFreshness()
        var result = RetrieveImageResult(
            image: image,
            cacheType: delivery.cacheType,
            source: attempt.source,
            originalSource: source,
            data: delivery.data,
            metrics: metrics,
            response: delivery.loading?.response
                ?? freshness.record.map(ResponseMetadata.init),
            isStale: freshness.isStale,
            tier: delivery.tier
        )
        result.fetched = delivery.loading?.fetched
        if isPass, let stale = freshness.revalidatesLater {
            result.revalidation = { [options] load in load.revalidate(stale, with: options) }
        }
        finish(
            .success(result), synchronously: delivery.isSynchronous, revalidating: freshness.revalidatesLater)
    }
}

extension ImageLoad {
    var events: LoadEvents? { context.download.events }

    /// The processed image in memory; nil if the load does not read memory.
    func imageInMemory(of source: Source) -> KFCrossPlatformImage? {
        guard options.reads(.memory),
            let image = options.targetCache?.retrieveImageInMemoryCache(
                forKey: source.cacheKey, options: options)
        else { return nil }
        return mayDecode(image) ? image : nil
    }

    /// Whether an image, which may have been cached for a view, has no more pixels than the limits allow.
    func mayDecode(_ image: KFCrossPlatformImage) -> Bool {
        options.decodesReduced || image.encoded == nil
            || image.pixelSize.area <= options.decodeLimits.pixelsPerFrame
    }

    /// Fails if the load was cancelled or its view loads another image by now: called where work starts.
    func checkCurrent() throws(KingfisherError) {
        guard options.isSourceTaskStale else { return }
        throw .replaced(ending.source)
    }

    /// Runs `body` where the load processes images, while the load is current.
    nonisolated(nonsending) func process<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async throws(KingfisherError) -> Value {
        let value: Value? = try await callback { [self] then in
            options.process { [self] in then(options.isSourceTaskStale ? nil : body()) }
        }
        try checkCurrent()
        guard let value else { throw .replaced(ending.source) }
        return value
    }

    func processing(of source: Source) -> ProcessingRun {
        ProcessingRun(of: source, loadID: context.download.loadID)
    }

    // MARK: - The end

    /// Ends the load once; later results have no effect.
    ///
    /// - Parameters:
    ///   - result: the completion's result, unless the load is cancelled before the completion runs.
    ///   - synchronously: whether the completion may run before the call that started the load has returned.
    ///   - stale: the source of a stale image, to be revalidated after the completion.
    @inline(never) func finish(
        _ result: Result<RetrieveImageResult, KingfisherError>, synchronously: Bool = false,
        revalidating stale: Source? = nil
    ) {
        ending.finish(self, result, synchronously: synchronously, revalidating: stale)
    }

    /// Runs a callback that must precede the completion; skips it if the load has ended.
    func announce(_ callback: () -> Void) { ending.announce(self, callback) }

    /// The error of a cancelled load.
    var cancellation: KingfisherError { .cancellation(of: ending.source, through: handle) }
}
