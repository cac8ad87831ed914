/// A class with a settable image, such as a custom view.
public protocol KingfisherImageSettable: KingfisherCompatible {
    /// Shows an image; nothing for nil.
    @MainActor func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    @MainActor func getImage() -> KFCrossPlatformImage?
}

/// A class with an `image` property, in which loads show their images.
public protocol KingfisherHasImageComponent: KingfisherImageSettable {
    @MainActor var image: KFCrossPlatformImage? { get set }
}

extension KingfisherHasImageComponent {
    @MainActor
    public func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        self.image = image
    }

    @MainActor
    public func getImage() -> KFCrossPlatformImage? { image }
}

@MainActor
extension KingfisherWrapper where Base: KingfisherImageSettable {
    /// Loads an image into the object.
    ///
    /// Supersedes the object's previous load, whose completion fails with
    /// ``KingfisherError/ImageSettingErrorReason/notCurrentSourceTask(result:error:source:)``.
    ///
    /// - Parameters:
    ///   - source: the source to load; for nil, the placeholder is shown and the completion fails at once.
    ///   - placeholder: shown while loading.
    ///   - options: added to the shared manager's default options.
    ///   - progressBlock: called with the download's progress.
    ///   - completionHandler: called exactly once, on the main thread, after the image is shown.
    /// - Returns: the handle to cancel the load; nil if the image is shown already, as for a hit in memory.
    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        setImage(
            with: source, placeholder: placeholder, parsedOptions: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        setImage(
            with: source, placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), placeholder: placeholder, options: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        setImage(
            with: provider.map { .provider($0) }, placeholder: placeholder, options: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        setImage(
            with: provider.map { .provider($0) }, placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    func setImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage?,
        parsedOptions: KingfisherParsedOptionsInfo,
        progressBlock: DownloadProgressBlock?,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        ImageSetting(
            target: SettableTarget(base: base), options: parsedOptions, completion: completionHandler
        )
        .start(source, placeholder: placeholder, progressBlock: progressBlock)
    }

    /// The identifier of the object's current load; nil if there is none.
    public private(set) var taskIdentifier: Source.Identifier.Value? {
        get { ImageSettingState.ofOtherObjects[base].current.value }
        nonmutating set { ImageSettingState.ofOtherObjects[base].current.value = newValue }
    }

    /// Cancels the object's current load at any stage; its completion fails at once.
    public func cancelDownloadTask() { ImageSettingState.ofOtherObjects[base].cancel() }
}
