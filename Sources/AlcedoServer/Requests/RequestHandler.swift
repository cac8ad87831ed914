package import AlcedoHTTPServer
import AlcedoLocks
import Foundation
import Synchronization

/// Handles all requests to an image server: responds to those for its own paths, leaves images to an ``ImageHandler``,
/// and notes each in the log and the metrics.
package final class RequestHandler: Sendable {
    /// A request, and what was given to it when it came.
    private struct Call {
        let request: HTTPRequest
        let path: String
        let id: String
        /// Nil without tracing.
        let trace: Trace?
        let start = ContinuousClock.now

        init(_ request: HTTPRequest, _ proxies: TrustedProxies, _ traces: TraceExporter?) {
            var request = request
            request.client = proxies.client(of: request)
            self.request = request
            trace = traces?.trace(of: request)
            path = String(decoding: request.target, as: UTF8.self)
            id = request.headers["X-Request-ID"].flatMap { $0.isRequestID ? $0 : nil } ?? .newRequestID()
        }

        /// Ends the trace; names of attributes are those of OpenTelemetry's conventions.
        func end(_ response: ServerResponse, path: String) {
            guard let trace else { return }
            let isKnown = ["GET", "HEAD", "OPTIONS", "PURGE"].contains(request.method)
            let method = isKnown ? request.method : "_OTHER"
            // Clients choose both: they must fill neither the queue of spans nor the collector's list of names.
            let path = String(decoding: path.utf8.prefix(1024), as: UTF8.self)
            var attributes: [(String, TraceSpan.Value)] = [
                ("http.request.method", .text(method)), ("url.path", .text(path)),
                ("http.response.status_code", .number(response.http.status)),
                ("alcedo.request_id", .text(id)), ("alcedo.tier", .text(response.tier.rawValue)),
            ]
            if let client = request.client { attributes.append(("client.address", .text(client))) }
            if let source = response.source { attributes.append(("alcedo.source", .text(source))) }
            if let kind = response.errorKind { attributes.append(("error.type", .text(kind.rawValue))) }
            trace.end(method, isError: response.http.status >= 500, attributes: attributes)
        }
    }

    let metrics = ServerMetrics()
    private let settings: ServerSettings
    private let log: RequestLog
    private let engine: ServerEngine
    private let images: Lock<ImageHandler>
    private let isDraining = Atomic(false)

    package init(settings: ServerSettings, log: RequestLog, engine: ServerEngine) {
        (self.settings, self.log, self.engine) = (settings, log, engine)
        images = Lock(ImageHandler(settings, engine: engine))
    }

    /// The rules for the URLs of further requests; running ones keep those that they started with.
    var rules: URLRules {
        get { currentImages.rules }
        set {
            var settings = settings
            settings.urls = newValue
            let new = ImageHandler(settings, engine: engine)
            images.withLock { $0 = new }
        }
    }

    /// From now on, `/ready` says that the server stops.
    func drain() { isDraining.store(true, ordering: .releasing) }

    /// Responds on the connection's thread if that takes microseconds; nil leaves it to ``response(to:)``.
    func immediateResponse(to request: HTTPRequest) -> HTTPResponse? {
        guard request.method != "PURGE" else { return nil }
        let call = Call(request, settings.trustedProxies, engine.traces)
        guard let response = ownResponse(to: call) ?? currentImages.immediateResponse(to: call.request) else {
            return nil
        }
        metrics.start()
        return finished(response, to: call)
    }

    package func response(to request: HTTPRequest) async -> HTTPResponse {
        let call = Call(request, settings.trustedProxies, engine.traces)
        metrics.start()
        if request.method == "PURGE" { return finished(await purge(call), to: call) }
        if let response = ownResponse(to: call) { return finished(response, to: call) }
        let deadline = call.start + .seconds(settings.timeout)
        let response = await Trace.$current.withValue(call.trace) {
            await currentImages.response(to: call.request, until: deadline)
        }
        return finished(response, to: call)
    }

    private var currentImages: ImageHandler { images.withLock { $0 } }

    /// The response to a request that is not for an image, or not allowed.
    private func ownResponse(to call: Call) -> ServerResponse? {
        switch call.request.method {
        case "GET", "HEAD": break
        case "OPTIONS": return ServerResponse(HTTPResponse(status: 200))
        default: return .own(404, "Not found")
        }
        if isOwnPath(call.path, healthPaths) { return .own(200, "Alcedo is running") }
        if isOwnPath(call.path, ["/ready"]) { return readyResponse }
        if isOwnPath(call.path, ["/favicon.ico"]) || call.path.utf8.starts(with: "/.well-known/".utf8) {
            return .own(404, "Not found")
        }
        return isAuthorized(call.request)
            ? nil : .own(403, "Forbidden", .security, "the Authorization header is missing or wrong")
    }

    private func purge(_ call: Call) async -> ServerResponse {
        guard isAuthorized(call.request) else {
            return .own(403, "Forbidden", .security, "the Authorization header is missing or wrong")
        }
        do throws(RequestFailure) {
            let names = try currentImages.purgedNames(of: call.request, hasSecret: !settings.secret.isEmpty)
            try await engine.purge(names)
            return .own(200, "Purged")
        } catch {
            return .own(error.status, error.text, error.kind, error.reason)
        }
    }

    /// Names no folder, as it needs no secret.
    private var readyResponse: ServerResponse {
        if isDraining.load(ordering: .acquiring) { return .own(503, "Stopping") }
        return switch engine.sources.readiness {
        case .ready: .own(200, "Ready")
        case .degraded: .own(200, "Ready, but some local sources do not respond")
        case .unready: .own(503, "Local sources do not respond")
        }
    }

    private var healthPaths: [String] {
        settings.healthPath.isEmpty ? ["/health"] : ["/health", settings.healthPath]
    }

    /// Whether a path is one of the server's own, with or without the prefix.
    private func isOwnPath(_ path: String, _ names: [String]) -> Bool {
        let path = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        let given = settings.urls.pathPrefix
        let prefix = (given.hasSuffix("/") ? given.dropLast() : given[...]).utf8
        let own = path.starts(with: prefix) ? path.dropFirst(prefix.count) : path
        return names.contains { path.elementsEqual($0.utf8) || own.elementsEqual($0.utf8) }
    }

    private func isAuthorized(_ request: HTTPRequest) -> Bool {
        guard !settings.secret.isEmpty else { return true }
        let expected = Array("Bearer \(settings.secret)".utf8)
        let given = Array((request.headers["Authorization"] ?? "").utf8)
        var difference = UInt8(expected.count == given.count ? 0 : 1)
        // In the same time for all texts of one length.
        for (index, byte) in given.enumerated() { difference |= byte ^ expected[index % expected.count] }
        return difference == 0
    }

    /// The response as it is sent: with the headers of all responses, and counted now and logged once it has been sent.
    private func finished(_ response: ServerResponse, to call: Call) -> HTTPResponse {
        let end = ContinuousClock.now
        let bytes = call.request.method == "HEAD" ? 0 : response.http.body.count
        metrics.respond(response, bytes: bytes, after: end - call.start)
        let isLogged = !isOwnPath(call.path, healthPaths + ["/ready"])
        var sent = response.http
        sent.headers.add("X-Request-ID", call.id)
        if !settings.allowOrigin.isEmpty {
            sent.headers.add("Access-Control-Allow-Origin", settings.allowOrigin)
            sent.headers.add("Access-Control-Allow-Methods", "GET, OPTIONS")
        }
        if settings.sendsDebugHeaders { response.addDebugHeaders(to: &sent.headers) }
        sent.onEnd = { [self] result in
            let now = ContinuousClock.now
            metrics.end(bytes: bytes, isSent: result == .sent, after: now - end)
            guard isLogged else { return }
            let isUnsendable = result == .unsendable
            let path = LoggedPath(call.path, rules: rules).description
            call.end(isUnsendable ? .unsendable : response, path: path)
            log.write(
                RequestLog.Entry(
                    id: call.id, method: call.request.method, client: call.request.client,
                    path: path,
                    response: isUnsendable ? .unsendable : response, bytes: isUnsendable ? 0 : bytes,
                    isSent: result != .aborted, time: end - call.start, sending: now - end))
        }
        return sent
    }
}

extension ServerResponse {
    /// A text that no cache keeps.
    fileprivate static func own(
        _ status: Int, _ text: String, _ errorKind: ErrorKind? = nil, _ reason: String? = nil
    ) -> ServerResponse {
        var response = ServerResponse(
            HTTPResponse(status: status, text: text), errorKind: errorKind, reason: reason)
        response.http.headers.add("Cache-Control", "no-store")
        return response
    }

    /// What was sent in the place of a response whose headers are too long.
    fileprivate static let unsendable = ServerResponse(
        HTTPResponse(status: 500), errorKind: .unexpected,
        reason: "the headers of the response were too long to be sent")
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
