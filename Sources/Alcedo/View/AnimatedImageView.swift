public import Foundation

/// The run loop's usual modes.
public let KFRunLoopModeCommon = RunLoop.Mode.common

/// Told how an animation goes on.
@MainActor
public protocol AnimatedImageViewDelegate: AnyObject {
    /// The animation has been played to its end once more.
    func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt)

    /// The animation has been played as often as it was to be.
    func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView)
}

extension AnimatedImageViewDelegate {
    /// Does nothing.
    public func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {}

    /// Does nothing.
    public func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {}
}

/// Plays animations that are decoded as they are shown: a few frames are in memory, however many there are.
///
/// It plays while it is to be seen. See ``Animator`` for how frames are timed and kept.
@preconcurrency @MainActor
open class AnimatedImageView: ImageView {
    /// Whether an animation begins to play when it is set; true by default.
    public var autoPlayAnimatedImage = true

    /// The most frames to keep decoded; 10 by default.
    public var framePreloadCount = 10 {
        didSet { if framePreloadCount != oldValue { renewPlayer() } }
    }

    /// Whether frames are reduced to the size of the view when they are decoded; true by default.
    ///
    /// The view's size when an animation is set counts.
    public var needsPrescaling = true {
        didSet { if needsPrescaling != oldValue { renewPlayer() } }
    }

    /// No longer has an effect: frames are always decoded on other threads.
    @available(*, deprecated, message: "It has no effect: frames are always decoded on other threads.")
    public var backgroundDecode = true

    /// No longer has an effect: animations play whatever the main loop does.
    public var runLoopMode = KFRunLoopModeCommon

    /// How often an animation is played; for ever by default, whatever its file says.
    public var repeatCount = RepeatCount.infinite {
        didSet { if repeatCount != oldValue { renewPlayer() } }
    }

    /// Told how the animation goes on.
    public weak var delegate: (any AnimatedImageViewDelegate)?

    /// What times and decodes the frames; nil for a still image.
    public var animator: Animator? { player?.animator }

    /// Whether decoded frames are freed, but for the one to be seen, while the view is not; false by default.
    public var purgeFramesOnBackground = false

    /// Whether the animation plays; setting it starts or stops it, as AppKit's views do.
    open var animates: Bool {
        get { isAnimating }
        set { if newValue { startAnimating() } else { stopAnimating() } }
    }

    /// Frees decoded frames; they are decoded again as the animation goes on.
    public func purgeFrames(keepCurrentFrame: Bool = true) {
        animator?.purgeFrames(keepCurrentFrame: keepCurrentFrame)
    }

    /// False: frames are decoded as they are shown.
    open override func shouldPreloadAllAnimation() -> Bool { false }

    open override func visibilityDidChange(_ isVisible: Bool) {
        super.visibilityDidChange(isVisible)
        if !isVisible, purgeFramesOnBackground { purgeFrames() }
    }

    override var playsByItself: Bool { autoPlayAnimatedImage }

    override func makePlayer(for image: KFCrossPlatformImage) -> AnimationPlayer? {
        let maxSize = needsPrescaling ? prescaledSize(of: image) : nil
        guard
            let animator = ImageAnimator(
                image, repeatCount: repeatCount, maxFrameCount: framePreloadCount, maxSize: maxSize)
        else { return nil }
        let player = AnimationPlayer(animator, clock: clock) { [surface] in surface.show($0) }
        player.loopEnded = { [weak self] count in
            guard let self else { return }
            delegate?.animatedImageView(self, didPlayAnimationLoops: count)
        }
        player.finished = { [weak self] in
            guard let self else { return }
            delegate?.animatedImageViewDidFinishAnimating(self)
        }
        return player
    }

    /// The pixels that the view shows of an image that is larger; nil if it is not, or the view has no size yet.
    private func prescaledSize(of image: KFCrossPlatformImage) -> CGSize? {
        guard let view = PixelSize(covering: surface.size, scale: surface.scale) else { return nil }
        let pixels = CGSize(width: image.pixelSize.width, height: image.pixelSize.height)
        let shown = pixels.kf.resize(to: CGSize(width: view.width, height: view.height), for: .aspectFit)
        return shown.width < pixels.width ? shown : nil
    }
}
