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

    /// The player of the animation; nil for a still image.
    private(set) var player: AnimationPlayer?

    /// The state of `kf` for the view.
    let setting = ImageSettingState()

    /// The clock of animations, the system's by default; set it before an image.
    ///
    /// For tests, which step through an animation with a clock of their own.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Loads the image when the view appears; nil unless a ``KFImage`` made the view.
    package var binder: ImageBinder?

    private var shouldPlay = true

    /// Makes a view on a toolkit's surface.
    public override init(surface: any ViewSurface) { super.init(surface: surface) }

    /// Whether the animation plays.
    open var isAnimating: Bool { player?.isPlaying ?? false }

    /// Plays an animation as soon as the view is visible; does nothing for a still image.
    open func startAnimating() {
        shouldPlay = true
        playIfVisible()
    }

    /// Stops the animation at the current frame.
    open func stopAnimating() {
        shouldPlay = false
        player?.stop()
    }

    open override func visibilityDidChange(_ isVisible: Bool) {
        if isVisible { playIfVisible() } else { player?.stop() }
        binder?.visibilityDidChange(isVisible)
    }

    /// Whether a load decodes all frames of an animation; true, because this view does not decode on demand.
    open func shouldPreloadAllAnimation() -> Bool { true }

    /// A player for `image`; nil for a still image.
    func makePlayer(for image: KFCrossPlatformImage) -> AnimationPlayer? {
        guard image.frameCount > 1, image.images != nil,
            let animator = ImageAnimator(image, maxFrameCount: .max)
        else { return nil }
        return AnimationPlayer(animator, clock: clock) { [surface] in surface.show($0) }
    }

    /// Whether an animation starts to play when it is set.
    var autoplays: Bool { true }

    private func imageDidChange() {
        guard image !== player?.image || image == nil else { return }
        player?.stop()
        player = nil
        surface.show(image)
        guard let image else { return }
        player = makePlayer(for: image)
        player?.image = image
        shouldPlay = autoplays
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

    private func playIfVisible() {
        if shouldPlay, surface.isVisible { player?.start() }
    }
}
