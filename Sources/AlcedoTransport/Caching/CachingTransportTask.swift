import AlcedoLocks
import Foundation

/// One transfer through a cache: looks it up, and loads from the server if needed.
final class CachingTransportTask: TransportTask, PartialBody {
    private struct State {
        /// The handler during the look-up; nil before and after.
        var waiting: (any TransportHandler)?
        var task: (any TransportTask)?
        var isCancelled = false

        /// The number of the current attempt, whose task is or becomes `task`.
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

    /// The body of the current attempt.
    var bodySoFar: Data? { (state.withLock { $0.task } as? any PartialBody)?.bodySoFar }

    func cancel() {
        let (task, handler) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.waiting.take())
        }
        task?.cancel()
        guard let handler else { return }
        LocalTransport.memory.async { handler.transferDidFinish(.failure(.cancelled)) }
    }

    /// Passes `handler` on without keeping it alive, because the caller keeps this, and the handler may keep the caller.
    func start(_ handler: any TransportHandler) {
        guard mayUseCache else { return load(request, revalidating: nil, for: handler) }
        state.withLock { $0.waiting = handler }
        cache.store.find(CachingTransport.key(of: request)) { [self] stored in
            guard let handler = state.withLock({ $0.waiting.take() }) else { return }
            decide(stored.flatMap { $0.matches(request) ? $0 : nil }, for: handler)
        }
    }

    // MARK: - Source of the response

    private func decide(_ stored: StoredResponse?, for handler: any TransportHandler) {
        guard let stored else { return load(request, revalidating: nil, for: handler) }
        switch request.cachePolicy {
        case .byProtocol where !Freshness.isFresh(stored, for: request, at: cache.now()), .reload:
            guard !stored.conditions.isEmpty else { return load(request, revalidating: nil, for: handler) }
            var conditional = request
            conditional.headers += stored.conditions
            load(conditional, revalidating: stored, for: handler)
        case .byProtocol, .cachedElseLoad, .cachedOnly:
            let entry = PendingEntry(
                stored, forKey: CachingTransport.key(of: request), in: cache.store,
                generation: cache.store.generation, isStored: true)
            deliver(stored, entry, for: handler)
        }
    }

    func deliver(_ stored: StoredResponse, _ entry: PendingEntry?, for handler: any TransportHandler) {
        let replay = LocalTransportTask(
            request, replaying: stored.response(from: request.url, at: cache.now()), stored.body, entry)
        attach(replay, newAttempt())
        replay.start(handler)
    }

    func load(
        _ request: TransportRequest, revalidating stored: StoredResponse?, for handler: any TransportHandler
    ) {
        var request = request
        request.priority = priority
        let fetch = CachingTransferHandler(of: self, request, revalidating: stored, for: handler)
        let attempt = newAttempt()
        attach(cache.base.start(request, handler: fetch), attempt)
    }

    /// The current attempt has ended.
    func detach() {
        let task = state.withLock { state in
            state.attempt += 1
            return state.task.take()
        }
        // Released outside the lock.
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
            // The next attempt may have started before this task was returned.
            if attempt == state.attempt { state.task = task }
            return (state.isCancelled, state.priority)
        }
        if isCancelled { task.cancel() } else { task.priority = priority }
    }

    /// Whether the request may get a stored response.
    private var mayUseCache: Bool {
        if case .reload = request.cachePolicy { return false }
        return request.mayBeCached
    }
}

extension TransportRequest {
    /// Whether it is a GET for a whole response, without conditions, that allows storing.
    package var mayBeCached: Bool {
        let own: Set = [
            "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
        ]
        return method == "GET" && body == nil && !CacheControl(headers).noStore
            && !headers.contains { own.contains($0.name.lowercased()) }
    }
}
