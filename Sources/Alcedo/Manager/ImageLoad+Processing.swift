import AlcedoLocks

/// Loads with equal keys share the processing of a cached image.
private struct ProcessingKey: Hashable {
    /// What the loads create from the image.
    enum Goal: Hashable {
        /// By the options' processor; what it starts with may have run already.
        case processed(stepsDone: Int)

        /// Its frames, as the options want them.
        case remade
    }

    private let image: ObjectIdentifier
    private let goal: Goal
    private let recipe: ImageRecipe
    private let load: ObjectIdentifier?

    init(_ image: Image, _ goal: Goal, for load: ImageLoad) {
        (self.image, self.goal, recipe) = (ObjectIdentifier(image), goal, load.options.recipe())
        self.load = load.sharesProcessing ? nil : ObjectIdentifier(load)
    }
}

private let sharedProcessing = CoalescedWork<ProcessingKey, Result<Image, KingfisherError>?>()

extension ImageLoad {
    /// Whether other loads may wait for what this one does on its processing queue: one of operations may drop it.
    var sharesProcessing: Bool {
        if case .operationQueue? = options.processingQueue { false } else { true }
    }

    /// Processes an image of a cache; nil if it is damaged, so that the source is to be loaded.
    ///
    /// Loads that do so at a time share the result, as loads do that share a download.
    nonisolated(nonsending) func processed(
        _ image: KFCrossPlatformImage, of source: Source
    ) async throws(KingfisherError) -> KFCrossPlatformImage? {
        let run = processing(of: source)
        let result = try await share(.processed(stepsDone: 0), of: image, in: run) { options in
            options.processed(.image(image))
        }
        guard case .failure? = result, isDamaged(image, of: source) else { return try result?.get() }
        return nil
    }

    /// The image of the load's processor, of which the first steps are `done`; nil if another one fails.
    nonisolated(nonsending) func finished(
        _ done: ProcessedSteps, of source: Source
    ) async throws(KingfisherError) -> KFCrossPlatformImage? {
        let run = processing(of: source)
        let result = try await share(.processed(stepsDone: done.count), of: done.image, in: run) { options in
            done.finished(options)
        }
        guard case .success(let image)? = result else { return nil }
        return image
    }

    /// The image as the load's options want it; nil if it is so already, or damaged.
    nonisolated(nonsending) func remade(
        _ image: KFCrossPlatformImage
    ) async throws(KingfisherError) -> KFCrossPlatformImage? {
        try await share(.remade, of: image) { options in image.remade(with: options).map { .success($0) } }?
            .get()
    }

    /// Runs `body` where the load processes images, with the options of one of the loads that share the result.
    private nonisolated(nonsending) func share(
        _ goal: ProcessingKey.Goal, of image: Image, in processing: ProcessingRun? = nil,
        _ body: @escaping @Sendable (KingfisherParsedOptionsInfo) -> Result<Image, KingfisherError>?
    ) async throws(KingfisherError) -> Result<Image, KingfisherError>? {
        let result = try await callback { then in startSharing(goal, of: image, in: processing, body, then) }
        try checkCurrent()
        return result
    }

    @inline(never) private func startSharing(
        _ goal: ProcessingKey.Goal, of image: Image, in processing: ProcessingRun?,
        _ body: @escaping @Sendable (KingfisherParsedOptionsInfo) -> Result<Image, KingfisherError>?,
        _ then: @escaping @Sendable (Result<Image, KingfisherError>?) -> Void
    ) {
        let caller = CoalescedWork<ProcessingKey, Result<Image, KingfisherError>?>.Caller(
            priority: options.downloadPriority, isCurrent: options.isCurrent, then: then)
        let (run, isNew) = sharedProcessing.join(ProcessingKey(image, goal, for: self), for: caller)
        guard isNew else { return report(goal) }
        let work: @Sendable () -> Void = { [self] in
            // The key stays the image's own as long as there is the image.
            let result = withExtendedLifetime(image) { () -> Result<Image, KingfisherError>? in
                guard run.isNeeded() else { return nil }
                report(goal)
                var options = options
                options.isCurrent = run.isNeeded
                options.processingRun = processing
                return body(options)
            }
            run.finish(result) { WorkerPool.shared.submit(priority: $0, $1) }
        }
        if let queue = options.processingQueue { queue.execute(work) } else { run.submit(work) }
    }

    private func report(_ goal: ProcessingKey.Goal) {
        guard goal == .processed(stepsDone: 0) else { return }
        events?.send(.processing(identifier: options.processor.identifier, bytes: nil))
    }
}
