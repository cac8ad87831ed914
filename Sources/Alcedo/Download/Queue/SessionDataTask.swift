import AlcedoLocks
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
        /// Whether it accepts no more callers.
        var isClosed = false
        var isOver = false
        /// Decode jobs of the body.
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

    /// When it was created.
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
            caller.transfer?.value = self
            state.callers.append(
                caller, token: state.nextToken, priority: max(0, caller.options.downloadPriority))
            if caller.progress != nil { state.wantsProgress = true }
            caller.events?.addJoin(isFirst: state.nextToken == 0, hasStarted: state.starter == nil)
            return state.nextToken
        }
    }

    /// Adds a caller; nil if the transfer accepts none.
    package func join(
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) -> CancelToken? {
        let token = join(DownloadCaller(options: options, completion: completion))
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
