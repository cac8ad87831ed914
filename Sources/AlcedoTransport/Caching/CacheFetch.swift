import AlcedoLocks
import Foundation

/// Passes on what a server says, and keeps it.
final class CacheFetch: TransportHandler {
    private struct State {
        /// Whether the server has said that what is kept is still good.
        var isConfirmed = false

        /// Whether the request went on to elsewhere.
        var isRedirected = false
    }

    private let transfer: CachingTransfer
    private let request: TransportRequest
    private let stored: StoredResponse?
    private let requested: Date
    private let state = Lock(State())

    /// Leads a request that asks whether `stored`, if there is any, is still good.
    init(of transfer: CachingTransfer, _ request: TransportRequest, confirming stored: StoredResponse?) {
        self.transfer = transfer
        self.request = request
        self.stored = stored
        requested = transfer.cache.now()
    }

    private var handler: any TransportHandler { transfer.handler }
    private var cache: CachingTransport { transfer.cache }

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        let isConfirmed = state.withLock { state in
            state.isConfirmed = stored != nil && response.status == 304 && !state.isRedirected
            return state.isConfirmed
        }
        if isConfirmed { decide(true) } else { handler.transfer(didReceive: response, decide: decide) }
    }

    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        state.withLock { $0.isRedirected = true }
        var request = request
        if let stored {
            // The conditions spoke of the first URL's response.
            let names = Set(stored.conditions.map { $0.name.lowercased() })
            request.headers.removeAll { names.contains($0.name.lowercased()) }
        }
        handler.transfer(willRedirect: response, to: request, decide: decide)
    }

    func transfer(
        didReceiveChallenge challenge: HTTPChallenge, decide: @escaping @Sendable (ChallengeAnswer) -> Void
    ) {
        handler.transfer(didReceiveChallenge: challenge, decide: decide)
    }

    func transfer(
        didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustAnswer) -> Void
    ) {
        handler.transfer(didReceiveTrust: trust, decide: decide)
    }

    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        guard !state.withLock({ $0.isConfirmed }) else { return }
        handler.transfer(didReceive: chunk, received: received, expected: expected)
    }

    func transferMayStartOver() -> Bool { handler.transferMayStartOver() }

    func transfer(didCollect metrics: TransportMetrics) { handler.transfer(didCollect: metrics) }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        let state = state.withLock { $0 }
        guard case .success(let answer) = result else { return handler.transferDidFinish(result) }
        if let stored, state.isConfirmed {
            let now = cache.now()
            guard
                let confirmed = stored.confirmed(by: answer.response, requested: requested, received: now)
            else { return transfer.load(transfer.request, confirming: nil) }
            cache.store.store(confirmed, forKey: CachingTransport.key(of: request))
            return transfer.answer(with: confirmed)
        }
        keep(answer, isRedirected: state.isRedirected)
        handler.transferDidFinish(result)
    }

    private func keep(_ result: TransferResult, isRedirected: Bool) {
        let key = CachingTransport.key(of: request)
        let isSafe = ["GET", "HEAD", "OPTIONS", "TRACE"].contains(request.method)
        if !isSafe {
            guard (200..<400).contains(result.response.status) else { return }
            let urls = [request.url] + places(in: result.response)
            for key in urls.flatMap(CachingTransport.keys) { cache.store.remove(forKey: key) }
        } else if transfer.request.mayBeCached, !isRedirected {
            let kept = StoredResponse(
                result, to: transfer.request, requested: requested, received: cache.now())
            if let kept {
                cache.store.store(kept, forKey: key)
            } else if result.response.status < 500 {
                cache.store.remove(forKey: key)
            }
        }
    }

    /// Other places of the same server that a change has touched.
    private func places(in response: TransportResponse) -> [String] {
        guard let base = URL(string: request.url) else { return [] }
        return ["location", "content-location"].compactMap { name in
            guard let text = response.value(forHeader: name),
                let url = URL(string: text, relativeTo: base)?.absoluteURL,
                url.host() == base.host(), url.port == base.port, url.scheme == base.scheme
            else { return nil }
            return url.absoluteString
        }
    }
}
