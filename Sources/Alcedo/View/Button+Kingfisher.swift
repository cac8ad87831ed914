/// One image of a button, as a target of `kf.setImage`.
struct ButtonTarget: ImageSettingTarget {
    let base: KFCrossPlatformButton
    let slot: KFCrossPlatformButton.Slot
    let controlState: UIControl.State

    var state: ImageSettingState { base.setting(slot, controlState) }
    var preloadsAnimation: Bool { false }
    var isScreen: Bool { true }

    /// The button's size.
    ///
    /// Not its ``pixelSize``: without a size request it is as large as its image, which then has to be decoded whole.
    var viewSize: PixelSize? { base.pixelSize }

    func image() -> KFCrossPlatformImage? {
        slot == .image ? base.image(for: controlState) : base.backgroundImage(for: controlState)
    }

    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        switch slot {
        case .image: base.setImage(image, for: controlState)
        case .background: base.setBackgroundImage(image, for: controlState)
        }
    }

    func setPlaceholder(_ placeholder: (any Placeholder)?, options: KingfisherParsedOptionsInfo) {
        state.placeholder = placeholder
        setImage(placeholder as? KFCrossPlatformImage, options: options)
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformButton {
    /// Loads an image for one of the button's states; the completion is called exactly once, on the main thread.
    @MainActor
    @discardableResult
    public func setImage(
        with source: Source?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        set(
            .image, source, for: state, placeholder: placeholder, options: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads an image for one of the button's states.
    @MainActor
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        set(
            .image, resource?.convertToSource(), for: state, placeholder: placeholder,
            options: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads an image for one of the button's states, with parsed options.
    @MainActor
    @discardableResult
    public func setImage(
        with source: Source?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        parsedOptions: KingfisherParsedOptionsInfo,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        set(
            .image, source, for: state, placeholder: placeholder, options: parsedOptions,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Cancels the image loads of all states.
    @MainActor
    public func cancelImageDownloadTask() { base.settings(.image).forEach { $0.cancel() } }

    /// Loads a background image for one of the button's states.
    @MainActor
    @discardableResult
    public func setBackgroundImage(
        with source: Source?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        set(
            .background, source, for: state, placeholder: placeholder, options: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads a background image for one of the button's states.
    @MainActor
    @discardableResult
    public func setBackgroundImage(
        with resource: (any Resource)?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask? {
        set(
            .background, resource?.convertToSource(), for: state, placeholder: placeholder,
            options: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Cancels the background image loads of all states.
    @MainActor
    public func cancelBackgroundImageDownloadTask() {
        base.settings(.background).forEach { $0.cancel() }
    }

    /// The identifier of a state's current image load; nil if there is none.
    @MainActor
    public func taskIdentifier(for state: UIControl.State) -> Source.Identifier.Value? {
        base.setting(.image, state).current.value
    }

    /// The identifier of a state's current background image load; nil if there is none.
    @MainActor
    public func backgroundTaskIdentifier(for state: UIControl.State) -> Source.Identifier.Value? {
        base.setting(.background, state).current.value
    }

    @MainActor
    func set(
        _ slot: KFCrossPlatformButton.Slot,
        _ source: Source?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        progressBlock: DownloadProgressBlock?,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        ImageSetting(
            target: ButtonTarget(base: base, slot: slot, controlState: state),
            options: options,
            completion: completionHandler
        )
        .start(source, placeholder: placeholder, progressBlock: progressBlock)
    }
}
