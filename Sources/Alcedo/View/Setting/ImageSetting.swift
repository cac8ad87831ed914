import AlcedoLocks
import AlcedoPixels
import Foundation

/// The flow of `kf.setImage` for any target: placeholder, load, image.
@MainActor
struct ImageSetting<Target: ImageSettingTarget & Sendable> {
    typealias Completion = @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

    let target: Target
    let options: KingfisherParsedOptionsInfo
    let completion: Completion?

    struct Load {
        let source: Source
        let identifier: Source.Identifier.Value
        let handle: DownloadTask
        let options: KingfisherParsedOptionsInfo
        let context: LoadContext

        /// Set once a preview of the image itself is shown.
        let hasPreview: OnceFlag

        /// Set once the source is loaded again because the caches had a damaged image.
        let isReloaded = OnceFlag()
    }

    var state: ImageSettingState { target.state }

    /// Starts the load, and marks the target's previous load as stale: it ends, unless its request was sent.
    ///
    /// - Returns: the handle to cancel the load; nil if it has finished already, as for a hit in memory or a nil
    ///   source.
    func start(
        _ source: Source?,
        placeholder: (any Placeholder)?,
        progressBlock: DownloadProgressBlock?
    ) -> DownloadTask? {
        guard let source else {
            state.current.value = nil
            state.task = nil
            state.expect(nil)
            state.indicator?.stopAnimatingView()
            target.setPlaceholder(placeholder, options: options)
            completion?(.failure(.imageSettingError(reason: .emptySource)))
            return nil
        }
        let replacesImage = !options.keepCurrentImageWhileLoading || target.isEmpty
        if replacesImage { target.setPlaceholder(placeholder, options: options) }
        state.indicator?.startAnimatingView()
        let identifier = ImageSettingState.nextIdentifier()
        let current = state.current
        current.value = identifier
        state.task = nil

        var options = options.reducing(for: target.viewSize)
        if target.isScreen {
            options.decodesReduced = true
            options.decodeLimits.allowGiants()
        }
        options.callbackQueue = .mainCurrentOrAsync
        options.preloadAllAnimationData = options.preloadAllAnimationData || target.preloadsAnimation
        let handle = DownloadTask()
        let cancellation = handle.cancellation
        options.isCurrent = { current.value == identifier && !cancellation.isCancelled }
        var context = LoadContext()
        if let progressBlock {
            context.download.progress = ProgressCallback { received, total in
                if current.value == identifier { progressBlock(received, total) }
            }
        }
        state.expect(revalidation(of: identifier, &options))
        let hasPreview = OnceFlag()
        let progressive = options.progressiveJPEG.map { [options] progressive in
            ImageProgressiveProvider(progressive, options: options) { image in
                _ = hasPreview.set()
                target.setImage(image, options: options)
            }
        }
        if let progressive { context.download.onDataReceived = [progressive] }

        let load = Load(
            source: source, identifier: identifier, handle: handle, options: options, context: context,
            hasPreview: hasPreview)
        KingfisherManager.shared.retrieveImage(
            with: source, parsedOptions: options, context: context, handle: handle
        ) { result in
            onMain {
                progressive?.finish()
                finish(result, of: load)
            }
        }
        // A hit in memory completes synchronously.
        guard current.value == identifier else { return nil }
        state.task = handle
        if options.showCachedVariantWhileLoading, replacesImage { showVariant(during: load) }
        if options.showDesktopThumbnailWhileLoading, replacesImage { showDesktopThumbnail(during: load) }
        return handle
    }

    // MARK: - Another cached variant of the image as its placeholder

    /// Shows the best cached variant of the image until the image is loaded.
    ///
    /// A variant that memory has decoded is shown before this returns. Others are decoded, or read from disk, on other
    /// threads, and are shown only if nothing of the image is shown by then.
    private func showVariant(during load: Load) {
        let (options, key, size) = (load.options, load.source.cacheKey, target.pixelSize)
        let cache = options.targetCache ?? KingfisherManager.shared.cache
        guard options.reads(.memory) || options.reads(.disk) else { return }
        // The image itself may be in memory by now, and is delivered next.
        let variants = options.reads(.memory) ? cache.memoryStorage.variants(ofKey: key) : []
        let inMemory = variants.filter { $0.identifier != options.processor.identifier }
            .plainFirst(\.identifier).map(\.value)
        let ready = inMemory.filter {
            !target.isScreen || $0.pixels(drawnAt: target.drawnSize(of: $0)) != nil
        }
        if let image = size.best(of: ready) { return show(image, during: load) }
        if let image = size.best(of: inMemory) { return decode(image, during: load) }
        guard options.reads(.disk) else { return }
        cache.readVariant(ofKey: key, size: size, options: options) { image in
            guard let image else { return }
            onMain { decode(image, during: load) }
        }
    }

    /// Shows the desktop's thumbnail of a local file until the image is loaded.
    private func showDesktopThumbnail(during load: Load) {
        guard let file = load.source.url, file.isFileURL else { return }
        DesktopThumbnailImageDataProvider.find(of: file, limits: load.options.decodeLimits) { image in
            guard let image else { return }
            onMain { decode(image, during: load) }
        }
    }

    private func decode(_ image: Image, during load: Load) {
        guard isPending(load) else { return }
        guard target.isScreen else { return show(image, during: load) }
        decodeForTarget(image) { result in
            if case .success = result, isPending(load) { show(image, during: load) }
        }
    }

    /// Decodes the pixels that the target draws, unless they are there or the target decodes them itself.
    private func decodeForTarget(
        _ image: Image, then completion: @escaping @MainActor @Sendable (Result<Void, CodecError>) -> Void
    ) {
        target.measure(image) { needed in
            let size: PixelSize?
            switch needed {
            case .later: return completion(.success(()))
            case .all: size = nil
            case .pixels(let pixels): size = pixels
            }
            guard image.pixels(drawnAt: size) == nil else { return completion(.success(())) }
            image.tryDecoding(drawnAt: size) { result in completion(result.map { _ in }) }
        }
    }

    private func show(_ image: Image, during load: Load) {
        target.setPlaceholder(image, options: load.options)
    }

    /// Whether the target waits for this load, and shows no preview of it.
    private func isPending(_ load: Load) -> Bool {
        state.current.value == load.identifier && !load.hasPreview.value
    }

    // MARK: - The image

    /// Shows the loaded image once its bitmap is decoded; a hit in memory is shown synchronously.
    private func finish(_ result: Result<RetrieveImageResult, KingfisherError>, of load: Load) {
        guard case .success(let value) = result, value.cacheType != .memory, target.isScreen,
            state.current.value == load.identifier
        else { return show(result, of: load) }
        let isShown = OnceFlag()
        let showCancellation: @MainActor @Sendable () -> Void = {
            show(.failure(.cancellation(of: value.source, through: load.handle)), of: load)
        }
        load.handle.cancellation.whenCancelled { onMain { if isShown.set() { showCancellation() } } }
        decodeForTarget(value.image) { decoded in
            guard isShown.set() else { return }
            load.handle.cancellation.removeAction()
            // A cancellation on another thread may still be queued for the main thread.
            if load.handle.isCancelled { return showCancellation() }
            switch decoded {
            case .success: show(result, of: load)
            case .failure(let error): fail(error, value, of: load)
            }
        }
    }

    /// Loads the source again if a cache had a damaged image, which it has dropped by now; fails otherwise.
    private func fail(_ error: CodecError, _ value: RetrieveImageResult, of load: Load) {
        var options = load.options
        guard error.isCorruption, value.cacheType != .none, options.reads(.network), load.isReloaded.set()
        else {
            let failed = FailedProcessor(processor: options.processor, reason: error)
            let reason = KingfisherError.ProcessorErrorReason.processingFailed(
                processor: failed, item: .image(value.image))
            return show(.failure(.processorError(reason: reason)), of: load)
        }
        options.forceRefresh = true
        KingfisherManager.shared.retrieveImage(
            with: load.source, parsedOptions: options, context: load.context, handle: load.handle
        ) { result in onMain { finish(result, of: load) } }
    }

    private func show(_ result: Result<RetrieveImageResult, KingfisherError>, of load: Load) {
        guard state.current.value == load.identifier else {
            let error: KingfisherError? =
                if case .failure(let error) = result, !error.isNotCurrentTask { error } else { nil }
            let reason = KingfisherError.ImageSettingErrorReason.notCurrentSourceTask(
                result: try? result.get(), error: error, source: load.source)
            completion?(.failure(.imageSettingError(reason: reason)))
            return
        }
        state.current.value = nil
        state.task = nil
        state.indicator?.stopAnimatingView()
        switch result {
        case .success(let value):
            let options = load.options
            let usesTransition = value.cacheType == .none || options.forceTransition
            target.replace(
                with: value.image,
                transition: usesTransition ? options.transition : .none,
                options: options
            ) {
                completion?(result)
                if state.revalidation?.identifier == load.identifier { state.show(value.image) }
            }
        case .failure:
            if let image = load.options.onFailureImage {
                target.setPlaceholder(nil, options: load.options)
                target.setImage(image, options: load.options)
            }
            completion?(result)
        }
    }
}

// What a target shows when a stale image was revalidated in the background.

extension ImageSetting {
    /// Has a later result of the load shown, if its options or their cache respect HTTP's freshness.
    func revalidation(
        of identifier: Source.Identifier.Value, _ options: inout KingfisherParsedOptionsInfo
    ) -> ImageSettingState.Revalidation? {
        let cache = options.targetCache ?? KingfisherManager.shared.cache
        guard (options.httpFreshness ?? cache.httpFreshness) == .respected else { return nil }
        let (handler, own) = (options.revalidationHandler, options)
        options.revalidationHandler = { result in
            onMain { showRevalidated(result, of: identifier, own) { handler?(result) } }
        }
        return ImageSettingState.Revalidation(identifier: identifier)
    }

    /// Shows a new image, unless the target shows or loads another one by now; then calls `notify`.
    private func showRevalidated(
        _ result: Result<RetrieveImageResult, KingfisherError>, of identifier: Source.Identifier.Value,
        _ options: KingfisherParsedOptionsInfo, then notify: @escaping @MainActor () -> Void
    ) {
        guard case .success(let value) = result, value.cacheType == .none,
            let revalidation = state.revalidation, revalidation.identifier == identifier
        else { return notify() }
        guard revalidation.isShown else {
            return state.delay { showRevalidated(result, of: identifier, options, then: notify) }
        }
        guard isShowing(identifier) else { return notify() }
        let show: @MainActor () -> Void = {
            guard isShowing(identifier) else { return notify() }
            state.expect(nil)
            target.replace(
                with: value.image, transition: options.transition, options: options, completion: notify)
        }
        guard target.isScreen else { return show() }
        decodeForTarget(value.image) { _ in show() }
    }

    /// Whether the target still shows the stale image of this load.
    private func isShowing(_ identifier: Source.Identifier.Value) -> Bool {
        guard let revalidation = state.revalidation, revalidation.identifier == identifier,
            let image = revalidation.image
        else { return false }
        return target.image() === image
    }
}

extension PixelSize? {
    /// The best image for this size; the largest for an unknown size.
    fileprivate func best(of images: [Image]) -> Image? {
        (self ?? .unlimited).bestIndex(of: images.map(\.pixelSize)).map { images[$0] }
    }
}

/// Runs `block` on the main actor; synchronously if called on the main thread.
package func onMain(_ block: @escaping @MainActor @Sendable () -> Void) {
    CallbackQueue.mainCurrentOrAsync.execute { MainActor.assumeIsolated { block() } }
}

/// The state of `kf` for one image of a view.
@MainActor
final class ImageSettingState {
    /// The identifier of the view's current load; thread-safe.
    final class Current: Sendable {
        private let identifier = Lock<Source.Identifier.Value?>(nil)

        var value: Source.Identifier.Value? {
            get { identifier.withLock { $0 } }
            set { identifier.withLock { $0 = newValue } }
        }
    }

    /// A load whose image may be revalidated in the background.
    struct Revalidation {
        let identifier: Source.Identifier.Value
        var isShown = false
        weak var image: KFCrossPlatformImage?

        /// Handles the result, which came before the stale image was shown.
        var pending: (@MainActor () -> Void)?
    }

    /// The states of objects that cannot store one.
    static let ofOtherObjects = ObjectTable { ImageSettingState() }

    private static var lastIdentifier: Source.Identifier.Value = 0

    let current = Current()
    var task: DownloadTask?

    /// The revalidation of a stale image that the target shows or is about to show.
    private(set) var revalidation: Revalidation?
    var placeholder: (any Placeholder)?
    var indicatorType = IndicatorType.none
    var indicator: (any Indicator)?

    nonisolated init() {}

    /// Cancels the load, and ignores a revalidation.
    func cancel() {
        expect(nil)
        task?.cancel()
    }

    /// Sets the revalidation to expect; the former one's result is not shown any more.
    func expect(_ new: Revalidation?) {
        let pending = revalidation?.pending
        revalidation = new
        // After the change: a former result then sees that it is not expected, and is only reported.
        pending?()
    }

    /// The target shows the expected revalidation's stale image.
    func show(_ image: KFCrossPlatformImage) {
        revalidation?.isShown = true
        revalidation?.image = image
        revalidation?.pending.take()?()
    }

    /// Delays the expected revalidation's result until the stale image is shown, or another one is expected.
    func delay(_ result: @escaping @MainActor () -> Void) { revalidation?.pending = result }

    static func nextIdentifier() -> Source.Identifier.Value {
        lastIdentifier += 1
        return lastIdentifier
    }
}
