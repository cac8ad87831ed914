extension KingfisherWrapper where Base: KFCrossPlatformImageView {
    /// Loads an image into the view.
    ///
    /// Supersedes the view's previous load, whose completion fails with
    /// ``KingfisherError/ImageSettingErrorReason/notCurrentSourceTask(result:error:source:)``.
    ///
    /// - Parameters:
    ///   - source: the source to load; for nil, the placeholder is shown and the completion fails at once.
    ///   - placeholder: shown while loading.
    ///   - options: added to the shared manager's default options.
    ///   - progressBlock: called with the download's progress.
    ///   - completionHandler: called exactly once, on the main thread, after the image is shown.
    /// - Returns: the handle to cancel the load; nil if the image is shown already, as for a hit in memory.
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

    /// Loads an image into the view; see `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// Loads an image into the view; see `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// Loads an image into the view; see `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// Loads an image into the view; see `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// Loads an image into the view; see `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// Cancels the view's current load at any stage; its completion fails at once.
    @MainActor
    public func cancelDownloadTask() { base.setting.cancel() }

    /// The identifier of the view's current load; nil if there is none.
    @MainActor
    public private(set) var taskIdentifier: Source.Identifier.Value? {
        get { base.setting.current.value }
        nonmutating set { base.setting.current.value = newValue }
    }

    /// The kind of indicator in front of the view while it loads an image; none by default.
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

    /// The indicator in front of the view while it loads an image; nil for none.
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

    /// The placeholder that the view shows while it loads an image; nil for none.
    @MainActor
    public private(set) var placeholder: (any Placeholder)? {
        get { base.setting.placeholder }
        nonmutating set { base.setting.placeholder = newValue }
    }
}

extension KingfisherParsedOptionsInfo {
    /// The options of a view's load: the shared manager's default options followed by `options`.
    static func forViews(_ options: KingfisherOptionsInfo?) -> KingfisherParsedOptionsInfo {
        KingfisherParsedOptionsInfo(KingfisherManager.shared.defaultOptions + (options ?? .empty))
    }
}
