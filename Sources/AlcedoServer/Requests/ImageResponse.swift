import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTransport
import Foundation

extension ImageHandler {
    /// The response with the outcome of the work.
    func response(to image: ImageRequest, _ outcome: ImageOutcome) -> ServerResponse {
        var response =
            switch outcome.value {
            case .result(let result, let tier): self.response(to: image, with: result, from: tier)
            case .notModified(let head): notModified(image, head, from: .source)
            case .fallback(let result, let failure): fallback(result, image.url, for: failure)
            case .raw(let response): response
            case .failed(let failure): self.response(for: failure)
            }
        response.spans = outcome.spans
        response.source = image.url.source.origin
        return response
    }

    /// The response with a result; without a body if a cache has it and the client's copy is good.
    func response(
        to image: ImageRequest, with result: StoredResult, from tier: ServerResponse.Tier
    ) -> ServerResponse {
        let (url, head) = (image.url, result.facts.head)
        // The origin has compared those of a result that was just created.
        if tier != .source, image.conditions.match(head) { return notModified(image, head, from: tier) }
        var response = imageResponse(result, url, from: tier)
        response.http.headers.add("Cache-Control", lifetime(of: url, head).header)
        if responses.passesCacheControl, url.options.expires == nil {
            let age = engine.now().timeIntervalSince(result.facts.checked).wholeSeconds
            // A new result may be one of an original that has been kept for some time.
            if tier != .source || age > 0 { response.http.headers.add("Age", "\(age)") }
        }
        if let tags = head.tags, !tags.isEmpty {
            response.http.headers.add("Cache-Tag", tags.joined(separator: ","))
        }
        addValidators(head, of: image, to: &response.http.headers)
        return response
    }

    /// The response with an error.
    func response(for failure: RequestFailure) -> ServerResponse {
        var http: HTTPResponse
        if failure.isOfQueue {
            http = HTTPResponse(status: failure.status, text: failure.text)
        } else {
            let body = responses.isDevelopment ? "\(failure.text)\n\n\(failure.reason)" : failure.text
            http = HTTPResponse(
                status: failure.status, headers: ["Content-Type": "text/plain"], body: Data(body.utf8))
            addVary(to: &http.headers, hasFormat: false)
            addContentSecurityPolicy(to: &http.headers)
        }
        if failure.mayBeRetried { http.headers.add("Retry-After", "\(failure.retryAfter)") }
        return ServerResponse(http, errorKind: failure.kind, reason: failure.reason)
    }

    private func notModified(
        _ image: ImageRequest, _ head: SourceHead, from tier: ServerResponse.Tier
    ) -> ServerResponse {
        var http = HTTPResponse(
            status: 304, headers: ["Cache-Control": lifetime(of: image.url, head).header])
        addValidators(head, of: image, to: &http.headers)
        addVary(to: &http.headers)
        return ServerResponse(http, tier: tier)
    }

    private func fallback(
        _ result: StoredResult, _ url: ImageURL, for failure: RequestFailure
    ) -> ServerResponse {
        var response = imageResponse(result, url, from: .source)
        response.http.status = sources.fallbackStatus > 0 ? sources.fallbackStatus : failure.status
        if response.http.status < 400 {
            let cap = sources.fallbackTTL > 0 ? sources.fallbackTTL : nil
            let lifetime = CacheLifetime(rules: responses, head: nil, cap: cap)
            response.http.headers.add("Cache-Control", lifetime.header)
        }
        (response.errorKind, response.reason) = (failure.kind, failure.reason)
        return response
    }

    /// An image with all headers but those about caching.
    private func imageResponse(
        _ result: StoredResult, _ url: ImageURL, from tier: ServerResponse.Tier
    ) -> ServerResponse {
        var headers: HTTPHeaders = ["Content-Type": result.format.contentType]
        let name = FileName.disposition(of: url, fileExtension: result.format.fileExtension)
        headers.add("Content-Disposition", name)
        // Settings may have added credentials that the client does not know.
        if responses.setsCanonicalLink, case .http(let source) = url.source, ShownURL(source).isWhole {
            let link = "<\(Self.linkTarget(source))>; rel=\"canonical\""
            if link.utf8.count <= ServerResponse.longestHeader { headers.add("Link", link) }
        }
        addVary(to: &headers)
        addContentSecurityPolicy(to: &headers)
        if responses.sendsDebugHeaders {
            let facts = result.facts
            let numbers: [(String, Int?)] = [
                ("X-Origin-Content-Length", facts.originBytes), ("X-Origin-Width", facts.originWidth),
                ("X-Origin-Height", facts.originHeight), ("X-Result-Width", facts.width),
                ("X-Result-Height", facts.height),
            ]
            for case (let name, let number?) in numbers { headers.add(name, "\(number)") }
        }
        return ServerResponse(HTTPResponse(status: 200, headers: headers, body: result.body), tier: tier)
    }

    /// How long a response is fresh: not after its URL has expired.
    func lifetime(of url: ImageURL, _ head: SourceHead) -> CacheLifetime {
        let cap = url.options.expires.map { $0 - Int(Date().timeIntervalSince1970) }
        return CacheLifetime(rules: responses, head: head, cap: cap)
    }

    func addContentSecurityPolicy(to headers: inout HTTPHeaders) {
        guard !responses.contentSecurityPolicy.isEmpty else { return }
        headers.add("Content-Security-Policy", responses.contentSecurityPolicy)
    }

    private func addValidators(_ head: SourceHead, of image: ImageRequest, to headers: inout HTTPHeaders) {
        if responses.usesETag, let etag = head.etag {
            let tag = EntityTag(buster: responses.etagBuster, representation: image.representation).tag(
                for: etag)
            if tag.utf8.count <= ServerResponse.longestHeader { headers.add("ETag", tag) }
        }
        if responses.usesLastModified, let date = head.lastModified, date.utf8.count <= 64 {
            headers.add("Last-Modified", responses.modified(date))
        }
    }

    /// Names the headers of requests that a response depends on.
    ///
    /// An error, and a source as it is, have no format that was chosen for the client.
    func addVary(to headers: inout HTTPHeaders, hasFormat: Bool = true) {
        var names: [String] = []
        if hasFormat, !responses.automaticFormats.union(responses.enforcedFormats).isEmpty {
            names.append("Accept")
        }
        if hasFormat, responses.usesClientHints { names += ["Sec-Ch-Dpr", "Dpr", "Sec-Ch-Width", "Width"] }
        names += sources.passedHeaders.filter { name in !names.contains { $0.equalsIgnoringCase(name) } }
        if !names.isEmpty { headers.add("Vary", names.joined(separator: ", ")) }
    }

    /// A URL without characters that would end it, or the header.
    private static func linkTarget(_ url: String) -> String {
        String(
            url.unicodeScalars.filter { $0.value > 0x20 && $0 != ">" && $0 != "<" && $0.value != 0x7f }
                .map(Character.init))
    }
}

extension ResponseRules {
    /// The date to send for one of an origin: not before ``earliestModified``.
    func modified(_ date: String) -> String {
        guard let earliest = earliestModified, let given = HTTPDate.date(of: date), given < earliest else {
            return date
        }
        return HTTPDate.text(of: earliest)
    }

    /// A client's date as a condition for the origin; nil if the client's copy is from before ``earliestModified``.
    func condition(_ date: String?) -> String? {
        guard let earliest = earliestModified, let date, let given = HTTPDate.date(of: date) else {
            return date
        }
        return given.timeIntervalSince(earliest) > -1 ? date : nil
    }
}
