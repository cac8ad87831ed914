import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

/// Leads one transfer from the response's head to the callers' images.
///
/// What a session delegate of one's own may decide comes here by way of it, see `ImageTransfer+Session`; what a
/// server asks, see `ImageTransfer+Challenges`; what becomes of the bytes, see `ImageTransfer+Processing`.
final class ImageTransfer: TransportHandler {
    let task: SessionDataTask
    let url: URL
    let downloader: ImageDownloader

    /// A session delegate that wants to be asked; nil for the usual one.
    let session: SessionDelegate?

    /// Where it is told, in order.
    private let sessionQueue: SerialQueue?
    private let acceptsAnyStatus: Bool
    let refusal = Lock<KingfisherError?>(nil)

    init(of task: SessionDataTask, url: URL, for downloader: ImageDownloader) {
        self.task = task
        self.url = url
        self.downloader = downloader
        let session = downloader.sessionDelegate
        self.session = session.isCustom ? session : nil
        sessionQueue = session.isCustom ? SerialQueue(target: downloader.delegateQueue) : nil
        let callers = task.callers
        acceptsAnyStatus = callers.first?.options.acceptsAnyStatus ?? false
        if session.isCustom { task.face.leader = self }
    }

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        task.response = response
        downloader.keepCookies(of: response) { [self] in consider(response, decide) }
    }

    private func consider(_ response: TransportResponse, _ decide: @escaping @Sendable (Bool) -> Void) {
        guard response.status != 0 else { return decide(true) }
        if let session { return ask(session, about: response, decide) }
        guard downloader.delegate != nil else {
            if response.hasAcceptableStatus || acceptsAnyStatus { return decide(true) }
            guard let response = response.httpResponse(url: url) else { return decide(false) }
            return decide(refuse(.responseError(reason: .invalidHTTPStatusCode(response: response))))
        }
        Task { [self] in
            guard let response = response.httpResponse(url: url) else { return decide(true) }
            decide(await judge(response))
        }
    }

    /// Whether the status is acceptable and the downloader's delegate has nothing against the response.
    func judge(_ response: URLResponse) async -> Bool {
        let delegate = WeakDelegate(value: downloader.delegate)
        if let response = response as? HTTPURLResponse {
            let asked: any ImageDownloaderDelegate = delegate.value ?? downloader
            guard asked.isValidStatusCode(response.statusCode, for: downloader) else {
                return refuse(.responseError(reason: .invalidHTTPStatusCode(response: response)))
            }
        }
        guard let asked = delegate.value,
            await asked.imageDownloader(downloader, didReceive: response) == .cancel
        else { return true }
        return refuse(.responseError(reason: .cancelledByDelegate(response: response)))
    }

    /// Notes why the response is not wanted; false.
    func refuse(_ error: KingfisherError) -> Bool {
        refusal.withLock { $0 = error }
        return false
    }

    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        downloader.keepCookies(of: response) { [self] in follow(response, to: request, decide) }
    }

    private func follow(
        _ response: TransportResponse,
        to request: TransportRequest,
        _ decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        let request = downloader.following(request)
        guard session != nil || redirectHandler != nil,
            let urlResponse = response.httpResponse(url: url), let proposed = URLRequest(request)
        else { return decide(request) }
        Task { [self] in
            let answer: URLRequest?
            if let session {
                answer = await session.urlSession(
                    SessionDelegate.session, task: task.task, willPerformHTTPRedirection: urlResponse,
                    newRequest: proposed)
            } else {
                answer = await redirection(urlResponse, to: proposed)
            }
            decide(
                answer.map { answer in
                    var request = request
                    request.url = answer.url?.absoluteString ?? request.url
                    request.headers = []
                    request.apply(answer)
                    return downloader.following(request)
                }
            )
        }
    }

    /// What the first caller with a redirect handler makes of a redirect.
    func redirection(_ response: HTTPURLResponse, to request: URLRequest) async -> URLRequest? {
        guard let handler = redirectHandler else { return request }
        return await handler.handleHTTPRedirection(for: task, response: response, newRequest: request)
    }

    private var redirectHandler: (any ImageDownloadRedirectHandler)? {
        task.callers.lazy.compactMap(\.options.redirectHandler).first
    }

    /// Unless somebody has been given bytes that would come again.
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
        let held = downloader.delegateBacklog.hold(piece.count)
        tellDelegates { [self] in
            session.urlSession(SessionDelegate.session, dataTask: task.task, didReceive: piece)
            held.release()
        }
    }

    /// Runs code of the program's where it can stop no other transfers.
    func tellDelegates(_ block: @escaping @Sendable () -> Void) {
        if let sessionQueue { sessionQueue.async(block) } else { downloader.delegateQueue.async(block) }
    }
}

extension URLRequest {
    /// A request as a handler is shown it; nil if its URL can't be read.
    fileprivate init?(_ request: TransportRequest) {
        guard let url = URL(string: request.url) else { return nil }
        self.init(url: url)
        httpMethod = request.method
        httpBody = request.body
        for (name, value) in request.headers { addValue(value, forHTTPHeaderField: name) }
    }
}

extension TransportResponse {
    /// Whether the status is one that a downloader without a delegate goes on with.
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
