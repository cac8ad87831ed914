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
        var callers: [(token: CancelToken, caller: DownloadCaller)] = []
        var nextToken = 0
        var wantsProgress = false
        var isOver = false
        var transfer: (any TransportTask)?
        let request: URLRequest?
        var options: KingfisherParsedOptionsInfo?
        var response: TransportResponse?
        var received: Int64 = 0
        var data = Data()
        var metrics: NetworkMetrics?
        var failure: (any Error)?
        var face: DataTask?
        weak var companion: AnyObject?
    }

    /// What was asked for, before any redirect.
    public let originalURL: URL?

    let key: TransferKey
    weak let downloader: ImageDownloader?
    package var rank: Rank
    package var heapIndex: Int?
    var turn = DownloadTurn.over

    private let state: Lock<State>

    /// A transfer that has not begun: `request` overrides what the downloader would send.
    init(
        of url: URL,
        key: TransferKey,
        request: URLRequest?,
        options: KingfisherParsedOptionsInfo,
        for downloader: ImageDownloader
    ) {
        originalURL = url
        self.key = key
        self.downloader = downloader
        rank = Rank(priority: options.downloadPriority, sequence: 0)
        state = Lock(State(request: request, options: options))
    }

    /// The bytes received; empty until the transfer is complete, unless the option `progressiveJPEG` or a session
    /// delegate of one's own has them collected as they come.
    public var mutableData: Data { state.withLock { $0.data } }

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
            guard !state.isOver else { return nil }
            defer { state.nextToken += 1 }
            caller.transfer?.value = self
            state.callers.append((state.nextToken, caller))
            if caller.progress != nil { state.wantsProgress = true }
            return state.nextToken
        }
    }

    /// Adds a caller; nil if the transfer is over.
    package func join(
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) -> CancelToken? {
        join(DownloadCaller(options: options, completion: completion))
    }

    /// Ends one caller's share; the transfer is stopped with the last one.
    func cancel(token: CancelToken) {
        let (caller, transfer, isLast) = state.withLock { state in
            let index = state.callers.firstIndex { $0.token == token }
            let caller = index.map { state.callers.remove(at: $0).caller }
            let isLast = caller != nil && state.callers.isEmpty && !state.isOver
            if isLast { state.isOver = true }
            return (caller, state.transfer, isLast)
        }
        if isLast {
            downloader?.forget(self)
            transfer?.cancel()
        }
        caller?.finish(.failure(.requestError(reason: .taskCancelled(task: self, token: token))))
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

    /// Attaches the running transfer; stops it if everybody has left meanwhile.
    func attach(_ transfer: any TransportTask) {
        let isOver = state.withLock { state in
            state.transfer = transfer
            return state.isOver
        }
        if isOver { transfer.cancel() }
    }

    /// Raises or lowers the priority, of a running transfer and of one that waits.
    func prioritize(_ priority: Float) {
        downloader?.reorder(self, priority: priority)
        let transfer = state.withLock { $0.transfer }
        transfer?.priority = priority
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

    /// Adds to the bytes that are collected as they come, and returns all of them.
    func collect(_ chunk: Data) -> Data {
        state.withLock { state in
            state.data.append(chunk)
            return state.data
        }
    }

    /// Notes the whole body.
    func take(_ data: Data, metrics: NetworkMetrics) {
        state.withLock { state in
            state.data = data
            state.metrics = metrics
        }
    }

    /// Why the transfer failed; nil while it has not.
    package var failure: (any Error)? { state.withLock { $0.failure } }

    /// Ends the transfer: takes the callers, who are now the taker's to answer, and admits no more.
    func complete(failure: (any Error)? = nil) -> [DownloadCaller] {
        state.withLock { state in
            state.failure = failure
            defer { state.callers = [] }
            state.isOver = true
            return state.callers.map(\.caller)
        }
    }
}
