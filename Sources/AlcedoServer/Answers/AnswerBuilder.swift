import AlcedoPixels
import AlcedoTransport
import Foundation

/// Gives answers their headers.
struct AnswerBuilder {
    /// Bytes of a header that a source or a URL determines; longer ones are left out, as all headers of a response must
    /// fit into the memory of a connection.
    static let longestHeader = 1024

    private let responder: ImageResponder
    private let url: ImageURL?

    private var rules: AnswerRules { responder.answers }

    init(_ responder: ImageResponder, url: ImageURL?) {
        (self.responder, self.url) = (responder, url)
    }

    /// The answer that work leads to.
    func answer(_ outcome: ImageOutcome) -> ServedAnswer {
        switch outcome {
        case .made(let result, let spans): return success(result, tier: .source, spans: spans)
        case .cached(let result, let tier, let isNotModified):
            return isNotModified
                ? notModified(result.facts.head, tier: tier) : success(result, tier: tier, spans: [:])
        case .fallback(let result, let failure, let spans):
            return fallback(result, for: failure, spans: spans)
        case .notModified(let head, let spans):
            var answer = notModified(head, tier: .source)
            answer.spans = spans
            return answer
        case .failed(let failure, let spans): return self.failure(failure, spans: spans)
        case .raw(let answer): return answer
        case .refused(let answer): return answer
        }
    }

    /// An image.
    func success(_ result: StoredResult, tier: ServedAnswer.Tier, spans: ImageOutcome.Spans)
        -> ServedAnswer
    {
        var answer = image(result, tier: tier, spans: spans)
        let cap = url?.options.expires.map { $0 - Int(Date().timeIntervalSince1970) }
        let lifetime = CacheLifetime(rules: rules, head: result.facts.head, cap: cap)
        answer.headers.append(("Cache-Control", lifetime.header))
        if tier != .source, rules.passesCacheControl, cap == nil {
            let age = Date().timeIntervalSince(result.facts.stored).wholeSeconds
            answer.headers.append(("Age", "\(age)"))
        }
        answer.headers += validators(result.facts.head)
        return answer
    }

    /// The fallback image.
    func fallback(
        _ result: StoredResult, for failure: AnswerFailure, spans: ImageOutcome.Spans
    ) -> ServedAnswer {
        var answer = image(result, tier: .source, spans: spans)
        let status = responder.sources.fallbackStatus
        answer.status = status > 0 ? status : failure.status
        if answer.status < 400 {
            let ttl = responder.sources.fallbackTTL
            let lifetime = CacheLifetime(rules: rules, head: nil, cap: ttl > 0 ? ttl : nil)
            answer.headers.append(("Cache-Control", lifetime.header))
        }
        (answer.errorKind, answer.reason) = (failure.kind, failure.reason)
        return answer
    }

    /// The client's copy is good.
    func notModified(_ head: SourceHead, tier: ServedAnswer.Tier) -> ServedAnswer {
        let cap = url?.options.expires.map { $0 - Int(Date().timeIntervalSince1970) }
        let lifetime = CacheLifetime(rules: rules, head: head, cap: cap)
        var answer = ServedAnswer(status: 304, tier: tier)
        answer.headers = [("Cache-Control", lifetime.header)] + validators(head) + vary
        return answer
    }

    /// An error.
    func failure(_ failure: AnswerFailure, spans: ImageOutcome.Spans) -> ServedAnswer {
        var answer = responder.plain(
            status: failure.status, text: failure.text, kind: failure.kind, reason: failure.reason)
        answer.spans = spans
        if failure.status == 503 || failure.status == 504 { answer.headers.append(("Retry-After", "1")) }
        return answer
    }

    /// All headers of an image but those about caching.
    private func image(
        _ result: StoredResult, tier: ServedAnswer.Tier, spans: ImageOutcome.Spans
    ) -> ServedAnswer {
        var answer = ServedAnswer(
            status: 200, headers: [("Content-Type", result.format.mediaType)], body: result.body,
            spans: spans, tier: tier)
        answer.originSize = result.originSize
        answer.resultSize = result.size
        answer.originBytes = result.facts.originBytes
        if let url {
            let name = FileName.disposition(of: url, fileExtension: result.format.fileExtension)
            answer.headers.append(("Content-Disposition", name))
            // Settings may have added credentials that the client does not know.
            if rules.setsCanonicalLink, case .http(let source) = url.source, ShownURL(source).isWhole {
                let link = "<\(Self.linkTarget(source))>; rel=\"canonical\""
                if link.utf8.count <= Self.longestHeader { answer.headers.append(("Link", link)) }
            }
        }
        answer.headers += vary
        if !rules.contentSecurityPolicy.isEmpty {
            answer.headers.append(("Content-Security-Policy", rules.contentSecurityPolicy))
        }
        if rules.sendsDebugHeaders { answer.headers += debugHeaders(result) }
        return answer
    }

    private func validators(_ head: SourceHead) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if rules.usesETag, let etag = head.etag {
            let tag = EntityTag(buster: rules.etagBuster).answer(for: etag)
            if tag.utf8.count <= Self.longestHeader { headers.append(("ETag", tag)) }
        }
        if rules.usesLastModified, let date = head.lastModified, date.utf8.count <= 64 {
            headers.append(("Last-Modified", date))
        }
        return headers
    }

    private var vary: [(name: String, value: String)] {
        var names: [String] = []
        if !rules.automaticFormats.union(rules.enforcedFormats).isEmpty { names.append("Accept") }
        if rules.usesClientHints { names += ["Sec-Ch-Dpr", "Dpr", "Sec-Ch-Width", "Width"] }
        return names.isEmpty ? [] : [("Vary", names.joined(separator: ", "))]
    }

    private func debugHeaders(_ result: StoredResult) -> [(name: String, value: String)] {
        let numbers: [(String, Int?)] = [
            ("X-Origin-Content-Length", result.facts.originBytes),
            ("X-Origin-Width", result.facts.originWidth), ("X-Origin-Height", result.facts.originHeight),
            ("X-Result-Width", result.facts.width), ("X-Result-Height", result.facts.height),
        ]
        return numbers.compactMap { name, value in value.map { (name: name, value: "\($0)") } }
    }

    /// A URL without what would end it, or the header.
    private static func linkTarget(_ url: String) -> String {
        String(
            url.unicodeScalars.filter { $0.value > 0x20 && $0 != ">" && $0 != "<" && $0.value != 0x7f }
                .map(Character.init))
    }
}
