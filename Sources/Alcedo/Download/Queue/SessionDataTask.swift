import AlcedoLocks
package import AlcedoTransport
public import Foundation
public import FoundationNetworking

/// One transfer, shared by every caller that asked for the same URL while it ran.
///
/// Safe because its state is behind a lock; its rank and turn belong to the downloader's.
public class SessionDataTask: @unchecked Sendable {
    /// A caller's number, unique within one transfer.
    public typealias CancelToken = Int

    private struct State {
        /// In the order in which they came, which is that of their tokens.
        var callers: [(token: CancelToken, caller: DownloadCaller, priority: Float)] = []
        var nextToken = 0
        var wantsProgress = false
        /// Whether it admits no more callers.
        var isClosed = false
        var isOver = false
        /// Blocks that make images of the body.
        var jobs: [WorkerPool.Ticket] = []
        /// Nil before the start and after the end: it may keep whoever leads the transfer, who keeps this.
        var transfer: (any TransportTask)?
        let request: URLRequest?
        var options: KingfisherParsedOptionsInfo?
        var response: TransportResponse?
        var received: Int64 = 0
        var data = Data()
        var metrics: NetworkMetrics?
        var failure: (any Error)?
        var pendingEntry: PendingEntry?
        var face: DataTask?
        weak var companion: AnyObject?

        /// Admits no more callers, and gives away what only a running transfer needs, to be freed without the lock.
        mutating func end() -> (transfer: (any TransportTask)?, options: KingfisherParsedOptionsInfo?) {
            isOver = true
            return (transfer.take(), options.take())
        }
    }

    /// What was asked for, before any redirect.
    public let originalURL: URL?

    let key: TransferKey
    weak let downloader: ImageDownloader?
    package var rank: Rank
    package var heapIndex: Int?
    var turn = DownloadTurn.over

    /// Who waits for the body and may hold it back; nil for nobody.
    let consumers: Consumers?

    /// When it was asked for.
    let asked = ContinuousClock.now

    private let state: Lock<State>

    /// A transfer that has not begun: `request` overrides what the downloader would send.
    init(
        of url: URL,
        key: TransferKey,
        request: URLRequest?,
        options: KingfisherParsedOptionsInfo,
        consumers: Consumers? = nil,
        for downloader: ImageDownloader
    ) {
        originalURL = url
        self.key = key
        self.downloader = downloader
        self.consumers = consumers
        rank = Rank(priority: options.downloadPriority, sequence: 0)
        state = Lock(State(request: request, options: options))
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

    /// The transfer as Foundation would show it.
    ///
    /// Its request, response and counts are this transfer's. Setting `priority` acts at once, and `cancel()` ends the
    /// transfer for all callers; `suspend()` and `resume()` do nothing.
    public var task: URLSessionDataTask { face }

    /// ``task``, made when somebody asks.
    var face: DataTask {
        state.withLock { state in
            if let face = state.face { return face }
            let face = DataTask(of: self, request: state.request)
            state.face = face
            return face
        }
    }

    // MARK: - Callers

    /// Adds a caller; nil if the transfer is over and a new one is needed.
    func join(_ caller: DownloadCaller) -> CancelToken? {
        state.withLock { state in
            guard !state.isOver, !state.isClosed else { return nil }
            defer { state.nextToken += 1 }
            caller.transfer?.value = self
            state.callers.append((state.nextToken, caller, max(0, caller.options.downloadPriority)))
            if caller.progress != nil { state.wantsProgress = true }
            return state.nextToken
        }
    }

    /// Adds a caller; nil if the transfer is over.
    package func join(
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) -> CancelToken? {
        let token = join(DownloadCaller(options: options, completion: completion))
        if token != nil { downloader?.prioritize(self) }
        return token
    }

    /// Ends one caller's share; the transfer is stopped with the last one.
    func cancel(token: CancelToken) {
        let (caller, ended, isLast) = state.withLock { state in
            let index = state.callers.firstIndex { $0.token == token }
            let caller = index.map { state.callers.remove(at: $0).caller }
            let isLast = caller != nil && state.callers.isEmpty && !state.isOver
            return (caller, isLast ? state.end() : nil, isLast)
        }
        if isLast {
            downloader?.forget(self)
            ended?.transfer?.cancel()
        } else if caller != nil {
            downloader?.prioritize(self)
        }
        caller?.cancel(.requestError(reason: .taskCancelled(task: self, token: token)))
    }

    package func cancelAll() {
        for token in state.withLock({ $0.callers.map(\.token) }) { cancel(token: token) }
    }

    /// What another API shows of the transfer; made when it is asked for, and not kept alive.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        state.withLock { state in
            if let companion = state.companion as? Companion { return companion }
            let companion = make()
            state.companion = companion
            return companion
        }
    }

    /// The callers of this moment, in the order in which they came.
    var callers: [DownloadCaller] {
        state.withLock { $0.callers.map(\.caller) }
    }
}

// MARK: - The transfer beneath

extension SessionDataTask: Ranked {
    package var obstacle: Backlog? { consumers?.obstacle }

    package var hasSeveralPaths: Bool { consumers?.hasSeveralPaths ?? false }

    /// Whether everybody has left, or it is complete.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// The last response's head; nil until it is here.
    var response: TransportResponse? {
        get { state.withLock { $0.response } }
        set { state.withLock { $0.response = newValue } }
    }

    /// Bytes of the body so far.
    var received: Int64 { state.withLock { $0.received } }

    /// What to start with; nil if everybody has left, or it has been taken.
    func takeStart() -> (request: URLRequest?, options: KingfisherParsedOptionsInfo)? {
        state.withLock { state in
            guard !state.isOver, let options = state.options else { return nil }
            state.options = nil
            return (state.request, options)
        }
    }

    /// Attaches the running transfer, unless it is over; stops it if everybody has left meanwhile.
    func attach(_ transfer: any TransportTask) {
        let isOver = state.withLock { state in
            if !state.isOver { state.transfer = transfer }
            return state.isOver
        }
        if isOver { transfer.cancel() } else { applyPriority() }
    }

    /// Attaches work that makes an image of the body.
    func attach(_ job: WorkerPool.Ticket) { state.withLock { $0.jobs.append(job) } }

    /// The highest of the callers' priorities; nil if there are none.
    var callersPriority: Float? { state.withLock { $0.callers.lazy.map(\.priority).max() } }

    /// Raises or lowers the priority of all callers.
    func prioritize(_ priority: Float) {
        state.withLock { state in
            for index in state.callers.indices { state.callers[index].priority = priority }
        }
        downloader?.prioritize(self)
    }

    /// Tells whatever works on it now which priority it has; poked even if that is the same, if there are consumers.
    func applyPriority() {
        guard let downloader else { return }
        var priority = downloader.priority(of: self)
        var isApplied = false
        while !isApplied {
            let (transfer, jobs) = state.withLock { ($0.transfer, $0.jobs) }
            if let transfer, consumers != nil || transfer.priority != priority {
                transfer.priority = priority
            }
            for job in jobs { WorkerPool.shared.reorder(job, priority: priority) }
            // Another thread may have changed it meanwhile, and told them first.
            let current = downloader.priority(of: self)
            (isApplied, priority) = (current == priority, current)
        }
    }

    /// Those who want to be told of the bytes as they come.
    var observers: [any DataReceivingSideEffect] {
        state.withLock { $0.callers.flatMap { $0.caller.options.onDataReceived ?? [] } }
    }

    /// Notes how far the transfer has come, and tells the callers who want to know.
    func report(received: Int64, expected: Int64?) {
        let blocks = state.withLock { state in
            state.received = received
            return state.wantsProgress ? state.callers.compactMap(\.caller.progress) : []
        }
        guard let expected else { return }
        for block in blocks { block.report(received: received, expected: expected) }
    }

    /// Whether bytes have been collected as they came.
    var hasCollected: Bool { state.withLock { !$0.data.isEmpty } }

    /// Adds to the bytes that are collected as they come, and returns all of them, `received` in number.
    ///
    /// Nil if nobody has collected those before, and the transfer can't show them.
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

    /// Notes the whole body, and what keeps it in an HTTP cache.
    func take(_ data: Data, metrics: NetworkMetrics, pendingEntry: PendingEntry? = nil) {
        state.withLock { state in
            state.data = data
            state.metrics = metrics
            state.pendingEntry = pendingEntry
        }
    }

    /// Keeps the response in an HTTP cache if it is committed; nil without a cache, or if it may not be kept.
    package var pendingEntry: PendingEntry? { state.withLock { $0.pendingEntry } }

    /// Why the transfer failed; nil while it has not.
    package var failure: (any Error)? { state.withLock { $0.failure } }

    /// Admits no more callers, and returns those that there are.
    func close() -> [(token: CancelToken, caller: DownloadCaller)] {
        state.withLock { state in
            state.isClosed = true
            return state.callers.map { ($0.token, $0.caller) }
        }
    }

    /// Takes those of the callers who are still there, and who are now the taker's to answer; ends with the last one.
    func take(_ tokens: Set<CancelToken>) -> [DownloadCaller] {
        state.withLock { state in
            let taken = state.callers.filter { tokens.contains($0.token) }.map(\.caller)
            state.callers.removeAll { tokens.contains($0.token) }
            if state.callers.isEmpty { state.isOver = true }
            return taken
        }
    }

    /// Ends the transfer: takes the callers, who are now the taker's to answer, and admits no more.
    func complete(failure: (any Error)? = nil) -> [DownloadCaller] {
        let (callers, ended) = state.withLock { state in
            state.failure = failure
            defer { state.callers = [] }
            return (state.callers.map(\.caller), state.end())
        }
        withExtendedLifetime(ended) {}
        return callers
    }
}
