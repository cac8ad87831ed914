import AlcedoLocks
import Foundation

/// Loads with equal keys share the reading of a file, and the image.
private struct FileKey: Hashable {
    let url: URL
    let cacheKey: String
    let cache: ObjectIdentifier?

    /// The changes of the key in the target cache so far: what was read before a removal must not be stored after it.
    let changes: CacheGenerations.Counts?
    let timeout: TimeInterval
    let recipe: ImageRecipe
    let decodes: Bool
    let checksPixels: Bool
}

private typealias FileReads = CoalescedWork<FileKey, Result<LoadedSource, KingfisherError>>

private let files = FileReads()

extension ImageLoad {
    /// Whether the provider is a file's that loads at a time read once; not to refresh, as the file may have changed since.
    func sharesReading(of provider: any ImageDataProvider) -> Bool {
        !options.forceRefresh && sharesProcessing
            && (provider as? LocalFileImageDataProvider)?.isReadByLibrary == true
    }

    /// Reads a file and creates its image, once for all loads that do so at the same time.
    nonisolated(nonsending) func share(
        _ provider: any ImageDataProvider, of source: Source, within timeout: TimeInterval
    ) async throws(KingfisherError) -> LoadedSource {
        let result = try await callback { then in startReading(provider, of: source, within: timeout, then) }
        handle.detach()
        try checkCurrent()
        return try result.get()
    }

    @inline(never) private func startReading(
        _ provider: any ImageDataProvider, of source: Source, within timeout: TimeInterval,
        _ then: @escaping @Sendable (Result<LoadedSource, KingfisherError>) -> Void
    ) {
        guard let file = provider as? LocalFileImageDataProvider else {
            preconditionFailure("only files are shared")
        }
        let snapshot = options.targetCache?.generations.snapshot(
            forKey: source.cacheKey, identifier: options.processor.identifier)
        let key = FileKey(
            url: file.fileURL, cacheKey: source.cacheKey,
            cache: options.targetCache.map { ObjectIdentifier($0) }, changes: snapshot?.counts,
            timeout: timeout, recipe: options.recipe(),
            decodes: options.backgroundDecode,
            checksPixels: options.checksPixels)
        // The load that reads reports when it has the bytes, the others when they get the image.
        let isReported = OnceFlag()
        let report: @Sendable (Int) -> Void = { [self] count in
            guard isReported.set() else { return }
            events?.send(.transferred(bytes: count, metrics: nil))
            events?.send(.making(of: count, with: options))
        }
        let caller = FileReads.Caller(
            priority: options.downloadPriority, isCurrent: options.isCurrent
        ) { result in
            if case .success(let loaded) = result { report(loaded.loading.originalData.count) }
            then(result)
        }
        let (run, isNew) = files.join(key, for: caller)
        events?.send(.transferring)
        if isNew {
            let cancellation = Cancellation()
            run.whenUnneeded {
                // The counts of the key say something only while there is the snapshot: until the work has ended.
                withExtendedLifetime(snapshot) { cancellation.cancel() }
            }
            file.data(limits: options.decodeLimits, timeout: timeout, cancellation: cancellation) {
                [self] data in
                switch data {
                case .failure(let error):
                    let reason = KingfisherError.ImageSettingErrorReason.dataProviderError(
                        provider: provider, error: error)
                    // Not on the file's thread, as the load may go on with another source.
                    run.submit { [self] in end(run, .failure(.imageSettingError(reason: reason))) }
                case .success(let data): make(data, of: source, for: run, report)
                }
            }
        }
        // Weak: work that nothing runs any more must not be kept by its callers.
        handle.work { [weak run] in run?.leave() }
    }

    private func make(
        _ data: Data, of source: Source, for run: FileReads.Run, _ report: @escaping @Sendable (Int) -> Void
    ) {
        let work: @Sendable () -> Void = { [self] in
            guard run.isNeeded() else { return end(run, .failure(cancellation)) }
            report(data.count)
            var options = options
            options.isCurrent = run.isNeeded
            options.processingRun = processing(of: source)
            let item = ImageProcessItem.data(data)
            let image = options.processed(item).flatMap { options.decoded($0, of: item) }
            end(
                run,
                image.map {
                    LoadedSource(
                        ImageLoadingResult(image: $0, url: source.url, originalData: data), data: data)
                })
        }
        if let queue = options.processingQueue { queue.execute(work) } else { run.submit(work) }
    }

    private func end(_ run: FileReads.Run, _ result: Result<LoadedSource, KingfisherError>) {
        run.finish(result) { WorkerPool.shared.submit(priority: $0, $1) }
    }
}
