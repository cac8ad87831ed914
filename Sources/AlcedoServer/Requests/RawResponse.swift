import Alcedo
import AlcedoHTTPServer
import Foundation

extension ImageHandler {
    /// The headers of a request that the origin gets.
    private static let requestHeaders = [
        "Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since",
    ]

    /// The headers of the origin's response that the client gets.
    private static let responseHeaders = [
        "Content-Type", "Content-Range", "Accept-Ranges", "ETag", "Last-Modified",
    ]

    /// Passes a source on as it is, with the origin's status.
    ///
    /// The body is held in memory, up to the limit of sources.
    func rawResponse(
        to image: ImageRequest, holding permit: borrowing Admission.Permit?, _ spans: inout ImageOutcome.Spans
    ) async throws(RequestFailure) -> ImageOutcome.Value {
        let limit = image.url.options.limits.maxSourceFileSize
        let start = ContinuousClock.now
        var http: HTTPResponse
        let head: SourceHead
        switch image.url.source {
        case .local:
            let conditions = SourceConditions(
                etags: image.headers.joined("If-None-Match"),
                date: image.headers.joined("If-Modified-Since"))
            let outcome = await loader.load(
                image.url.source, passing: image.passed, conditions: conditions, maxBytes: limit,
                until: image.deadline)
            switch outcome {
            case .failed(let failure): throw failure
            case .notModified(let head, _): return .notModified(head)
            case .fetched(let source):
                http = HTTPResponse(status: 200, body: source.data)
                head = source.head
                if let tag = head.etag { http.headers.add("ETag", tag) }
                if let date = head.lastModified { http.headers.add("Last-Modified", date) }
            }
        case .http, .object:
            // A range is one of the bytes as they are, and so is the body to pass on.
            var headers = [(name: "Accept-Encoding", value: "identity")]
            for name in Self.requestHeaders {
                if let value = image.headers.joined(name) { headers.append((name: name, value: value)) }
            }
            let left = ContinuousClock.now.duration(to: image.deadline)
            let loaded = await loader.download(
                image.url.source, passing: image.passed, headers: headers, limit: loader.byteLimit(limit),
                within: max(.milliseconds(10), left))
            switch loaded {
            case .failure(let failure):
                throw ContinuousClock.now >= image.deadline ? .timedOut : failure
            case .success(let response):
                http = HTTPResponse(status: response.status, body: response.result.body)
                head = response.head
                for name in Self.responseHeaders {
                    guard let value = response.result.response.value(forHeader: name),
                        value.utf8.count <= ServerResponse.longestHeader
                    else { continue }
                    http.headers.add(name, value)
                }
            }
        }
        if http.status < 400 {
            http.headers.add("Cache-Control", lifetime(of: image.url, head).header)
            let suffix = FileName.fileExtension(of: image.url.source)
            http.headers.add(
                "Content-Disposition", FileName.disposition(of: image.url, fileExtension: suffix))
        }
        addVary(to: &http.headers, hasFormat: false)
        addContentSecurityPolicy(to: &http.headers)
        spans[.downloading] = ContinuousClock.now - start
        return .raw(ServerResponse(http, tier: .source))
    }
}
