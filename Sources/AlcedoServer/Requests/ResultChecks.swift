import Foundation

/// Finds out whether kept results may be used.
struct ResultChecks: Sendable {
    let rules: SourceRules
    let engine: ServerEngine
    let loader: SourceLoader

    /// Whether the source of a result is known to be the same; a file is looked at, if its file system responds.
    func standing(of result: StoredResult, _ image: ImageRequest) async -> ResultStanding {
        guard case .local(let path) = image.url.source else { return remoteStanding(of: result, image) }
        // While the file system hangs, a kept result is better than an error.
        guard !loader.isUnresponsive(image.url.source) else { return .current }
        // There must be time left to make it again.
        let look = await cancelling(at: .now + (image.deadline - .now) / 2) { [loader] in
            await loader.head(ofLocal: path)
        }
        switch look {
        case .success(let head): return head.etag == result.facts.head.etag ? .current : .outdated
        case .failure(let failure):
            return failure.isPassing || failure == .cancelled ? .current : .outdated
        }
    }

    /// The same of a result that may be older than any other cache's: its lifetime counts here, not when it was looked up.
    func standing(ofResultInBucket result: StoredResult, _ image: ImageRequest) async -> ResultStanding {
        // What was purged while all other caches were lost is known by the bucket only.
        guard result.isFresh, engine.results.bucket?.hasPurges == true else { return .outdated }
        return await standing(of: result, image)
    }

    /// The same of a source from the network.
    func remoteStanding(of result: StoredResult, _ image: ImageRequest) -> ResultStanding {
        let isTooOld = image.revalidates && result.facts.checked <= image.start
        return isTooOld || isPurged(result, of: image.url.source)
            ? .outdated : result.standing(at: engine.now(), cap: rules.revalidateAfter)
    }

    /// Whether a result may be used as its source could not be checked.
    func mayUse(_ result: StoredResult, of source: ImageSource, in failure: RequestFailure) -> Bool {
        failure.isPassing && !isPurged(result, of: source)
            && result.mayBeUsedOnError(at: engine.now(), cap: rules.revalidateAfter)
    }

    /// Whether a result was checked before its source or one of its tags was purged.
    private func isPurged(_ result: StoredResult, of source: ImageSource) -> Bool {
        let tags = (result.facts.head.tags ?? []).map(Purges.name(ofTag:))
        return engine.purges.include([Purges.name(of: source)] + tags, checkedAt: result.facts.checked)
    }
}
