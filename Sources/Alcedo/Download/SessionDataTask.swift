import AlcedoLocks
import AlcedoTransport
public import Foundation

/// One transfer, shared by every caller that asked for the same URL while it ran.
///
/// Safe because its state is behind a lock.
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
        var data = Data()
        var metrics: NetworkMetrics?
    }

    /// What was asked for, before any redirect.
    public let originalURL: URL?

    private let state = Lock(State())
    private let onAllCancelled: @Sendable (SessionDataTask) -> Void

    init(originalURL: URL?, onAllCancelled: @escaping @Sendable (SessionDataTask) -> Void) {
        self.originalURL = originalURL
        self.onAllCancelled = onAllCancelled
    }

    /// The bytes received; empty until the transfer is complete.
    public var mutableData: Data { state.withLock { $0.data } }

    /// How the transfer went; nil until it is complete.
    public var metrics: NetworkMetrics? { state.withLock { $0.metrics } }

    /// Adds a caller; nil if the transfer is over and a new one is needed.
    func join(_ caller: DownloadCaller) -> CancelToken? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            defer { state.nextToken += 1 }
            state.callers.append((state.nextToken, caller))
            if caller.progress != nil { state.wantsProgress = true }
            return state.nextToken
        }
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
            onAllCancelled(self)
            transfer?.cancel()
        }
        caller?.finish(.failure(.requestError(reason: .taskCancelled(task: self, token: token))))
    }

    func cancelAll() {
        for token in state.withLock({ $0.callers.map(\.token) }) { cancel(token: token) }
    }

    /// Attaches the running transfer; stops it if everybody has left meanwhile.
    func attach(_ transfer: any TransportTask) {
        let isOver = state.withLock { state in
            state.transfer = transfer
            return state.isOver
        }
        if isOver { transfer.cancel() }
    }

    /// Ends the transfer: takes the callers, who are now the taker's to answer, and admits no more.
    func complete(data: Data = Data(), metrics: NetworkMetrics? = nil) -> [DownloadCaller] {
        state.withLock { state in
            defer { state.callers = [] }
            state.isOver = true
            state.data = data
            state.metrics = metrics
            return state.callers.map(\.caller)
        }
    }

    /// The callers of this moment, in the order in which they came.
    var callers: [DownloadCaller] {
        state.withLock { $0.callers.map(\.caller) }
    }

    /// Tells the callers who want to know how far the transfer has come.
    func report(received: Int64, expected: Int64) {
        let blocks = state.withLock { state in
            state.wantsProgress ? state.callers.compactMap(\.caller.progress) : []
        }
        for block in blocks { block.report(received: received, expected: expected) }
    }
}
