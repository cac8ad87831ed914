public import AlcedoLocks
package import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// One transfer, with the coalesced loads of its URL.
///
/// Safe because its state is behind a lock; its rank and queue state are guarded by the downloader's.
public class SessionDataTask: @unchecked Sendable {
    /// A caller's number, unique within one transfer.
    public typealias CancelToken = Int

    struct State {
        var callers = CallerList()
        var nextToken = 0
        var wantsProgress = false
        var isClosed = false
        var isOver = false
        var jobs: [WorkerPool.Ticket] = []
        /// Nil before the start and after the end, because it may keep its handler alive, which keeps this alive.
        var transfer: (any TransportTask)?
        let request: URLRequest?
        /// Whose options it starts with; nil once it has.
        var starter: DownloadCaller?
        var response: TransportResponse?
        /// Nil before the start.
        var exchange: Exchange?
        var received: Int64 = 0
        var data = Data()
        var metrics: NetworkMetrics?
        var failure: (any Error)?
        var pendingEntry: PendingEntry?
        var foundationTask: FoundationDataTask?
        weak var companion: AnyObject?

        /// Accepts no more callers, and returns what only a running transfer needs, to be freed outside the lock.
        mutating func end() -> (transfer: (any TransportTask)?, starter: DownloadCaller?) {
            isOver = true
            return (transfer.take(), starter.take())
        }
    }

    /// The requested URL, before any redirect.
    public let originalURL: URL?

    let key: CoalescingKey
    weak let downloader: ImageDownloader?
    @usableFromInline package var rank: Rank
    @usableFromInline package var heapIndex: Int?
    var queueState = DownloadQueueState.ended

    /// The consumers whose backpressure can block it; nil without any.
    let consumers: Consumers?

    let created = ContinuousClock.now
    let state: Lock<State>

    /// A transfer that has not started, with the options of `starter`; `request` overrides the downloader's.
    init(
        of url: URL,
        key: CoalescingKey,
        request: URLRequest?,
        starter: DownloadCaller,
        consumers: Consumers? = nil,
        for downloader: ImageDownloader
    ) {
        originalURL = url
        self.key = key
        self.downloader = downloader
        self.consumers = consumers
        rank = Rank(priority: starter.options.downloadPriority, sequence: 0)
        state = Lock(State(request: request, starter: starter))
    }

    /// The bytes received so far; those of a file are there when it has been read.
    public var mutableData: Data {
        let (data, transfer) = state.withLock { ($0.data, $0.metrics == nil ? $0.transfer : nil) }
        guard let soFar = (transfer as? any PartialBody)?.bodySoFar, soFar.count > data.count else {
            return data
        }
        return soFar
    }

    /// How the transfer went; nil until it is complete.
    public var metrics: NetworkMetrics? { state.withLock { $0.metrics } }

    /// The transfer as a task of Foundation's.
    ///
    /// Its request, response and counts are this transfer's. Setting `priority` acts at once, and `cancel()` ends the
    /// transfer for all callers; `suspend()` and `resume()` do nothing.
    public var task: URLSessionDataTask { foundationTask }

    /// ``task``, created on first use.
    var foundationTask: FoundationDataTask {
        state.withLock { state in
            if let task = state.foundationTask { return task }
            let task = FoundationDataTask(of: self, request: state.request)
            state.foundationTask = task
            return task
        }
    }

    // MARK: - Callers

    /// Adds a caller; nil if the transfer accepts none and a new one is needed.
    func join(_ caller: DownloadCaller) -> CancelToken? {
        state.withLock { state in
            guard !state.isOver, !state.isClosed else { return nil }
            defer { state.nextToken += 1 }
            caller.joined(self)
            state.callers.append(
                caller, token: state.nextToken, priority: max(0, caller.options.downloadPriority))
            if caller.context.progress != nil { state.wantsProgress = true }
            caller.events?.addJoin(isFirst: state.nextToken == 0, hasStarted: state.starter == nil)
            return state.nextToken
        }
    }

    /// Adds a caller; nil if the transfer accepts none.
    package func join(
        options: KingfisherParsedOptionsInfo, context: DownloadContext,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) -> CancelToken? {
        let token = join(DownloadCaller(options: options, context: context, completion: completion))
        if token != nil { downloader?.prioritize(self) }
        return token
    }

    /// Cancels one caller's load; the last one cancels the transfer.
    func cancel(token: CancelToken) {
        let (caller, ended, isLast) = state.withLock { state in
            let caller = state.callers.remove(token)
            let isLast = caller != nil && state.callers.isEmpty && !state.isOver
            return (caller, isLast ? state.end() : nil, isLast)
        }
        if isLast {
            downloader?.remove(self)
            ended?.transfer?.cancel()
        } else if caller != nil {
            downloader?.prioritize(self)
        }
        caller?.cancel(.requestError(reason: .taskCancelled(task: self, token: token)))
    }

    package func cancelAll() {
        for token in state.withLock({ $0.callers.withTokens.map(\.token) }) { cancel(token: token) }
    }

    /// Another API's object for the transfer; created on first use, and not kept alive.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        state.withLock { state in
            if let companion = state.companion as? Companion { return companion }
            let companion = make()
            state.companion = companion
            return companion
        }
    }

    /// The current callers, in the order of their tokens.
    var callers: [DownloadCaller] {
        state.withLock { $0.callers.callers }
    }
}

// The received body, and its observers.

extension SessionDataTask {
    var observers: [any DataReceivingSideEffect] {
        state.withLock { $0.callers.callers.flatMap(\.context.onDataReceived) }
    }

    func report(received: Int64, expected: Int64?) {
        let callers = state.withLock { state in
            state.received = received
            return state.wantsProgress ? state.callers.callers : []
        }
        for caller in callers { caller.report(received: received, expected: expected) }
    }

    var hasCollected: Bool { state.withLock { !$0.data.isEmpty } }

    /// Collects a chunk and returns all `received` bytes so far.
    ///
    /// Nil if earlier chunks were not collected and the transfer cannot return them.
    func collect(_ chunk: Data, received: Int64) -> Data? {
        let (collected, transfer) = state.withLock { state -> (Data?, (any TransportTask)?) in
            guard state.data.count + chunk.count == received else { return (nil, state.transfer) }
            state.data.append(chunk)
            return (state.data, nil)
        }
        if let collected { return collected }
        guard let soFar = (transfer as? any PartialBody)?.bodySoFar, soFar.count == received else {
            return nil
        }
        state.withLock { $0.data = soFar }
        return soFar
    }

    /// Stores the whole body, and its pending entry in an HTTP cache; ends the progress.
    func take(_ data: Data, metrics: NetworkMetrics, pendingEntry: PendingEntry? = nil) {
        let callers = state.withLock { state in
            state.data = data
            state.metrics = metrics
            state.pendingEntry = pendingEntry
            return state.wantsProgress ? state.callers.callers : []
        }
        for caller in callers { caller.reportEnd(received: Int64(data.count)) }
    }

    /// Stores the response in an HTTP cache once committed; nil without a cache, or if it must not be stored.
    package var pendingEntry: PendingEntry? { state.withLock { $0.pendingEntry } }

    /// Why the transfer failed; nil while it has not.
    package var failure: (any Error)? { state.withLock { $0.failure } }

    // MARK: - The priority, which is the highest of the callers'

    /// The highest of the callers' priorities; nil without callers.
    var callersPriority: Float? { state.withLock { $0.callers.highestPriority } }

    /// The priority of one caller; nil once it was removed.
    func priority(of token: CancelToken) -> Float? {
        state.withLock { $0.callers.priority(of: token) }
    }

    func prioritize(_ priority: Float, of token: CancelToken) {
        let isCaller = state.withLock { $0.callers.setPriority(priority, of: token) }
        if isCaller { downloader?.prioritize(self) }
    }

    func prioritize(_ priority: Float) {
        state.withLock { $0.callers.setPriority(priority) }
        downloader?.prioritize(self)
    }

    /// Passes the priority to the running transfer and the decode jobs; with consumers even if it is unchanged, because the
    /// transport then checks them again.
    func applyPriority() {
        guard let downloader else { return }
        var priority = downloader.priority(of: self)
        var isApplied = false
        while !isApplied {
            let (transfer, jobs) = state.withLock { ($0.transfer, $0.jobs.unshared) }
            if let transfer, consumers != nil || transfer.priority != priority {
                transfer.priority = priority
            }
            for job in jobs { WorkerPool.shared.reorder(job, priority: priority) }
            // Another thread may have changed and applied it meanwhile.
            let current = downloader.priority(of: self)
            (isApplied, priority) = (current == priority, current)
        }
    }
}

// How a downloader starts and ends the transport's transfer.

extension SessionDataTask: Ranked {
    @usableFromInline package var blocker: Backpressure? { consumers?.blocker }

    @usableFromInline package var hasSeveralPaths: Bool { consumers?.hasSeveralPaths ?? false }

    /// Whether it is complete, or has no callers left.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// The last response's headers; nil until they are complete.
    var response: TransportResponse? {
        get { state.withLock { $0.response } }
        set { state.withLock { $0.response = newValue } }
    }

    /// Whether a cache that several users share must not remember how the transfer ended.
    var forbidsSharing: Bool {
        let (exchange, response) = state.withLock { ($0.exchange, $0.response) }
        return exchange?.forbidsSharing(response) ?? false
    }

    var received: Int64 { state.withLock { $0.received } }

    /// What to start with, and the callers' events, once; nil if there are no callers left.
    func takeStart() -> (request: URLRequest?, starter: DownloadCaller, events: [LoadEvents])? {
        state.withLock { state in
            guard !state.isOver, let starter = state.starter else { return nil }
            state.starter = nil
            return (state.request, starter, state.callers.callers.compactMap(\.events))
        }
    }

    func attach(_ exchange: Exchange) { state.withLock { $0.exchange = exchange } }

    /// Attaches the transport's transfer, or cancels that if there are no callers left.
    func attach(_ transfer: any TransportTask) {
        let isOver = state.withLock { state in
            if !state.isOver { state.transfer = transfer }
            return state.isOver
        }
        if isOver { transfer.cancel() } else { applyPriority() }
    }

    func attach(_ job: WorkerPool.Ticket) { state.withLock { $0.jobs.append(job) } }

    /// Accepts no more callers, and returns the current ones.
    func close() -> [(token: CancelToken, caller: DownloadCaller)] {
        state.withLock { state in
            state.isClosed = true
            return state.callers.withTokens
        }
    }

    /// Whether one of the callers with these tokens has not cancelled.
    func hasCallers(_ tokens: [CancelToken]) -> Bool {
        state.withLock { state in tokens.contains { state.callers.contains($0) } }
    }

    /// Removes and returns the callers with these tokens, which the receiver then finishes; ends with the last one.
    func take(_ tokens: [CancelToken]) -> [DownloadCaller] {
        state.withLock { state in
            let taken = tokens.compactMap { state.callers.remove($0) }
            if state.callers.isEmpty { state.isOver = true }
            return taken
        }
    }

    /// Ends the transfer, and returns the callers, which the receiver then finishes.
    func complete(failure: (any Error)? = nil) -> [DownloadCaller] {
        let (callers, ended) = state.withLock { state in
            state.failure = failure
            defer { state.callers = CallerList() }
            return (state.callers.callers, state.end())
        }
        withExtendedLifetime(ended) {}
        return callers
    }
}
