import Alcedo
import AlcedoPixels
import Foundation

/// Loads a source and makes the result of it.
struct ResultMaker: Sendable {
    let responder: ImageResponder
    let url: ImageURL
    let key: String
    let accepted: [EncodedFormat]
    let deadline: ContinuousClock.Instant

    private var engine: ServerEngine { responder.engine }
    private var loader: SourceLoader { SourceLoader(rules: responder.sources, engine: engine) }

    /// Does the work; keeps the result, also for the fleet with the right to that.
    func outcome(_ conditions: SourceConditions, sharing right: SharedEntryRight?) async -> ImageOutcome {
        let clock = ContinuousClock()
        let start = clock.now
        let loaded = await source(conditions)
        var spans: ImageOutcome.Spans = [.downloading: clock.now - start]
        switch loaded {
        case .notModified(let head): return .notModified(head, spans)
        case .failed(let failure):
            failure.share(by: right)
            return await fallback(for: failure, spans)
        case .fetched(let source):
            let start = clock.now
            let (result, waited) = await process(source)
            spans[.queue] = waited
            spans[.processing] = clock.now - start - waited
            switch result {
            case .failure(let failure):
                failure.share(by: right)
                return await fallback(for: failure, spans)
            case .success(let result): return .made(keep(result, sharing: right), spans)
            }
        }
    }

    private func source(_ conditions: SourceConditions) async -> SourceOutcome {
        let limit = url.options.limits.maxSourceFileSize
        guard responder.answers.keepsOriginals, case .http = url.source else {
            return await loader.load(url.source, conditions: conditions, maxBytes: limit, until: deadline)
        }
        let key = ResultKey.original(of: url.source, cachebuster: url.options.cachebuster)
        if let (original, _) = await engine.results.result(forKey: key, until: deadline),
            original.body.count <= loader.byteLimit(limit)
        {
            let head = original.facts.head
            return conditions.match(head)
                ? .notModified(head) : .fetched(FetchedSource(data: original.body, head: head))
        }
        var right: SharedEntryRight?
        switch await engine.results.shared(key, until: deadline) {
        case .hit(let original, _) where original.body.count <= loader.byteLimit(limit):
            return .fetched(FetchedSource(data: original.body, head: original.facts.head))
        case .hit: break
        case .failed(let failure): return .failed(failure)
        case .missed(let new): right = new
        }
        let outcome = await loader.load(
            url.source, conditions: conditions, maxBytes: limit, until: deadline)
        switch outcome {
        case .fetched(let source):
            var facts = StoredResult.Facts(format: EncodedFormat(rawValue: "original"))
            facts.head = source.head
            engine.results.store(
                dated(StoredResult(body: source.data, facts: facts)), forKey: key, sharing: right)
        case .failed(let failure): failure.share(by: right)
        case .notModified: break
        }
        return outcome
    }

    /// Makes the result as soon as a worker is free.
    ///
    /// - Returns: the result, and how long it waited for the worker.
    private func process(
        _ source: FetchedSource
    ) async -> (result: Result<StoredResult, AnswerFailure>, waited: Duration) {
        let watermark: Data?
        switch await self.watermark() {
        case .success(let data): watermark = data
        case .failure(let failure): return (.failure(failure), .zero)
        }
        let work = ImageWork(
            options: url.options, rules: responder.answers, accepted: accepted, watermark: watermark,
            deadline: deadline)
        let start = ContinuousClock.now
        let outcome = await engine.workers.enter(until: deadline)
        let waited = ContinuousClock.now - start
        guard outcome == .admitted else {
            return (.failure(outcome == .timedOut ? .timedOut : .cancelled), waited)
        }
        defer { engine.workers.leave() }
        let result = await engine.blocking {
            Result { () throws(AnswerFailure) in try work.result(of: source) }
        }
        return (result, waited)
    }

    private func watermark() async -> Result<Data?, AnswerFailure> {
        guard url.options.watermark != nil, let image = responder.answers.watermark else {
            return .success(nil)
        }
        switch await engine.fixedImages.data(of: image, with: loader, until: deadline) {
        case .success(let data): return .success(data)
        case .failure(let failure):
            var error = AnswerFailure.internalError("the watermark can't be loaded: \(failure.reason)")
            if failure.kind == .timeout { (error.status, error.kind) = (failure.status, .timeout) }
            return .failure(error)
        }
    }

    /// The fallback image, or the failure if there is none.
    func fallback(for failure: AnswerFailure, _ spans: ImageOutcome.Spans) async -> ImageOutcome {
        guard failure.isOfDownload, let image = responder.sources.fallback,
            case .success(let data) = await engine.fixedImages.data(of: image, with: loader, until: deadline),
            case .success(let result) = await process(FetchedSource(data: data, head: SourceHead()))
                .result
        else { return .failed(failure, spans) }
        return .fallback(result, failure, spans)
    }

    /// Stores the result for as long as an answer with it is fresh.
    private func keep(_ result: StoredResult, sharing right: SharedEntryRight?) -> StoredResult {
        let result = dated(result)
        engine.results.store(result, forKey: key, sharing: right)
        return result
    }

    private func dated(_ result: StoredResult) -> StoredResult {
        var dated = result
        let now = Date()
        let lifetime = CacheLifetime(
            rules: responder.answers, head: result.facts.head, cap: nil, now: now)
        dated.facts.stored = now
        dated.facts.expires = now.addingTimeInterval(Double(lifetime.seconds))
        return dated
    }
}
