import AlcedoLocks
import Foundation

/// One transfer through a cache: looks there, asks the server if need be, and keeps what it says.
final class CachingTransfer: TransportTask {
    private struct State {
        var task: (any TransportTask)?
        var isCancelled = false

        /// Which attempt at an answer `task` is, or is about to be.
        var attempt = 0
        var priority: Float
    }

    let request: TransportRequest
    let handler: any TransportHandler
    let cache: CachingTransport
    private let state: Lock<State>

    init(_ request: TransportRequest, handler: any TransportHandler, cache: CachingTransport) {
        self.request = request
        self.handler = handler
        self.cache = cache
        state = Lock(State(priority: request.priority))
    }

    var priority: Float {
        get { state.withLock { $0.priority } }
        set {
            let task = state.withLock { state in
                state.priority = newValue
                return state.task
            }
            task?.priority = newValue
        }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    func start() {
        guard mayAnswerFromCache else { return load(request, confirming: nil) }
        cache.store.find(CachingTransport.key(of: request)) { [self] stored in
            decide(stored.flatMap { $0.answers(request) ? $0 : nil })
        }
    }

    // MARK: - Where the answer comes from

    private func decide(_ stored: StoredResponse?) {
        guard let stored else { return load(request, confirming: nil) }
        switch request.cachePolicy {
        case .cachedElseLoad, .cachedOnly: answer(with: stored)
        case .byProtocol where Freshness.isFresh(stored, for: request, at: cache.now()): answer(with: stored)
        case .byProtocol, .reload:
            guard !stored.conditions.isEmpty else { return load(request, confirming: nil) }
            var conditional = request
            conditional.headers += stored.conditions
            load(conditional, confirming: stored)
        }
    }

    /// Answers with a response that is kept.
    func answer(with stored: StoredResponse) {
        let replay = LocalTransfer(
            request, replaying: stored.response(from: request.url, at: cache.now()), stored.body,
            target: CachingTransport.workers)
        attach(replay, newAttempt())
        replay.start(handler)
    }

    /// Has the server answer.
    func load(_ request: TransportRequest, confirming stored: StoredResponse?) {
        var request = request
        request.priority = priority
        let fetch = CacheFetch(of: self, request, confirming: stored)
        let attempt = newAttempt()
        attach(cache.base.start(request, handler: fetch), attempt)
    }

    private func newAttempt() -> Int {
        state.withLock { state in
            state.attempt += 1
            return state.attempt
        }
    }

    private func attach(_ task: any TransportTask, _ attempt: Int) {
        let (isCancelled, priority) = state.withLock { state in
            // The server may have answered, and the next attempt begun, before the task was known.
            if attempt == state.attempt { state.task = task }
            return (state.isCancelled, state.priority)
        }
        if isCancelled { task.cancel() } else { task.priority = priority }
    }

    /// Whether the request may be answered with a whole response from before.
    private var mayAnswerFromCache: Bool {
        if case .reload = request.cachePolicy { return false }
        return request.mayBeCached
    }
}

extension TransportRequest {
    /// Whether it asks for a whole response on no conditions of its own, and does not forbid to keep it.
    var mayBeCached: Bool {
        let own: Set = [
            "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
        ]
        return method == "GET" && body == nil && !CacheControl(headers).noStore
            && !headers.contains { own.contains($0.name.lowercased()) }
    }
}
