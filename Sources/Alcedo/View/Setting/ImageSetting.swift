import Foundation

/// The flow of `kf.setImage`: from the placeholder through the load to the image, for whatever has one.
@MainActor
struct ImageSetting<Target: ImageSettingTarget & Sendable> {
    typealias Completion = @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

    let target: Target
    let options: KingfisherParsedOptionsInfo
    let completion: Completion?

    private var state: ImageSettingState { target.state }

    /// Begins, and marks what the view has waited for as stale.
    ///
    /// - Returns: the handle to cancel the load; nil if a cache has the image, or there is no source.
    func start(
        _ source: Source?,
        placeholder: (any Placeholder)?,
        progressBlock: DownloadProgressBlock?
    ) -> DownloadTask? {
        guard let source else {
            state.current.value = nil
            state.task = nil
            state.indicator?.stopAnimatingView()
            target.setPlaceholder(placeholder, options: options)
            completion?(.failure(.imageSettingError(reason: .emptySource)))
            return nil
        }
        if !options.keepCurrentImageWhileLoading || target.image() == nil {
            target.setPlaceholder(placeholder, options: options)
        }
        state.indicator?.startAnimatingView()
        let identifier = ImageSettingState.nextIdentifier()
        let current = state.current
        current.value = identifier
        state.task = nil

        var options = options
        options.callbackQueue = .mainCurrentOrAsync
        options.preloadAllAnimationData = options.preloadAllAnimationData || target.preloadsAnimation
        options.sourceTaskIdentifierChecker = { current.value == identifier }
        if let progressBlock {
            options.progress = ProgressCallback { received, total in
                if current.value == identifier { progressBlock(received, total) }
            }
        }
        let progressive = progressiveProvider(options)
        if let progressive { options.onDataReceived = (options.onDataReceived ?? []) + [progressive] }

        let task = KingfisherManager.shared.retrieveImage(
            with: source,
            parsedOptions: options,
            downloadTaskUpdated: { newTask in
                onMain { if current.value == identifier { state.task = newTask } }
            },
            completionHandler: { [options] result in
                onMain {
                    progressive?.finish()
                    finish(result, of: source, identifier: identifier, options: options)
                }
            }
        )
        // A cached image may have come already.
        if current.value == identifier { state.task = task }
        return task
    }

    private func progressiveProvider(
        _ options: KingfisherParsedOptionsInfo
    ) -> ImageProgressiveProvider<ContinuousClock>? {
        guard let progressive = options.progressiveJPEG else { return nil }
        return ImageProgressiveProvider(progressive, options: options) { image in
            target.setImage(image, options: options)
        }
    }

    private func finish(
        _ result: Result<RetrieveImageResult, KingfisherError>,
        of source: Source,
        identifier: Source.Identifier.Value,
        options: KingfisherParsedOptionsInfo
    ) {
        // Pixels are decoded before the image is shown, but what memory has is there before the call returns.
        let size = target.pixelSize
        if case .success(let value) = result, value.cacheType != .memory, target.isScreen,
            state.current.value == identifier, value.image.pixels(covering: size) == nil
        {
            value.image.decode(covering: size) { _, _ in
                show(result, of: source, identifier: identifier, options: options)
            }
        } else {
            show(result, of: source, identifier: identifier, options: options)
        }
    }

    private func show(
        _ result: Result<RetrieveImageResult, KingfisherError>,
        of source: Source,
        identifier: Source.Identifier.Value,
        options: KingfisherParsedOptionsInfo
    ) {
        guard state.current.value == identifier else {
            let error: KingfisherError? = if case .failure(let error) = result { error } else { nil }
            completion?(
                .failure(
                    .imageSettingError(
                        reason: .notCurrentSourceTask(result: try? result.get(), error: error, source: source)
                    )))
            return
        }
        state.current.value = nil
        state.task = nil
        state.indicator?.stopAnimatingView()
        switch result {
        case .success(let value):
            let isMoving = value.cacheType == .none || options.forceTransition
            target.replace(
                with: value.image,
                transition: isMoving ? options.transition : .none,
                options: options
            ) { completion?(result) }
        case .failure:
            if let image = options.onFailureImage {
                target.setPlaceholder(nil, options: options)
                target.setImage(image, options: options)
            }
            completion?(result)
        }
    }
}

/// Runs `block` on the main actor: at once if this is the main thread.
package func onMain(_ block: @escaping @MainActor @Sendable () -> Void) {
    CallbackQueue.mainCurrentOrAsync.execute { MainActor.assumeIsolated { block() } }
}
