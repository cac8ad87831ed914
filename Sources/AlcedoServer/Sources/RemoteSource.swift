import Alcedo
import AlcedoCodecs
import AlcedoLocks
import AlcedoTransport
import Foundation

/// One download.
final class RemoteSource: TransportHandler {
    /// A response of any status, and what it says about its source.
    struct Response: Sendable {
        let status: Int
        let result: TransferResult
        let head: SourceHead

        /// Whether the body was not read because it is a video's.
        var isUnreadVideo = false
    }

    private struct State {
        var task: (any TransportTask)?
        var isCancelled = false

        /// Accepts the body of a response that came before the task was known.
        ///
        /// Without a task a video can't be cancelled, and would be loaded whole.
        var acceptBody: (@Sendable (Bool) -> Void)?

        /// Whether one of the requests had a credential, as in a URL with a password.
        ///
        /// The server's own key for an object store is none: it is nobody's who requests a result.
        var isAuthenticated: Bool

        /// The final response, unless it has no source.
        var response: TransportResponse?

        /// What its body starts with, until that tells whether it is a video.
        var prefix: [UInt8]? = []

        /// Whether it was cancelled because it is a video.
        var isVideo = false

        /// What the redirects demand.
        var privacy: Privacy?

        /// What a response demands, and the redirects to it.
        func privacy(of response: TransportResponse) -> Privacy? {
            let isForClient = response.forbidsSharing(isAuthenticated: isAuthenticated)
            return .stricter(
                privacy, response.forbidsStoring ? Privacy.none : isForClient ? .client : nil)
        }
    }

    private let state: Lock<State>
    private let response = OneShot<Response, TransportError>()

    /// Whether the server has signed the request, so that it can't be redirected.
    private let isSigned: Bool

    /// What is for the origin of the first request only, which the settings allow; a redirect may lead anywhere.
    private let passed: PassedHeaders
    private let origin: String

    /// Whether a video is not read, unless it is short.
    private let stopsAtVideo: Bool

    private init(
        of request: TransportRequest, passing passed: PassedHeaders, isSigned: Bool, stopsAtVideo: Bool
    ) {
        state = Lock(State(isAuthenticated: !isSigned && request.isAuthenticated))
        (self.isSigned, self.stopsAtVideo) = (isSigned, stopsAtVideo)
        (self.passed, origin) = (passed, ImageSource.http(request.address).origin)
    }

    /// Downloads `request`, any status; cancelling the task cancels it.
    ///
    /// If it `isSigned`, a redirect is the response. If it `stopsAtVideo`, the response with a longer one than the first part
    /// of a ``PartialVideo`` has no body.
    static func load(
        _ request: TransportRequest, passing passed: PassedHeaders = .none, isSigned: Bool = false,
        stopsAtVideo: Bool = false, with transport: any Transport
    ) async -> Result<Response, TransportError> {
        let source = RemoteSource(
            of: request, passing: passed, isSigned: isSigned, stopsAtVideo: stopsAtVideo)
        return await withTaskCancellationHandler {
            let task = transport.start(request, handler: source)
            let (isCancelled, acceptBody) = source.state.withLock { state in
                state.task = task
                return (state.isCancelled, state.acceptBody.take())
            }
            // `onCancel` may have run before there was a task.
            if isCancelled { task.cancel() }
            acceptBody?(true)
            return await source.response.result()
        } onCancel: {
            source.cancel()
        }
    }

    func transfer(
        willRedirect response: TransportResponse, to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        guard !isSigned else { return decide(nil) }
        state.withLock { state in
            state.privacy = state.privacy(of: response)
            if request.isAuthenticated { state.isAuthenticated = true }
        }
        var request = request
        if ImageSource.http(request.address).origin != origin { passed.restore(in: &request.headers) }
        decide(request)
    }

    func transfer(
        didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void
    ) {
        guard stopsAtVideo, [200, 203].contains(response.status) else { return decide(true) }
        let hasTask = state.withLock { state in
            state.response = response
            if state.task == nil { state.acceptBody = decide }
            return state.task != nil
        }
        if hasTask { decide(true) }
    }

    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        guard stopsAtVideo, state.withLock({ $0.response != nil && $0.prefix != nil }) else { return }
        let start = chunk.withUnsafeBytes { Array($0.prefix(VideoContainer.prefixLength)) }
        let whole = state.withLock { state -> [UInt8]? in
            guard let prefix = state.prefix.map({ $0 + start }) else { return nil }
            let isEnough = prefix.count >= VideoContainer.prefixLength
            state.prefix = isEnough ? nil : prefix
            return isEnough ? prefix : nil
        }
        // A short one is here as soon as its first part.
        guard let whole, expected ?? .max > PartialVideo.firstLength,
            VideoContainer.recognizes(whole.span.bytes, codecs: codecs)
        else { return }
        state.withLock { $0.isVideo = true }
        cancel()
    }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        let state = state.withLock { state in
            state.task = nil
            return state
        }
        if case .failure(.cancelled) = result, state.isVideo, let video = state.response {
            let unread = TransferResult(response: video, body: Data())
            return response.finish(.success(Response(unread, state.privacy(of: video), isUnreadVideo: true)))
        }
        response.finish(result.map { Response($0, state.privacy(of: $0.response)) })
    }

    private func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}

extension RemoteSource.Response {
    fileprivate init(_ result: TransferResult, _ privacy: Privacy?, isUnreadVideo: Bool = false) {
        self.init(
            status: result.response.status, result: result,
            head: SourceHead(result.response, privacy: privacy), isUnreadVideo: isUnreadVideo)
    }
}

extension SourceHead {
    /// `Cache-Tag`, with commas, and `Surrogate-Key`, with spaces; none if they are longer than a header that is passed on.
    private static func tags(of response: TransportResponse) -> [String]? {
        let fields = ["Cache-Tag", "Surrogate-Key"].compactMap { response.value(forHeader: $0) }
        guard !fields.isEmpty, fields.reduce(0, { $0 + $1.utf8.count }) <= ServerResponse.longestHeader else {
            return nil
        }
        return fields.flatMap { $0.split { ", \t".contains($0) }.map(String.init) }
    }

    fileprivate init(_ response: TransportResponse, privacy: Privacy?) {
        self.init(
            etag: response.value(forHeader: "ETag"),
            lastModified: response.value(forHeader: "Last-Modified"),
            cacheControl: response.value(forHeader: "Cache-Control"),
            expires: response.value(forHeader: "Expires"), privacy: privacy,
            tags: Self.tags(of: response), use: Freshness.sharedUse(of: response, at: Date()))
    }
}

extension RequestFailure {
    /// A download that failed.
    init(_ error: TransportError) {
        let reason = "\(error)"
        switch error {
        case .addressRejected, .invalidURL: self = .forbiddenSource(reason)
        case .incompleteBody: self = .incomplete(reason).shared(.failing).passing()
        case .tooLarge:
            self = .invalidSource(reason)
            isOfSize = true
        case .timedOut:
            self = .unreachable(reason, status: 504, kind: .timeout).shared(.failing).passing()
        case .queueTimedOut: self = .unreachable(reason, status: 504, kind: .timeout).passing()
        case .cancelled: self = .cancelled
        default: self = .unreachable(reason).passing()
        }
    }

    /// The response of an origin that has no image.
    init(_ response: RemoteSource.Response, from source: ImageSource) {
        let status = response.status
        var reason = "the origin responded with \(status): \(source.text)"
        if case .object = source, let code = ObjectStore.errorCode(of: response) { reason += " (\(code))" }
        switch status {
        case 404, 410: self = .unreachable(reason, status: status).shared(.missing)
        case 408, 425, 429: self = .unreachable(reason, status: status).passing()
        case 400..<500: self = .unreachable(reason, status: status)
        case 500..<600: self = .unreachable(reason, status: 502).shared(.failing).passing()
        default: self = .unreachable(reason)
        }
        if response.head.privacy != nil { sharing = nil }
    }
}
