import Alcedo
import Foundation

/// Passes a source on as it is, with the origin's status.
///
/// The body is held in memory, up to the limit of sources.
struct RawAnswer: Sendable {
    private let responder: ImageResponder

    /// What of a request goes to the origin.
    private static let requestHeaders = [
        "Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since",
    ]

    /// What of the origin's response goes to the client.
    private static let responseHeaders = [
        "Content-Type", "Content-Range", "Accept-Ranges", "ETag", "Last-Modified",
    ]

    init(_ responder: ImageResponder) { self.responder = responder }

    func answer(_ request: ServedRequest, _ url: ImageURL, _ builder: AnswerBuilder) async -> ServedAnswer {
        let loader = SourceLoader(rules: responder.sources, engine: responder.engine)
        let limit = url.options.limits.maxSourceFileSize
        let start = ContinuousClock.now
        var answer: ServedAnswer
        switch url.source {
        case .local:
            let conditions = SourceConditions(
                etags: request.header("If-None-Match"), date: request.header("If-Modified-Since"))
            let outcome = await loader.load(
                url.source, conditions: conditions, maxBytes: limit, until: request.deadline)
            switch outcome {
            case .failed(let failure): return builder.failure(failure, spans: [:])
            case .notModified(let head): return builder.notModified(head, tier: .source)
            case .fetched(let source):
                answer = ServedAnswer(status: 200, body: source.data, tier: .source)
                answer.headers = source.head.fields
                finish(&answer, url, head: source.head)
            }
        case .http(let address):
            var outgoing = loader.request(for: address, limit: loader.byteLimit(limit))
            // A range is one of the bytes as they are, and so is the body to pass on.
            outgoing.headers.append(("Accept-Encoding", "identity"))
            for name in Self.requestHeaders {
                if let value = request.header(name) { outgoing.headers.append((name, value)) }
            }
            let left = ContinuousClock.now.duration(to: request.deadline) / .seconds(1)
            outgoing.timeouts.total = max(0.01, min(outgoing.timeouts.total, left))
            switch await responder.engine.download(outgoing, from: address) {
            case .failure(let error):
                let isLate = ContinuousClock.now >= request.deadline
                return builder.failure(isLate ? .timedOut : AnswerFailure(error), spans: [:])
            case .success(let response):
                let result = response.result
                answer = ServedAnswer(status: response.status, body: result.body, tier: .source)
                answer.headers = Self.responseHeaders.compactMap { name in
                    guard let value = result.response.value(forHeader: name),
                        value.utf8.count <= AnswerBuilder.longestHeader
                    else { return nil }
                    return (name, value)
                }
                finish(&answer, url, head: response.head)
            }
        }
        answer.spans = [.downloading: ContinuousClock.now - start]
        answer.originBytes = answer.body.count
        return answer
    }

    private func finish(_ answer: inout ServedAnswer, _ url: ImageURL, head: SourceHead) {
        let rules = responder.answers
        if answer.status < 400 {
            let cap = url.options.expires.map { $0 - Int(Date().timeIntervalSince1970) }
            answer.headers.append(
                ("Cache-Control", CacheLifetime(rules: rules, head: head, cap: cap).header))
            let name = FileName.disposition(
                of: url, fileExtension: FileName.fileExtension(of: url.source))
            answer.headers.append(("Content-Disposition", name))
        }
        if !rules.contentSecurityPolicy.isEmpty {
            answer.headers.append(("Content-Security-Policy", rules.contentSecurityPolicy))
        }
    }
}

extension SourceHead {
    fileprivate var fields: [(name: String, value: String)] {
        [("ETag", etag), ("Last-Modified", lastModified)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }
}
