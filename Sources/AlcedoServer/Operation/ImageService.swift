package import AlcedoHTTPServer
import AlcedoLocks
import Foundation
import Synchronization

/// Answers requests: the few paths of the server's own, and images through a responder.
package final class ImageService: Sendable {
    /// Answers requests for images.
    package struct Responder: Sendable {
        /// Answers on the connection's thread if that takes microseconds; nil leaves it to ``answer``.
        let answerAtOnce: @Sendable (ServedRequest) -> ServedAnswer?
        let answer: @Sendable (ServedRequest) async -> ServedAnswer

        package init(
            atOnce answerAtOnce: @escaping @Sendable (ServedRequest) -> ServedAnswer? = { _ in nil },
            answer: @escaping @Sendable (ServedRequest) async -> ServedAnswer
        ) {
            (self.answerAtOnce, self.answer) = (answerAtOnce, answer)
        }
    }

    /// A request, and what was given to it when it came.
    private struct Call {
        let request: HTTPRequest
        let path: String
        let id: String
        let start = ContinuousClock.now

        init(_ request: HTTPRequest) {
            self.request = request
            path = String(decoding: request.target, as: UTF8.self)
            id = request.headers["X-Request-ID"].flatMap { $0.isRequestID ? $0 : nil } ?? .newRequestID()
        }
    }

    package let metrics = ServerMetrics()
    private let settings: ServerSettings
    private let log: RequestLog
    private let responder: Lock<Responder>
    /// The present rules for URLs, for the log.
    private let urls: Lock<URLRules>
    private let isDraining = Atomic(false)
    private let readiness: @Sendable () -> SourceWatch.Readiness

    package init(
        settings: ServerSettings, log: RequestLog,
        readiness: @escaping @Sendable () -> SourceWatch.Readiness = { .ready }, responder: Responder
    ) {
        self.settings = settings
        self.log = log
        self.readiness = readiness
        self.responder = Lock(responder)
        urls = Lock(settings.urls)
    }

    /// Answers further requests with another responder, made for these rules; running ones keep theirs.
    package func replace(_ new: Responder, for rules: URLRules) {
        responder.withLock { $0 = new }
        urls.withLock { $0 = rules }
    }

    /// From now on, `/ready` says that the server stops.
    package func drain() { isDraining.store(true, ordering: .releasing) }

    /// Answers a request, unless that takes more than microseconds.
    package func answerAtOnce(_ request: HTTPRequest) -> HTTPResponse? {
        let call = Call(request)
        guard let answer = ownAnswer(call) ?? currentResponder.answerAtOnce(served(call)) else {
            return nil
        }
        metrics.begin()
        return response(answer, to: call)
    }

    /// Answers a request.
    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let call = Call(request)
        metrics.begin()
        if let answer = ownAnswer(call) { return response(answer, to: call) }
        return response(await currentResponder.answer(served(call)), to: call)
    }

    private var currentResponder: Responder { responder.withLock { $0 } }

    private func served(_ call: Call) -> ServedRequest {
        ServedRequest(
            target: call.path, isHead: call.request.method == "HEAD",
            headers: call.request.headers.fields,
            id: call.id, deadline: call.start + .seconds(settings.timeout))
    }

    private func response(_ answer: ServedAnswer, to call: Call) -> HTTPResponse {
        let answered = ContinuousClock.now
        let bytes = call.request.method == "HEAD" ? 0 : answer.body.count
        metrics.answered(answer, bytes: bytes, after: answered - call.start)
        let isSilent = isOwnPath(call.path, ["/health", "/ready"])
        return HTTPResponse(
            status: answer.status, headers: headers(of: answer, id: call.id), body: answer.body
        ) { [self] end in
            let now = ContinuousClock.now
            metrics.ended(bytes: bytes, isSent: end == .sent, after: now - answered)
            if isSilent { return }
            let isUnsendable = end == .unsendable
            let path = LoggedPath(call.path, rules: urls.withLock { $0 })
            log.write(
                RequestLog.Entry(
                    id: call.id, method: call.request.method, path: path.description,
                    answer: isUnsendable ? .unsendable : answer, bytes: isUnsendable ? 0 : bytes,
                    isSent: end != .aborted,
                    time: answered - call.start, sending: now - answered))
        }
    }

    /// The answer to a request that is not for an image, or not allowed.
    private func ownAnswer(_ call: Call) -> ServedAnswer? {
        switch call.request.method {
        case "GET", "HEAD": break
        case "OPTIONS": return ServedAnswer(status: 200)
        default: return text(404, "Not found")
        }
        if isOwnPath(call.path, ["/health"]) { return text(200, "Alcedo is running") }
        if isOwnPath(call.path, ["/ready"]) { return readyAnswer }
        if isOwnPath(call.path, ["/favicon.ico"]) || call.path.utf8.starts(with: "/.well-known/".utf8) {
            return text(404, "Not found")
        }
        return isAuthorised(call.request)
            ? nil : text(403, "Forbidden", .security, "the Authorization header is missing or wrong")
    }

    /// Names no folder, as it needs no secret.
    private var readyAnswer: ServedAnswer {
        if isDraining.load(ordering: .acquiring) { return text(503, "Stopping") }
        return switch readiness() {
        case .ready: text(200, "Ready")
        case .degraded: text(200, "Ready, but some local sources do not respond")
        case .unready: text(503, "Local sources do not respond")
        }
    }

    /// Whether a path is one of the server's own, with or without the prefix.
    private func isOwnPath(_ path: String, _ names: [String]) -> Bool {
        let path = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        let given = settings.urls.pathPrefix
        let prefix = (given.hasSuffix("/") ? given.dropLast() : given[...]).utf8
        let own = path.starts(with: prefix) ? path.dropFirst(prefix.count) : path
        return names.contains { path.elementsEqual($0.utf8) || own.elementsEqual($0.utf8) }
    }

    private func isAuthorised(_ request: HTTPRequest) -> Bool {
        guard !settings.secret.isEmpty else { return true }
        let expected = Array("Bearer \(settings.secret)".utf8)
        let given = Array((request.headers["Authorization"] ?? "").utf8)
        var difference = UInt8(expected.count == given.count ? 0 : 1)
        // In the same time for all texts of one length.
        for (index, byte) in given.enumerated() { difference |= byte ^ expected[index % expected.count] }
        return difference == 0
    }

    private func text(
        _ status: Int, _ text: String, _ kind: ErrorKind? = nil, _ reason: String? = nil
    ) -> ServedAnswer {
        ServedAnswer(
            status: status,
            headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Data(text.utf8), errorKind: kind, reason: reason)
    }

    private func headers(of answer: ServedAnswer, id: String) -> HTTPHeaders {
        var headers = HTTPHeaders(answer.headers)
        headers.add("X-Request-ID", id)
        if !settings.allowOrigin.isEmpty {
            headers.add("Access-Control-Allow-Origin", settings.allowOrigin)
            headers.add("Access-Control-Allow-Methods", "GET, OPTIONS")
        }
        if settings.sendsDebugHeaders {
            headers.add("X-Cache-Tier", answer.tier == .source ? "none" : answer.tier.rawValue)
            let spans: [(ServedAnswer.Span, String)] = [
                (.queue, "queue"), (.downloading, "download"), (.processing, "process"),
            ]
            let timing = spans.compactMap { span, name in
                answer.spans[span].map { "\(name);dur=\((($0.seconds * 1e4).rounded() / 10))" }
            }
            if !timing.isEmpty { headers.add("Server-Timing", timing.joined(separator: ", ")) }
        }
        return headers
    }
}

extension ServedAnswer {
    /// What was sent in the place of an answer whose headers are too long.
    fileprivate static let unsendable = ServedAnswer(
        status: 500, errorKind: .unexpected, reason: "the headers of the answer were too long to be sent")
}

extension String {
    /// Whether it may be an identifier of a request.
    fileprivate var isRequestID: Bool {
        (1...128).contains(utf8.count)
            && utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == 0x2D || $0 == 0x5F
            }
    }

    fileprivate static func newRequestID() -> String {
        let number = UInt64.random(in: UInt64.min...UInt64.max)
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
