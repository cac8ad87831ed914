import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

/// Handles one transfer of the transport: decides about responses, redirects and challenges, and gets the body.
///
/// `+Body` continues with the complete body, up to the callers' images. The transport calls on its network thread, which the
/// program's code must not block: delegates run on threads of the downloader.
final class ImageTransferHandler: TransportHandler {
    let task: SessionDataTask
    let url: URL
    let downloader: ImageDownloader
    let exchange: Exchange

    /// The session delegate; nil unless it is of a subclass.
    let session: SessionDelegate?

    /// Calls the session delegate in order.
    private let sessionQueue: SerialQueue?
    private let acceptsAnyStatus: Bool

    /// Why the response was rejected, which is the callers' error.
    let rejection = Lock<KingfisherError?>(nil)

    init(of task: SessionDataTask, url: URL, _ exchange: Exchange, for downloader: ImageDownloader) {
        self.task = task
        self.url = url
        self.exchange = exchange
        self.downloader = downloader
        acceptsAnyStatus = task.callers.first?.context.acceptsAnyStatus ?? false
        let session = downloader.sessionDelegate
        guard session.isCustom else {
            (self.session, sessionQueue) = (nil, nil)
            return
        }
        self.session = session
        sessionQueue = SerialQueue { [threads = downloader.delegateThreads] in threads.async($0) }
        task.foundationTask.handler = self
    }

    var hasDelegates: Bool { session != nil || downloader.delegate != nil }

    /// Runs the program's code where it cannot block other transfers.
    func callDelegates(_ block: @escaping @Sendable () -> Void) {
        if let sessionQueue { sessionQueue.async(block) } else { downloader.delegateThreads.async(block) }
    }

    // MARK: - Response

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        task.response = response
        downloader.storeCookies(of: response) { [self] in
            guard response.status != 0, !exchange.isConfirmation(response) else { return decide(true) }
            guard hasDelegates else { return decide(hasAcceptableStatus(response)) }
            guard let response = response.httpResponse else { return decide(true) }
            Task(executorPreference: downloader.delegateThreads) { [self] in decide(await allows(response)) }
        }
    }

    private func hasAcceptableStatus(_ response: TransportResponse) -> Bool {
        if acceptsAnyStatus || (200..<400).contains(response.status) && response.status != 304 { return true }
        guard let response = response.httpResponse else { return false }
        return reject(.responseError(reason: .invalidHTTPStatusCode(response: response)))
    }

    /// The decision of the session delegate, which by default is that of ``accepts(_:)``.
    private func allows(_ response: HTTPURLResponse) async -> Bool {
        guard let session else { return await accepts(response) }
        let disposition = await session.urlSession(
            SessionDelegate.session, dataTask: task.task, didReceive: response)
        guard disposition == .cancel else { return true }
        if rejection.withLock({ $0 == nil }) {
            _ = reject(.responseError(reason: .cancelledByDelegate(response: response)))
        }
        return false
    }

    /// Whether the status is acceptable and the downloader's delegate allows the response.
    func accepts(_ response: URLResponse) async -> Bool {
        let hooks = WeakHooks(delegate: downloader.delegate)
        if let response = response as? HTTPURLResponse {
            let validator: any ImageDownloaderDelegate = hooks.delegate ?? downloader
            guard validator.isValidStatusCode(response.statusCode, for: downloader) else {
                return reject(.responseError(reason: .invalidHTTPStatusCode(response: response)))
            }
        }
        guard let delegate = hooks.delegate,
            await delegate.imageDownloader(downloader, didReceive: response) == .cancel
        else { return true }
        return reject(.responseError(reason: .cancelledByDelegate(response: response)))
    }

    /// Stores why the response is rejected; returns false.
    private func reject(_ error: KingfisherError) -> Bool {
        rejection.withLock { $0 = error }
        return false
    }

    // MARK: - Redirects

    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        downloader.storeCookies(of: response) { [self] in
            let request = downloader.following(request)
            guard session != nil || redirectHandler != nil,
                let urlResponse = response.httpResponse
            else { return decide(exchange.redirected(by: response, to: request)) }
            let threads = session == nil ? ProgramThreads.decisions : downloader.delegateThreads
            Task(executorPreference: threads) { [self] in
                let wanted = await decision(urlResponse, URLRequest(request))
                guard let wanted else { return decide(nil) }
                var request = request
                request.url = wanted.url ?? request.url
                // All are replaced, so that a field that the program has removed is not sent.
                request.headers = []
                request.apply(wanted)
                // Again, because the program may have chosen another host.
                decide(exchange.redirected(by: response, to: downloader.following(request)))
            }
        }
    }

    /// The request of the session delegate, which by default is that of ``redirection(_:to:)``.
    private func decision(_ response: HTTPURLResponse, _ request: URLRequest) async -> URLRequest? {
        guard let session else { return await redirection(response, to: request) }
        return await session.urlSession(
            SessionDelegate.session, task: task.task, willPerformHTTPRedirection: response,
            newRequest: request)
    }

    /// The decision of the first redirect handler among the callers.
    func redirection(_ response: HTTPURLResponse, to request: URLRequest) async -> URLRequest? {
        guard let handler = redirectHandler else { return request }
        return await handler.handleHTTPRedirection(for: task, response: response, newRequest: request)
    }

    private var redirectHandler: (any ImageDownloadRedirectHandler)? {
        task.callers.lazy.compactMap(\.options.redirectHandler).first
    }

    // MARK: - Challenges

    func transfer(
        didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustDecision) -> Void
    ) {
        let challenge = URLAuthenticationChallenge(
            DownloaderProtectionSpace(trust, for: downloader), failures: 0, proposal: nil, response: nil)
        Task(executorPreference: downloader.delegateThreads) { [downloader] in
            let (disposition, credential) = await downloader.sessionDelegate.urlSession(
                SessionDelegate.session, didReceive: challenge)
            switch disposition {
            case .useCredential: decide(credential == nil ? .byDefault : .accept)
            case .cancelAuthenticationChallenge, .rejectProtectionSpace: decide(.reject)
            default: decide(.byDefault)
            }
        }
    }

    func transfer(
        didReceiveChallenge received: HTTPChallenge, decide: @escaping @Sendable (ChallengeDecision) -> Void
    ) {
        let decide: @Sendable (ChallengeDecision) -> Void = { [exchange] decision in
            if case .use = decision, !received.isProxy { exchange.authenticate() }
            decide(decision)
        }
        let space = DownloaderProtectionSpace(received, for: downloader)
        // The stored credential is sent once, because the server would reject it again.
        let stored = received.previousFailures == 0 ? downloader.storedCredential(for: space) : nil
        guard downloader.hasChallengeResponder else { return decide(ChallengeDecision(stored)) }
        let challenge = URLAuthenticationChallenge(
            space, failures: received.previousFailures, proposal: stored,
            response: received.response.httpResponse)
        Task(executorPreference: downloader.delegateThreads) { [downloader, task] in
            let (disposition, credential) = await downloader.sessionDelegate.urlSession(
                SessionDelegate.session, task: task.task, didReceive: challenge)
            switch disposition {
            case .useCredential: decide(ChallengeDecision(credential))
            case .cancelAuthenticationChallenge: decide(.cancel)
            case .rejectProtectionSpace: decide(.goOnWithout)
            default: decide(ChallengeDecision(challenge.proposedCredential))
            }
        }
    }

    // MARK: - Body

    /// Not after an observer has received bytes, which would come again.
    func transferMayStartOver() -> Bool { session == nil && !task.hasCollected }

    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        task.report(received: received, expected: expected)
        let observers = task.observers
        guard session != nil || !observers.isEmpty else { return }
        let piece = chunk.withUnsafeBytes { Data($0) }
        if let all = task.collect(piece, received: received) {
            for observer in observers { observer.download(task, didReceive: all) }
        }
        guard let session else { return }
        let reservation = downloader.delegateBackpressure.reserve(piece.count)
        callDelegates { [self] in
            session.urlSession(SessionDelegate.session, dataTask: task.task, didReceive: piece)
            reservation.release()
        }
    }

    func transfer(didCollect metrics: TransportMetrics) {
        guard let session else { return }
        callDelegates { [task] in
            session.urlSession(
                SessionDelegate.session, task: task.task, didFinishCollecting: MeasuredTaskMetrics(metrics))
        }
    }
}

extension URLRequest {
    fileprivate init(_ request: TransportRequest) {
        self.init(url: request.url)
        httpMethod = request.method
        httpBody = request.body
        for (name, value) in request.headers { addValue(value, forHTTPHeaderField: name) }
    }
}

extension TransportResponse {
    /// The response as Foundation's type.
    var httpResponse: HTTPURLResponse? {
        HTTPURLResponse(
            url: url,
            statusCode: status,
            httpVersion: httpVersion,
            headerFields: Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        )
    }
}
