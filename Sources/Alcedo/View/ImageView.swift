import Foundation

/// The image view type in Kingfisher's API.
public typealias KFCrossPlatformImageView = ImageView

/// Shows an image; plays an animation while the view is visible if all its frames are decoded.
@preconcurrency @MainActor
open class ImageView: KFCrossPlatformView, KingfisherCompatible {
    /// The image; nil, the default, for none.
    open var image: KFCrossPlatformImage? {
        didSet { imageDidChange() }
    }

    /// Whether the view is highlighted; for the app's use, false by default.
    open var isHighlighted = false

    private(set) var player: AnimationPlayer?
    let setting = ImageSettingState()

    /// The clock of animations, the system's by default; set it before an image.
    ///
    /// For tests, which step through an animation with a clock of their own.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Loads the image when the view appears; nil unless a ``KFImage`` created the view.
    package var binder: ImageBinder?

    /// Whether an animation stays at its first frame while the desktop's settings turn animations off; true by default.
    ///
    /// ``startAnimating()`` plays it nevertheless.
    public var respectsReducedMotion = true {
        didSet { motionDidChange() }
    }

    private var shouldPlay = true

    /// Whether the program has started the present animation by itself.
    private var isStartedByProgram = false

    public override init(surface: any ViewSurface) {
        super.init(surface: surface)
        guard let surface = surface as? any DrawingSurface else { return }
        surface.drawnSizeChanged = { [weak self] in
            // Later, because the surface is drawing.
            Task { self?.resizeFrames() }
        }
        surface.animationsSettingChanged = { [weak self] in self?.motionDidChange() }
    }

    open var isAnimating: Bool { player?.isPlaying ?? false }

    /// Plays an animation as soon as the view is visible; does nothing for a still image.
    open func startAnimating() {
        shouldPlay = true
        isStartedByProgram = true
        playIfVisible()
    }

    /// Stops the animation at the current frame.
    open func stopAnimating() {
        shouldPlay = false
        isStartedByProgram = false
        player?.stop()
    }

    open override func visibilityDidChange(_ isVisible: Bool) {
        if isVisible { playIfVisible() } else { player?.stop() }
        binder?.visibilityDidChange(isVisible)
    }

    /// Whether a load decodes all frames of an animation; true, because this view does not decode on demand.
    open func shouldPreloadAllAnimation() -> Bool { true }

    /// Loads the image of a ``KFImage`` again if its load has failed; does nothing otherwise.
    ///
    /// Without this call, it is loaded again when the view appears the next time.
    public func retry() { binder?.retry() }

    func makePlayer(for image: KFCrossPlatformImage) -> AnimationPlayer? {
        guard image.frameCount > 1, image.images != nil,
            let animator = ImageAnimator(image, maxFrameCount: .max, maxSize: frameSize(of: image))
        else { return nil }
        return AnimationPlayer(animator, clock: clock) { [surface] in surface.show(frameOrImage: $0) }
    }

    /// The size in pixels to which the frames of an animation are reduced; nil for none, as before layout.
    func frameSize(of image: KFCrossPlatformImage) -> CGSize? {
        // Frames keep their shape. Stretched ones are reduced as far as they still cover the view.
        let mode = contentMode == .scaleToFill ? .scaleAspectFill : contentMode
        guard let size = mode.drawnSize(of: image.size, in: surface.size, scale: surface.scale),
            size.width < image.pixelSize.width, size.height < image.pixelSize.height
        else { return nil }
        return CGSize(width: size.width, height: size.height)
    }

    private func resizeFrames() {
        if let image, let player { player.animator.resize(to: frameSize(of: image)) }
    }

    var autoplays: Bool { true }

    private func imageDidChange() {
        // An animation that is set again continues.
        guard image !== player?.image || image == nil else { return }
        player?.stop()
        player = nil
        surface.show(image)
        guard let image else { return }
        player = makePlayer(for: image)
        player?.image = image
        shouldPlay = autoplays
        isStartedByProgram = false
        playIfVisible()
    }

    /// Replaces the player after a property of it has changed.
    func recreatePlayer() {
        let wasPlaying = shouldPlay
        player?.stop()
        player = image.flatMap(makePlayer)
        player?.image = image
        shouldPlay = wasPlaying
        playIfVisible()
    }

    private var staysStill: Bool {
        respectsReducedMotion && !isStartedByProgram
            && (surface as? any DrawingSurface)?.allowsAnimations == false
    }

    private func motionDidChange() {
        guard staysStill else { return playIfVisible() }
        guard isAnimating else { return }
        player?.stop()
        player?.seek { $0.seek(toFrameAt: 0) }
    }

    private func playIfVisible() {
        if shouldPlay, surface.isVisible, !staysStill { player?.start() }
    }
}

@MainActor
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
            with: source, placeholder: placeholder, parsedOptions: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: (any Placeholder)? = nil,
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
        placeholder: (any Placeholder)? = nil,
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
        placeholder: (any Placeholder)? = nil,
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
        placeholder: (any Placeholder)? = nil,
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
        placeholder: (any Placeholder)? = nil,
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
    public func cancelDownloadTask() { base.setting.cancel() }

    /// The identifier of the view's current load; nil if there is none.
    public private(set) var taskIdentifier: Source.Identifier.Value? {
        get { base.setting.current.value }
        nonmutating set { base.setting.current.value = newValue }
    }

    /// The kind of indicator in front of the view while it loads an image; none by default.
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
