import Alcedo
import AlcedoPixels
import Foundation

/// Answers requests for images; cheap to make anew when settings change.
package struct ImageResponder: Sendable {
    let rules: URLRules
    let sources: SourceRules
    let answers: AnswerRules
    let engine: ServerEngine

    private let gate: WorkGate?

    /// What of the settings changes the bytes of results, for their keys.
    private let fingerprint: String

    /// - Parameters:
    ///   - rules: how URLs are read.
    ///   - sources: which sources are loaded.
    ///   - answers: what results and headers are like.
    ///   - engine: caches and connections, shared with other responders.
    ///   - gate: admits work; nil admits all.
    package init(
        rules: URLRules, sources: SourceRules, answers: AnswerRules, engine: ServerEngine,
        gate: WorkGate? = nil
    ) {
        (self.rules, self.sources, self.answers, self.engine) = (rules, sources, answers, engine)
        self.gate = gate
        let formats = answers.preferredFormats.map(\.rawValue).joined(separator: ",")
        let enforced = answers.enforcedFormats.map(\.rawValue).sorted().joined(separator: ",")
        let watermark =
            switch answers.watermark {
            case .data(let data): "data \(data.count) \(data.hashText)"
            case .path(let path): "path \(path)"
            case .url(let url): "url \(url)"
            case nil: ""
            }
        fingerprint = [
            formats, enforced, "\(answers.sanitizesSVG)", "\(answers.maxAnimationFrames)",
            "\(answers.maxResultDimension)", watermark, "\(answers.watermarkOpacity)",
        ].joined(separator: ";")
    }

    /// A refusal, or an answer that the memory has; takes microseconds.
    ///
    /// - Returns: nil if the answer takes more than that, see ``answer(_:)``.
    package func answerAtOnce(_ request: ServedRequest) -> ServedAnswer? {
        let url: ImageURL
        do throws(AnswerFailure) { url = try imageURL(of: request) } catch {
            return AnswerBuilder(self, url: nil).failure(error, spans: [:])
        }
        guard !url.options.raw, let result = engine.results.inMemory(key(of: url, for: request)) else {
            return nil
        }
        return answer(request, url, with: result, of: .memory)
    }

    /// The answer.
    ///
    /// Requests for the same at the same time share the work, which is cancelled if nobody waits for it any more. It never
    /// takes longer than the request's deadline; after a cancellation it is a 499. What the time of another request has
    /// ended begins anew.
    package func answer(_ request: ServedRequest) async -> ServedAnswer {
        let url: ImageURL
        do throws(AnswerFailure) { url = try imageURL(of: request) } catch {
            return AnswerBuilder(self, url: nil).failure(error, spans: [:])
        }
        if let answer = await cached(request, url) { return answer }
        let builder = AnswerBuilder(self, url: url)
        let accepted = ResultFormat.accepted(by: request.header("Accept"), rules: answers)
        let conditions = conditions(of: request)
        let key = key(of: url, accepted: accepted)
        // A raw answer depends on more of the request, and is not shared.
        let name =
            url.options.raw
            ? "raw \(UUID())"
            : [key, conditions.etags ?? "", conditions.date ?? ""].joined(separator: "\n")
        while true {
            let end = await engine.work.outcome(forKey: name, until: request.deadline) {
                SharedOutcome(
                    outcome: await outcome(of: url, key, accepted, for: request, conditions, builder),
                    deadline: request.deadline)
            }
            switch end {
            case .timedOut: return builder.failure(.timedOut, spans: [:])
            case .cancelled: return builder.failure(.cancelled, spans: [:])
            case .finished(let shared) where shared.isLate && .now < request.deadline: continue
            case .finished(let shared): return builder.answer(shared.outcome)
            }
        }
    }

    private func outcome(
        of url: ImageURL, _ key: String, _ accepted: [EncodedFormat], for request: ServedRequest,
        _ conditions: SourceConditions, _ builder: AnswerBuilder
    ) async -> ImageOutcome {
        if url.options.raw {
            return await admitted(request, from: url.source) {
                .raw(await RawAnswer(self).answer(request, url, builder))
            }
        }
        let maker = ResultMaker(
            responder: self, url: url, key: key, accepted: accepted, deadline: request.deadline)
        return await outcome(of: maker, for: request, conditions)
    }

    func admitted(
        _ request: ServedRequest, from source: ImageSource?,
        _ work: @escaping @Sendable () async -> ImageOutcome
    ) async -> ImageOutcome {
        guard let gate else { return await work() }
        if let source, sources.fallback == nil,
            SourceLoader(rules: sources, engine: engine).isUnresponsive(source)
        {
            // It fails at once, and must not wait for a place to do so.
            return await work()
        }
        return await ImageOutcome.admitted(request, from: source?.origin, by: gate, work)
    }

    /// An answer without an image: text, and the reason in development.
    package func plain(status: Int, text: String, kind: ErrorKind?, reason: String) -> ServedAnswer {
        let body = answers.isDevelopment ? "\(text)\n\n\(reason)" : text
        var headers = [(name: "Content-Type", value: "text/plain")]
        if !answers.contentSecurityPolicy.isEmpty {
            headers.append(("Content-Security-Policy", answers.contentSecurityPolicy))
        }
        return ServedAnswer(
            status: status, headers: headers, body: Data(body.utf8), errorKind: kind, reason: reason)
    }

    private func cached(_ request: ServedRequest, _ url: ImageURL) async -> ServedAnswer? {
        guard !url.options.raw,
            let hit = await engine.results.result(forKey: key(of: url, for: request), until: request.deadline)
        else { return nil }
        return answer(request, url, with: hit.result, of: hit.tier)
    }

    private func answer(
        _ request: ServedRequest, _ url: ImageURL, with result: StoredResult, of tier: ServedAnswer.Tier
    ) -> ServedAnswer {
        let builder = AnswerBuilder(self, url: url)
        return conditions(of: request).match(result.facts.head)
            ? builder.notModified(result.facts.head, tier: tier)
            : builder.success(result, tier: tier, spans: [:])
    }

    private func key(of url: ImageURL, for request: ServedRequest) -> String {
        key(of: url, accepted: ResultFormat.accepted(by: request.header("Accept"), rules: answers))
    }

    func key(of url: ImageURL, accepted: [EncodedFormat]) -> String {
        ResultKey.key(of: url, accepted: accepted, rules: fingerprint)
    }

    private func imageURL(of request: ServedRequest) throws(AnswerFailure) -> ImageURL {
        var hints = ClientHints.none
        if answers.usesClientHints {
            hints.dpr = request.header("Sec-CH-DPR") ?? request.header("DPR")
            hints.width = request.header("Sec-CH-Width") ?? request.header("Width")
        }
        do throws(URLFailure) {
            return try ImageURL(
                requestTarget: request.target, rules: rules, hints: hints,
                now: Int(Date().timeIntervalSince1970))
        } catch { throw AnswerFailure(error) }
    }

    /// What the client knows of its copy, in the origin's terms.
    private func conditions(of request: ServedRequest) -> SourceConditions {
        var conditions = SourceConditions()
        if answers.usesETag, let tags = request.header("If-None-Match") {
            conditions.etags = EntityTag(buster: answers.etagBuster).origins(of: tags)
            return conditions
        }
        if answers.usesLastModified { conditions.date = request.header("If-Modified-Since") }
        return conditions
    }
}

extension Data {
    /// FNV-1a: tells images of settings apart, not those of attackers.
    fileprivate var hashText: String {
        String(reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 36)
    }
}

extension ImageResponder {
    /// What the fleet has, or what is made here; nothing waits for another machine in the place of a worker.
    func outcome(
        of maker: ResultMaker, for request: ServedRequest, _ conditions: SourceConditions
    ) async -> ImageOutcome {
        // Work for the same may have ended between this request's lookup and now.
        if let result = engine.results.inMemory(maker.key) {
            return .cached(result, .memory, isNotModified: conditions.match(result.facts.head))
        }
        switch await engine.results.shared(maker.key, until: request.deadline) {
        case .hit(let result, let isAging):
            if isAging { renew(maker, for: request) }
            return .cached(result, .shared, isNotModified: conditions.match(result.facts.head))
        case .failed(let failure):
            guard failure.isOfDownload, sources.fallback != nil else { return .failed(failure, [:]) }
            return await admitted(request, from: nil) { await maker.fallback(for: failure, [:]) }
        case .missed(let right):
            return await admitted(request, from: maker.url.source) {
                await maker.outcome(conditions, sharing: right)
            }
        }
    }

    /// Makes a result again, in the background, if no other machine does.
    private func renew(_ maker: ResultMaker, for request: ServedRequest) {
        engine.results.shared?.renewEntry(forKey: maker.key) { right in
            Task {
                await admitted(request, from: maker.url.source) {
                    await maker.outcome(.none, sharing: right)
                }
            }
        }
    }
}
