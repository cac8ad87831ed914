extension KingfisherWrapper where Base: KingfisherImageSettable {
    /// Loads an image into the object.
    ///
    /// What the object has waited for before is not shown any more; its completion fails with
    /// ``KingfisherError/ImageSettingErrorReason/notCurrentSourceTask(result:error:source:)``.
    ///
    /// - Parameters:
    ///   - source: what to load; without one the placeholder is shown, and the completion fails at once.
    ///   - placeholder: what is shown meanwhile.
    ///   - options: how, after the shared manager's default options.
    ///   - progressBlock: told of the download's progress.
    ///   - completionHandler: called exactly once, on the main thread, once the image is shown.
    /// - Returns: the handle to cancel the load; nil if the image is shown already, as it is if memory has it.
    @MainActor
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
            with: source,
            placeholder: placeholder,
            parsedOptions: .forViews(options),
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Loads an image into the object; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        setImage(
            with: source,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads an image into the object; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
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
            with: resource?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Loads an image into the object; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads an image into the object; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
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
            with: provider.map { .provider($0) },
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Loads an image into the object; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        setImage(
            with: provider.map { .provider($0) },
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    @MainActor
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

    /// Which load the object waits for; nil if it waits for none.
    @MainActor
    public private(set) var taskIdentifier: Source.Identifier.Value? {
        get { ImageSettingState.ofOthers[base].current.value }
        nonmutating set { ImageSettingState.ofOthers[base].current.value = newValue }
    }

    /// Cancels the load that the object waits for, whatever that is doing; its completion fails at once.
    @MainActor
    public func cancelDownloadTask() { ImageSettingState.ofOthers[base].task?.cancel() }
}
