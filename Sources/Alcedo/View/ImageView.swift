/// A view with an image, where Kingfisher's API names the platform's type for it.
public typealias KFCrossPlatformImageView = ImageView

/// Shows an image; an animation whose frames are all decoded plays, for as long as the view is to be seen.
@preconcurrency @MainActor
open class ImageView: KFCrossPlatformView, KingfisherCompatible {
    /// What is shown; nil, the default, for nothing.
    open var image: KFCrossPlatformImage? {
        didSet { imageDidChange() }
    }

    /// Where an app keeps whether the view is chosen; false by default.
    open var isHighlighted = false

    /// What plays the image; nil for a still one.
    private(set) var player: AnimationPlayer?

    /// What `kf` knows of the view.
    let setting = ImageSettingState()

    /// What animations go by; set before an image is.
    package var clock: any Clock<Duration> = ContinuousClock()

    private var wantsToPlay = true

    /// Makes a view of what a toolkit draws.
    public override init(surface: any ViewSurface) { super.init(surface: surface) }

    /// Whether the image plays.
    open var isAnimating: Bool { player?.isPlaying ?? false }

    /// Plays the image, if it is an animation, as soon as the view is to be seen.
    open func startAnimating() {
        wantsToPlay = true
        playIfVisible()
    }

    /// Stops the image where it is.
    open func stopAnimating() {
        wantsToPlay = false
        player?.stop()
    }

    open override func visibilityDidChange(_ isVisible: Bool) {
        if isVisible { playIfVisible() } else { player?.stop() }
    }

    /// Whether a load decodes all frames of an animation at once; true, as nobody else will.
    open func shouldPreloadAllAnimation() -> Bool { true }

    /// What plays `image`; nil if nothing is to move.
    func makePlayer(for image: KFCrossPlatformImage) -> AnimationPlayer? {
        guard image.frameCount > 1, image.images != nil,
            let animator = ImageAnimator(image, maxFrameCount: .max)
        else { return nil }
        return AnimationPlayer(animator, clock: clock) { [surface] in surface.show($0) }
    }

    /// Whether an animation plays without being told to.
    var playsByItself: Bool { true }

    private func imageDidChange() {
        guard image !== player?.image || image == nil else { return }
        player?.stop()
        player = nil
        surface.show(image)
        guard let image else { return }
        player = makePlayer(for: image)
        player?.image = image
        wantsToPlay = playsByItself
        playIfVisible()
    }

    /// Makes what plays the image anew, because something about it has changed.
    func renewPlayer() {
        let wasPlaying = wantsToPlay
        player?.stop()
        player = image.flatMap(makePlayer)
        player?.image = image
        wantsToPlay = wasPlaying
        playIfVisible()
    }

    private func playIfVisible() {
        if wantsToPlay, surface.isVisible { player?.start() }
    }
}
