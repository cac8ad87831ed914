import AlcedoLocks
import Foundation

/// Forwards the server's events to a handler, and makes a pending entry of the response.
final class CachingTransferHandler: TransportHandler {
    private struct State {
        /// Whether the server has revalidated the stored response.
        var isRevalidated = false

        var isRedirected = false

        /// Whether a credential was sent to the server.
        var isAuthenticated = false
    }

    private let transfer: CachingTransportTask
    private let handler: any TransportHandler
    private let request: TransportRequest
    private let stored: StoredResponse?
    private let requested: Date
    private let generation: Int
    private let state = Lock(State())

    /// Handles a request that revalidates `stored`, if that is not nil.
    init(
        of transfer: CachingTransportTask, _ request: TransportRequest, revalidating stored: StoredResponse?,
        for handler: any TransportHandler
    ) {
        self.transfer = transfer
        self.handler = handler
        self.request = request
        self.stored = stored
        requested = transfer.cache.now()
        // Before the request is sent: its response must not bring back what is invalidated from now on.
        generation = transfer.cache.store.generation
    }

    private var cache: CachingTransport { transfer.cache }
    private var key: String { CachingTransport.key(of: request) }

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        let isRevalidated = state.withLock { state in
            state.isRevalidated = stored != nil && response.status == 304 && !state.isRedirected
            return state.isRevalidated
        }
        // Even if the handler rejects the response.
        if response.isGone, isStorable { cache.store.remove(forKey: key) }
        if isRevalidated { decide(true) } else { handler.transfer(didReceive: response, decide: decide) }
    }

    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        state.withLock { $0.isRedirected = true }
        var request = request
        if let stored {
            // The conditions were for the first URL.
            let names = Set(stored.conditions.map { $0.name.lowercased() })
            request.headers.removeAll { names.contains($0.name.lowercased()) }
        }
        handler.transfer(willRedirect: response, to: request, decide: decide)
    }

    func transfer(
        didReceiveChallenge challenge: HTTPChallenge, decide: @escaping @Sendable (ChallengeDecision) -> Void
    ) {
        handler.transfer(didReceiveChallenge: challenge) { [self] decision in
            // A proxy's credential does not count, because the server does not see it (decision 0022).
            if case .use = decision, !challenge.isProxy { state.withLock { $0.isAuthenticated = true } }
            decide(decision)
        }
    }

    func transfer(
        didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustDecision) -> Void
    ) {
        handler.transfer(didReceiveTrust: trust, decide: decide)
    }

    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        guard !state.withLock({ $0.isRevalidated }) else { return }
        handler.transfer(didReceive: chunk, received: received, expected: expected)
    }

    func transferMayStartOver() -> Bool { handler.transferMayStartOver() }

    func transfer(didCollect metrics: TransportMetrics) { handler.transfer(didCollect: metrics) }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        // First, because what follows may start another attempt.
        transfer.detach()
        let state = state.withLock { $0 }
        guard case .success(var fetched) = result else { return handler.transferDidFinish(result) }
        if let stored, state.isRevalidated {
            let revalidated = stored.revalidated(
                by: fetched.response, requested: requested, received: cache.now())
            // A 304 with another entity tag confirms another body than the stored one.
            guard let revalidated else {
                return transfer.load(transfer.request, revalidating: nil, for: handler)
            }
            return transfer.deliver(revalidated, entry(for: revalidated, state), for: handler)
        }
        fetched.pendingEntry = entry(for: fetched, state)
        handler.transferDidFinish(.success(fetched))
    }

    /// The entry of a response; removes stored responses that it invalidates.
    private func entry(for result: TransferResult, _ state: State) -> PendingEntry? {
        guard ["GET", "HEAD", "OPTIONS", "TRACE"].contains(request.method) else {
            // An unsafe method invalidates what is stored only if it has succeeded (RFC 9111, 4.4).
            guard (200..<400).contains(result.response.status) else { return nil }
            let urls = [request.address] + invalidatedURLs(in: result.response)
            cache.store.invalidate(urls.flatMap(CachingTransport.keys))
            return nil
        }
        guard isStorable else { return nil }
        let response = StoredResponse(
            result, to: transfer.request, requested: requested, received: cache.now(),
            isAuthenticated: state.isAuthenticated)
        guard let response else {
            // A failure says nothing about the stored response.
            if result.response.status < 400 { cache.store.remove(forKey: key) }
            return nil
        }
        return PendingEntry(response, forKey: key, in: cache.store, generation: generation)
    }

    /// The entry of a revalidated response; removes it if it must no longer be stored.
    private func entry(for revalidated: StoredResponse, _ state: State) -> PendingEntry? {
        guard
            revalidated.mayBeStored(
                isAuthenticated: state.isAuthenticated || transfer.request.isAuthenticated)
        else {
            cache.store.remove(forKey: key)
            return nil
        }
        return PendingEntry(
            revalidated, forKey: key, in: cache.store, generation: generation, revalidatesStored: true)
    }

    /// Whether the request allows storing, and was not redirected.
    private var isStorable: Bool { transfer.request.mayBeCached && !state.withLock { $0.isRedirected } }

    /// Other URLs of the same server that a change invalidates: none may empty the cache for another (RFC 9111, 4.4).
    private func invalidatedURLs(in response: TransportResponse) -> [String] {
        ["location", "content-location"].compactMap { name in
            guard let text = response.value(forHeader: name),
                let url = URL(string: text, relativeTo: request.url)?.absoluteURL,
                url.host() == request.url.host(), url.port == request.url.port,
                url.scheme == request.url.scheme
            else { return nil }
            return url.absoluteString
        }
    }
}

extension TransportResponse {
    /// Whether the resource does not exist.
    fileprivate var isGone: Bool { status == 404 || status == 410 }
}
