extension KingfisherWrapper where Base: KFCrossPlatformImageView {
    /// Loads an image into the view.
    ///
    /// What the view has waited for before is not shown any more; its completion fails with
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
        placeholder: (any Placeholder)? = nil,
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

    /// Loads an image into the view; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: (any Placeholder)? = nil,
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

    /// Loads an image into the view; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: (any Placeholder)? = nil,
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

    /// Loads an image into the view; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: (any Placeholder)? = nil,
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

    /// Loads an image into the view; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: (any Placeholder)? = nil,
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

    /// Loads an image into the view; see ``setImage(with:placeholder:options:progressBlock:completionHandler:)``.
    @MainActor
    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: (any Placeholder)? = nil,
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
        placeholder: (any Placeholder)?,
        parsedOptions: KingfisherParsedOptionsInfo,
        progressBlock: DownloadProgressBlock?,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        ImageSetting(
            target: ImageViewTarget(base: base), options: parsedOptions, completion: completionHandler
        )
        .start(source, placeholder: placeholder, progressBlock: progressBlock)
    }

    /// Cancels the load that the view waits for, whatever that is doing; its completion fails at once.
    @MainActor
    public func cancelDownloadTask() { base.setting.task?.cancel() }

    /// Which load the view waits for; nil if it waits for none.
    @MainActor
    public private(set) var taskIdentifier: Source.Identifier.Value? {
        get { base.setting.current.value }
        nonmutating set { base.setting.current.value = newValue }
    }

    /// What is shown in front of the view while it loads an image; none by default.
    @MainActor
    public var indicatorType: IndicatorType {
        get { base.setting.indicatorType }
        nonmutating set {
            base.setting.indicatorType = newValue
            let surface = base.surface
            switch newValue {
            case .none: indicator = nil
            case .activity: indicator = ActivityIndicator(surface.makeActivitySurface())
            case .image(let data): indicator = ImageIndicator(data, surface: surface.makeImageSurface())
            case .custom(let custom): indicator = custom
            }
        }
    }

    /// What is shown in front of the view while it loads an image, if there is anything.
    @MainActor
    public private(set) var indicator: (any Indicator)? {
        get { base.setting.indicator }
        nonmutating set {
            if let old = base.setting.indicator { base.surface.remove(old.view.surface) }
            base.setting.indicator = newValue
            guard let newValue else { return }
            newValue.view.isHidden = true
            base.surface.add(
                newValue.view.surface,
                size: newValue.sizeStrategy(in: base),
                centerOffset: newValue.centerOffset
            )
            if taskIdentifier != nil { newValue.startAnimatingView() }
        }
    }

    /// What the view shows in place of an image that it waits for, if there is anything.
    @MainActor
    public private(set) var placeholder: (any Placeholder)? {
        get { base.setting.placeholder }
        nonmutating set { base.setting.placeholder = newValue }
    }
}

extension KingfisherParsedOptionsInfo {
    /// Options of a view's load: the shared manager's default options, and then those given.
    static func forViews(_ options: KingfisherOptionsInfo?) -> KingfisherParsedOptionsInfo {
        KingfisherParsedOptionsInfo(KingfisherManager.shared.defaultOptions + (options ?? .empty))
    }
}
