import Alcedo

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
