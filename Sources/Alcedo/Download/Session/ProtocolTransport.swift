import AlcedoLocks
import AlcedoTransport
import Foundation
import FoundationNetworking

/// Loads the requests that a configuration's `protocolClasses` accept, as a URLSession does; `base` loads the others.
final class ProtocolTransport: Transport {
    private let classes: [URLProtocol.Type]
    private let base: any Transport

    init(_ classes: [URLProtocol.Type], before base: any Transport) {
        (self.classes, self.base) = (classes, base)
    }

    @discardableResult
    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let transfer = ProtocolTransfer(request, handler, self)
        // On a thread that the program's code may block.
        ProgramThreads.providers.async { [self] in
            let full = URLRequest(request)
            guard let accepting = classes.first(where: { $0.canInit(with: full) })
            else { return transfer.resume(with: request, by: base) }
            transfer.load(accepting.canonicalRequest(for: full), by: accepting)
        }
        return transfer
    }
}

extension URLRequest {
    fileprivate init(_ request: TransportRequest) {
        self.init(url: request.url, timeoutInterval: request.timeouts.firstByte.seconds)
        httpMethod = request.method
        httpBody = request.body
        for (name, value) in request.headers { addValue(value, forHTTPHeaderField: name) }
    }
}

/// A transfer by an object of one of the program's classes.
///
/// Safe because its state is used on its queue only.
private final class ProtocolTransfer: NSObject, URLProtocolClient, TransportTask, @unchecked Sendable {
    private let queue = DispatchQueue(label: "alcedo.protocol")
    private let request: TransportRequest
    private let transport: ProtocolTransport
    private let start = Date()
    private let sharedPriority: Lock<Float>

    /// Nil once the transfer has ended, or another transport does it.
    private var handler: (any TransportHandler)?
    private var loader: URLProtocol?

    /// A loader until a thread for the program's code stops it; here, because it is not `Sendable`.
    private var stopped: URLProtocol?

    /// The transfer that goes on with a redirect, or that no class has accepted.
    private var next: (any TransportTask)?
    private var response: TransportResponse?
    private var isAccepted = false

    /// Whether the loader has redirected; what it reports afterwards is ignored.
    private var isRedirecting = false
    private var isComplete = false
    private var chunks: [Data] = []
    private var body = Data()

    init(_ request: TransportRequest, _ handler: any TransportHandler, _ transport: ProtocolTransport) {
        (self.request, self.handler, self.transport) = (request, handler, transport)
        sharedPriority = Lock(request.priority)
    }

    var priority: Float {
        get { sharedPriority.withLock { $0 } }
        set {
            sharedPriority.withLock { $0 = newValue }
            queue.async { [self] in next?.priority = newValue }
        }
    }

    func cancel() {
        queue.async { [self] in
            if let next { next.cancel() } else { finish(.failure(.cancelled)) }
        }
    }

    func resume(with request: TransportRequest, by transport: any Transport) {
        queue.async { [self] in
            guard let handler = handler.take() else { return }
            next = transport.start(request, handler: handler)
            next?.priority = priority
        }
    }

    func load(_ full: URLRequest, by type: URLProtocol.Type) {
        let loader = type.init(request: full, cachedResponse: nil, client: self)
        let starts = queue.sync {
            if handler != nil { self.loader = loader }
            return handler != nil
        }
        guard starts else { return }
        limit(request.timeouts.firstByte.seconds, .firstByte) { $0.response != nil || $0.isRedirecting }
        limit(request.timeouts.total.seconds, .total) { _ in false }
        loader.startLoading()
    }

    private func limit(
        _ seconds: Double, _ phase: TimeoutPhase,
        unless isOver: @escaping @Sendable (ProtocolTransfer) -> Bool
    ) {
        guard seconds > 0 else { return }
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self, handler != nil, !isOver(self) else { return }
            finish(.failure(.timedOut(phase, seconds: seconds, url: request.address)))
        }
    }

    // MARK: - On the queue

    private func deliver() {
        guard isAccepted, let response, let handler else { return }
        for chunk in chunks {
            guard body.count + chunk.count <= request.maximumBodyBytes else {
                return finish(.failure(.tooLarge(limit: request.maximumBodyBytes, url: request.address)))
            }
            body.append(chunk)
            chunk.withUnsafeBytes {
                handler.transfer(
                    didReceive: $0.bytes, received: Int64(body.count), expected: response.expectedBytes)
            }
        }
        chunks = []
        guard isComplete else { return }
        var metrics = TransportMetrics()
        (metrics.start, metrics.total) = (start, Date().timeIntervalSince(start))
        metrics.bytesReceived = Int64(body.count)
        handler.transfer(didCollect: metrics)
        finish(.success(TransferResult(response: response, body: body, metrics: metrics)))
    }

    private func finish(_ result: Result<TransferResult, TransportError>) {
        guard let handler = handler.take() else { return }
        stop()
        handler.transferDidFinish(result)
    }

    private func stop() {
        guard let loader = loader.take() else { return }
        stopped = loader
        ProgramThreads.providers.async { [self] in queue.sync { stopped.take() }?.stopLoading() }
    }

    // MARK: - URLProtocolClient

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        let head = TransportResponse(response, to: request)
        queue.async { [self] in
            guard let handler, self.response == nil, !isRedirecting else { return }
            self.response = head
            handler.transfer(didReceive: head) { [self] isAccepted in
                queue.async { [self] in
                    guard isAccepted else { return finish(.failure(.rejected(url: request.address))) }
                    self.isAccepted = true
                    deliver()
                }
            }
        }
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        queue.async { [self] in
            guard handler != nil, !isRedirecting else { return }
            chunks.append(data)
            deliver()
        }
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        queue.async { [self] in
            guard handler != nil, !isRedirecting else { return }
            isComplete = true
            guard response == nil else { return deliver() }
            let reason = "the URLProtocol sent no response"
            finish(.failure(.malformedResponse(reason: reason, url: request.address)))
        }
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        let (cause, reason, url) = (error as NSError, error.localizedDescription, request.address)
        let code = cause.domain == NSURLErrorDomain ? cause.code : NSURLErrorUnknown
        queue.async { [self] in
            if !isRedirecting { finish(.failure(.other(code: code, reason: reason, url: url))) }
        }
    }

    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo target: URLRequest, redirectResponse: URLResponse
    ) {
        let head = TransportResponse(redirectResponse, to: request)
        let address = target.url?.absoluteString ?? ""
        queue.async { [self] in
            guard let handler, response == nil, !isRedirecting else { return }
            isRedirecting = true
            let following: TransportRequest
            do throws(TransportError) {
                following = try request.redirected(to: address, status: head.status)
            } catch {
                return finish(.failure(error))
            }
            handler.transfer(willRedirect: head, to: following) { [self] decision in
                queue.async { [self] in
                    guard self.handler != nil else { return }
                    stop()
                    guard let decision else {
                        (response, isAccepted, isComplete) = (head, true, true)
                        return deliver()
                    }
                    resume(with: decision, by: transport)
                }
            }
        }
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}

    /// Continues without a credential, as a transport does without a responder.
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        challenge.sender?.continueWithoutCredential(for: challenge)
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}

extension TransportResponse {
    fileprivate init(_ response: URLResponse, to request: TransportRequest) {
        let http = response as? HTTPURLResponse
        let headers = http?.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
        let length = response.expectedContentLength
        self.init(
            url: response.url ?? request.url, status: http?.statusCode ?? 0,
            httpVersion: http == nil ? "" : "HTTP/1.1", headers: headers ?? [],
            expectedBytes: length >= 0 ? length : nil)
    }
}
