import AlcedoLocks
import Foundation

/// One transfer that may be resumed: looks for a partial response, and requests the rest or everything.
final class ResumingTransportTask: TransportTask, PartialBody {
    private struct State {
        /// The handler during the lookup; nil before and after.
        var waiting: (any TransportHandler)?
        var task: (any TransportTask)?

        /// The handler of the current attempt, which its transport keeps alive.
        weak var handler: ResumingTransferHandler?
        var isCancelled = false

        /// The number of the current attempt, whose task is or becomes `task`.
        var attempt = 0
        var priority: Float

        /// The bytes before those of the current attempt.
        var prefix = Data()

        /// Whether a connection that broke within the body has been resumed.
        var hasResumed = false
    }

    let request: TransportRequest
    let transport: ResumingTransport
    let key: String

    /// The domains with cookies, in lower case.
    private let cookieDomains: Set<String>
    private let state: Lock<State>

    init(_ request: TransportRequest, transport: ResumingTransport) {
        self.request = request
        self.transport = transport
        key = ResumingTransport.key(of: request)
        cookieDomains = Set((request.cookies?.cookies ?? []).map { $0.domain.lowercased() })
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

    var bodySoFar: Data? {
        let (task, prefix) = state.withLock { ($0.task, $0.prefix) }
        return (task as? any PartialBody)?.bodySoFar.map { prefix + $0 }
    }

    func cancel() {
        let (task, handler, attempt) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.waiting.take(), state.handler)
        }
        attempt?.cancelStoring()
        task?.cancel()
        guard let handler else { return }
        LocalTransport.memory.async { handler.transferDidFinish(.failure(.cancelled)) }
    }

    /// Whether a request for `url` may have cookies, whose response is then not stored.
    func mayHaveCookies(for url: String) -> Bool {
        guard !cookieDomains.isEmpty, let host = URL(string: url)?.host()?.lowercased() else {
            return !cookieDomains.isEmpty
        }
        return cookieDomains.contains { domain in
            host.utf8.elementsEqual(domain.utf8)
                || host.utf8.reversed().starts(with: (".".utf8 + Array(domain.utf8)).reversed())
        }
    }

    // MARK: - Attempts

    /// Looks for a partial response, and starts the transfer.
    ///
    /// If `broken` is not nil, the handler has received so many bytes of a response before that error.
    func start(_ handler: any TransportHandler, after broken: ResumingTransferHandler.Broken? = nil) {
        state.withLock { $0.waiting = handler }
        transport.store.take(key) { [self] partial in
            guard let handler = state.withLock({ $0.waiting.take() }) else {
                partial?.file.keep()
                return
            }
            guard let partial, partial.response.total <= request.maximumBodyBytes else {
                partial?.file.keep()
                return load(for: handler, after: broken)
            }
            load(partial, for: handler, after: broken)
        }
    }

    /// Loads the rest of a partial response, or everything.
    func load(
        _ partial: (response: PartialResponse, file: any PartialFile)? = nil,
        for handler: any TransportHandler,
        after broken: ResumingTransferHandler.Broken? = nil
    ) {
        var request = request
        if let partial {
            request.headers += partial.response.rangeFields
            // A compressed body could not be appended.
            request.headers.removeAll { $0.name.lowercased() == "accept-encoding" }
            request.headers.append(("Accept-Encoding", "identity"))
        }
        let attempt = state.withLock { state in
            state.attempt += 1
            state.prefix = partial?.response.body ?? Data()
            request.priority = state.priority
            return state.attempt
        }
        let attemptHandler = ResumingTransferHandler(
            of: self, continuing: partial, for: handler, after: broken)
        // Before the start, so that a cancellation during it keeps the body.
        state.withLock { $0.handler = attemptHandler }
        attach(transport.base.start(request, handler: attemptHandler), attempt)
    }

    /// The response has replaced the partial one.
    func discardPrefix() {
        let old = state.withLock { exchange(&$0.prefix, with: Data()) }
        // Released outside the lock.
        _ = consume old
    }

    /// Whether a broken connection may be resumed within this transfer: true once.
    func mayResume() -> Bool {
        state.withLock { state in
            defer { state.hasResumed = true }
            return !state.hasResumed && !state.isCancelled
        }
    }

    /// Ends the current attempt, whose handler decides what follows.
    func cancelAttempt() { state.withLock { $0.task }?.cancel() }

    /// The current attempt has ended.
    func detach() {
        let task = state.withLock { state in
            state.attempt += 1
            return state.task.take()
        }
        // Released outside the lock.
        withExtendedLifetime(task) {}
    }

    private func attach(_ task: any TransportTask, _ attempt: Int) {
        let (isCancelled, priority) = state.withLock { state in
            // The next attempt may have started before this task was returned.
            if attempt == state.attempt { state.task = task }
            return (state.isCancelled, state.priority)
        }
        if isCancelled { task.cancel() } else { task.priority = priority }
    }
}
