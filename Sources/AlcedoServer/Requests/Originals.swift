import Alcedo
import AlcedoPixels
import Foundation

/// Loads sources, or the copies of them that are kept.
struct Originals: Sendable {
    let responses: ResponseRules
    let engine: ServerEngine
    let loader: SourceLoader
    let checks: ResultChecks

    /// Whether there may be a copy of the source that needs no origin.
    func mayBeKept(_ image: ImageRequest) -> Bool {
        if case .local = image.url.source { return false }
        return responses.keepsOriginals && !image.url.options.raw
    }

    /// Loads the source of a request under conditions, or uses the copy that is kept.
    func load(_ image: ImageRequest, _ conditions: SourceConditions) async -> SourceOutcome {
        let (url, deadline) = (image.url, image.deadline)
        let limit = url.options.limits.maxSourceFileSize
        let frame = responses.showsVideoFrames ? VideoFrameChoice(url.options, responses) : nil
        guard mayBeKept(image) else {
            return await loader.load(
                url.source, passing: image.passed, conditions: conditions, maxBytes: limit, frame: frame,
                until: deadline)
        }
        let key =
            ResultKey.original(of: url.source, url.options) + image.passed.key
        func outcome(of original: StoredResult) -> SourceOutcome {
            let (head, date) = (original.facts.head, original.facts.checked)
            return conditions.match(head)
                ? .notModified(head, checked: date)
                : .fetched(FetchedSource(data: original.body, head: head, checked: date))
        }
        // A copy may have been kept for a request with a larger limit.
        let isSmall = { @Sendable (original: StoredResult) in
            original.body.count <= self.loader.byteLimit(limit)
        }
        if image.bypassesCaches {
            let loaded = await loader.load(
                url.source, passing: image.passed, conditions: conditions, maxBytes: limit, frame: frame,
                until: deadline)
            if case .fetched(let source) = loaded {
                let right = engine.results.shared?.rightToReplaceEntry(forKey: key)
                engine.results.store(original(source), forKey: key, sharing: right, replacing: true)
            }
            return loaded
        }
        var kept: StoredResult?
        if let (original, _) = await engine.results.result(forKey: key, until: deadline), isSmall(original) {
            if await checks.standing(of: original, image) == .current { return outcome(of: original) }
            kept = original
        }
        var finding = await engine.results.shared(key, until: deadline)
        if case .hit(let original, _) = finding, isSmall(original) {
            if await checks.standing(of: original, image) == .current { return outcome(of: original) }
            kept = original
            let replaced = await engine.results.replacing(key, waits: true, until: deadline) {
                await checks.standing(of: $0, image) == .current
            }
            finding = replaced ?? .missed(nil)
            if case .hit(let original, _) = finding, isSmall(original) { return outcome(of: original) }
        }
        var right: SharedEntryRight?
        switch finding {
        case .hit: break
        case .failed(let failure):
            if let kept, checks.mayUse(kept, of: url.source, in: failure) { return outcome(of: kept) }
            if !failure.isPassing { engine.results.removeHere(key) }
            return .failed(failure)
        case .missed(let new): right = new
        }
        let loaded = await loader.load(
            url.source, passing: image.passed, conditions: kept?.facts.head.conditions ?? conditions,
            maxBytes: limit, frame: frame, until: deadline)
        switch loaded {
        case .fetched(let source):
            engine.results.store(original(source), forKey: key, sharing: right, replacing: kept != nil)
        case .failed(let failure):
            if let kept {
                if checks.mayUse(kept, of: url.source, in: failure) { return outcome(of: kept) }
                if failure.isOfSource { engine.results.remove(key, after: failure) }
            }
            failure.share(by: right)
        case .notModified(let head, let date):
            // For the client's own conditions, without a copy here.
            guard let kept else { break }
            let confirmed = kept.confirmed(by: head, at: date).dated(by: responses)
            engine.results.store(confirmed, forKey: key, sharing: right, replacing: true)
            return outcome(of: confirmed)
        }
        return loaded
    }

    private func original(_ source: FetchedSource) -> StoredResult {
        var facts = StoredResult.Facts(format: EncodedFormat(rawValue: "original"))
        (facts.head, facts.checked) = (source.head, source.checked)
        return StoredResult(body: source.data, facts: facts).dated(by: responses)
    }
}
