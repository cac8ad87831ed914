import AlcedoLocks
import Foundation

/// One transfer through a cache: looks there, asks the server if need be, and keeps what it says.
final class CachingTransportTask: TransportTask, PartialBody {
    private struct State {
        /// Who waits while the store looks; nobody before and after that.
        var waiting: (any TransportHandler)?
        var task: (any TransportTask)?
        var isCancelled = false

        /// Which attempt at an answer `task` is, or is about to be.
        var attempt = 0
        var priority: Float
    }

    let request: TransportRequest
    let cache: CachingTransport
    private let state: Lock<State>

    init(_ request: TransportRequest, cache: CachingTransport) {
        self.request = request
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

    /// What the transfer beneath shows.
    var bodySoFar: Data? { (state.withLock { $0.task } as? any PartialBody)?.bodySoFar }

    func cancel() {
        let (task, handler) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.waiting.take())
        }
        task?.cancel()
        guard let handler else { return }
        CachingTransport.workers.async { handler.transferDidFinish(.failure(.cancelled)) }
    }

    /// Who made the request keeps this; so `handler`, which may keep who made the request, is handed on and not kept.
    func start(_ handler: any TransportHandler) {
        guard mayAnswerFromCache else { return load(request, confirming: nil, for: handler) }
        state.withLock { $0.waiting = handler }
        cache.store.find(CachingTransport.key(of: request)) { [self] stored in
            guard let handler = state.withLock({ $0.waiting.take() }) else { return }
            decide(stored.flatMap { $0.answers(request) ? $0 : nil }, for: handler)
        }
    }

    // MARK: - Where the answer comes from

    private func decide(_ stored: StoredResponse?, for handler: any TransportHandler) {
        guard let stored else { return load(request, confirming: nil, for: handler) }
        switch request.cachePolicy {
        case .byProtocol where !Freshness.isFresh(stored, for: request, at: cache.now()), .reload:
            guard !stored.conditions.isEmpty else { return load(request, confirming: nil, for: handler) }
            var conditional = request
            conditional.headers += stored.conditions
            load(conditional, confirming: stored, for: handler)
        case .byProtocol, .cachedElseLoad, .cachedOnly:
            let entry = PendingEntry(
                stored, forKey: CachingTransport.key(of: request), in: cache.store,
                generation: cache.store.generation, isStored: true)
            answer(with: stored, entry, for: handler)
        }
    }

    /// Answers with a response that is kept.
    func answer(with stored: StoredResponse, _ entry: PendingEntry?, for handler: any TransportHandler) {
        let replay = LocalTransportTask(
            request, replaying: stored.response(from: request.url, at: cache.now()), stored.body, entry,
            target: CachingTransport.workers)
        attach(replay, newAttempt())
        replay.start(handler)
    }

    /// Has the server answer.
    func load(
        _ request: TransportRequest, confirming stored: StoredResponse?, for handler: any TransportHandler
    ) {
        var request = request
        request.priority = priority
        let fetch = CachingTransferHandler(of: self, request, confirming: stored, for: handler)
        let attempt = newAttempt()
        attach(cache.base.start(request, handler: fetch), attempt)
    }

    /// The task of this attempt is over.
    func detach() {
        let task = state.withLock { state in
            state.attempt += 1
            return state.task.take()
        }
        withExtendedLifetime(task) {}
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
