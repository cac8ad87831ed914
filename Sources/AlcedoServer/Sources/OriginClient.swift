import AlcedoTransport
import Foundation

/// Sends requests to hosts, unless they do not respond, and notes whether they do.
struct OriginClient: Sendable {
    let transport: any Transport
    let sources: SourceWatch

    /// Sends `request` for what `source` names; any status is a success.
    ///
    /// What is kept for the server itself is no source: that it responds does not mean that images can be created. If it
    /// `stopsAtVideo`, the body of a video is not read, unless it is short.
    func response(
        to request: TransportRequest, for source: ImageSource, passing passed: PassedHeaders = .none,
        isOwn: Bool = false, stopsAtVideo: Bool = false
    ) async -> Result<RemoteSource.Response, RequestFailure> {
        let origin = source.origin
        let admission = sources.admitDownload(from: origin)
        if case .rejected(let since) = admission { return .failure(.unresponsive(origin, since: since)) }
        let start = ContinuousClock.now
        var request = request
        let span = Trace.start(request.method, kind: .client)
        if let span {
            request.headers.append(("traceparent", span.context.traceparent))
            if let state = span.trace.state { request.headers.append(("tracestate", state)) }
        }
        var isSigned = false
        if case .object = source { isSigned = true }
        let result = await RemoteSource.load(
            request, passing: passed, isSigned: isSigned, stopsAtVideo: stopsAtVideo, with: transport)
        span?.end(result, origin: origin)
        var end = OriginHealth.End.inTime
        switch result {
        case .success where !isOwn: sources.remoteResponded()
        case .failure(.timedOut):
            sources.abandoned(origin)
            // A request may have had less time than a host gets.
            end = request.timeouts.total < request.timeouts.firstByte ? .unknown : .timedOut
        case .failure(.cancelled), .failure(.queueTimedOut): end = .unknown
        case .success, .failure: break
        }
        sources.downloadEnded(origin, source.text, admission, end, since: start)
        return result.mapError { RequestFailure($0) }
    }
}

extension OpenSpan {
    /// Ends the span of a request; names of attributes are those of OpenTelemetry's conventions.
    fileprivate func end(_ result: Result<RemoteSource.Response, TransportError>, origin: String) {
        let address = ("server.address", TraceSpan.Value.text(origin))
        switch result {
        case .success(let response):
            end(
                isError: response.status >= 400,
                attributes: [address, ("http.response.status_code", .number(response.status))])
        case .failure(let error):
            end(isError: true, attributes: [address, ("error.type", .text("\(error)".redactingURLs))])
        }
    }
}
