import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

/// Handles one transfer of the transport, from the response to the callers' images.
///
/// `+Session` has the session delegate's part, `+Challenges` authentication and trust, `+Processing` the body.
final class ImageTransferHandler: TransportHandler {
    let task: SessionDataTask
    let url: URL
    let downloader: ImageDownloader
    let exchange: Exchange

    /// The session delegate, if it is of a subclass; nil otherwise.
    let session: SessionDelegate?

    /// Calls the session delegate in order.
    private let sessionQueue: SerialQueue?
    private let acceptsAnyStatus: Bool
    let rejection = Lock<KingfisherError?>(nil)

    init(of task: SessionDataTask, url: URL, _ exchange: Exchange, for downloader: ImageDownloader) {
        self.task = task
        self.url = url
        self.exchange = exchange
        self.downloader = downloader
        let session = downloader.sessionDelegate
        self.session = session.isCustom ? session : nil
        sessionQueue =
            session.isCustom
            ? SerialQueue { [threads = downloader.delegateThreads] in threads.async($0) } : nil
        acceptsAnyStatus = task.callers.first?.acceptsAnyStatus ?? false
        if session.isCustom { task.foundationTask.handler = self }
    }

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        task.response = response
        downloader.storeCookies(of: response) { [self] in consider(response, decide) }
    }

    private func consider(_ response: TransportResponse, _ decide: @escaping @Sendable (Bool) -> Void) {
        guard response.status != 0, !exchange.isConfirmation(response) else { return decide(true) }
        if let session { return forward(response, to: session, decide) }
        guard downloader.delegate != nil else {
            if response.hasAcceptableStatus || acceptsAnyStatus { return decide(true) }
            guard let response = response.httpResponse(url: url) else { return decide(false) }
            return decide(reject(.responseError(reason: .invalidHTTPStatusCode(response: response))))
        }
        Task(executorPreference: downloader.delegateThreads) { [self] in
            guard let response = response.httpResponse(url: url) else { return decide(true) }
            decide(await accepts(response))
        }
    }

    /// Whether the status is acceptable and the downloader's delegate allows the response.
    func accepts(_ response: URLResponse) async -> Bool {
        let delegate = WeakDelegate(value: downloader.delegate)
        if let response = response as? HTTPURLResponse {
            let validator: any ImageDownloaderDelegate = delegate.value ?? downloader
            guard validator.isValidStatusCode(response.statusCode, for: downloader) else {
                return reject(.responseError(reason: .invalidHTTPStatusCode(response: response)))
            }
        }
        guard let delegate = delegate.value,
            await delegate.imageDownloader(downloader, didReceive: response) == .cancel
        else { return true }
        return reject(.responseError(reason: .cancelledByDelegate(response: response)))
    }

    /// Stores why the response is rejected; returns false.
    func reject(_ error: KingfisherError) -> Bool {
        rejection.withLock { $0 = error }
        return false
    }

    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        downloader.storeCookies(of: response) { [self] in follow(response, to: request, decide) }
    }

    private func follow(
        _ response: TransportResponse,
        to request: TransportRequest,
        _ decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        let request = downloader.following(request)
        guard session != nil || redirectHandler != nil,
            let urlResponse = response.httpResponse(url: url), let proposed = URLRequest(request)
        else { return decide(exchange.redirected(by: response, to: request)) }
        let threads = session == nil ? ProgramThreads.decisions : downloader.delegateThreads
        Task(executorPreference: threads) { [self] in
            let decision: URLRequest?
            if let session {
                decision = await session.urlSession(
                    SessionDelegate.session, task: task.task, willPerformHTTPRedirection: urlResponse,
                    newRequest: proposed)
            } else {
                decision = await redirection(urlResponse, to: proposed)
            }
            decide(
                decision.map { decision in
                    var request = request
                    request.url = decision.url?.absoluteString ?? request.url
                    request.headers = []
                    request.apply(decision)
                    return exchange.redirected(by: response, to: downloader.following(request))
                }
            )
        }
    }

    /// The decision of the first redirect handler among the callers.
    func redirection(_ response: HTTPURLResponse, to request: URLRequest) async -> URLRequest? {
        guard let handler = redirectHandler else { return request }
        return await handler.handleHTTPRedirection(for: task, response: response, newRequest: request)
    }

    private var redirectHandler: (any ImageDownloadRedirectHandler)? {
        task.callers.lazy.compactMap(\.options.redirectHandler).first
    }

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

    /// Runs the program's code where it cannot block other transfers.
    func callDelegates(_ block: @escaping @Sendable () -> Void) {
        if let sessionQueue { sessionQueue.async(block) } else { downloader.delegateThreads.async(block) }
    }
}

extension URLRequest {
    /// The request as Foundation's type; nil if its URL is invalid.
    fileprivate init?(_ request: TransportRequest) {
        guard let url = URL(string: request.url) else { return nil }
        self.init(url: url)
        httpMethod = request.method
        httpBody = request.body
        for (name, value) in request.headers { addValue(value, forHTTPHeaderField: name) }
    }
}

extension TransportResponse {
    /// Whether a downloader without a delegate accepts the status.
    fileprivate var hasAcceptableStatus: Bool { (200..<400).contains(status) && status != 304 }

    func httpResponse(url: URL) -> HTTPURLResponse? {
        HTTPURLResponse(
            url: URL(string: self.url) ?? url,
            statusCode: status,
            httpVersion: httpVersion,
            headerFields: Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        )
    }
}
