public import Foundation

/// The run loop's common modes.
public let KFRunLoopModeCommon = RunLoop.Mode.common

/// Receives the events of an animation.
@MainActor
public protocol AnimatedImageViewDelegate: AnyObject {
    /// Called after each loop, with the number of completed loops.
    func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt)

    /// Called after the last loop.
    func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView)
}

extension AnimatedImageViewDelegate {
    public func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {}
    public func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {}
}

/// Plays animations and decodes their frames on demand; memory use does not depend on the number of frames.
///
/// It plays while it is visible. See ``Animator`` for the timing and the frame buffer.
@preconcurrency @MainActor
open class AnimatedImageView: ImageView {
    /// Whether an animation starts to play when it is set; true by default.
    public var autoPlayAnimatedImage = true

    /// The maximum number of decoded frames; 10 by default.
    public var framePreloadCount = 10 {
        didSet { if framePreloadCount != oldValue { recreatePlayer() } }
    }

    /// Whether frames are decoded at the size of the view; true by default.
    ///
    /// The frames follow changes of the view's size, its content mode and the scale of its screen.
    public var needsPrescaling = true {
        didSet { if needsPrescaling != oldValue { recreatePlayer() } }
    }

    /// Has no effect: frames are always decoded on other threads.
    @available(*, deprecated, message: "It has no effect: frames are always decoded on other threads.")
    public var backgroundDecode = true

    /// Has no effect: animations play in all modes.
    public var runLoopMode = KFRunLoopModeCommon

    /// The number of loops of an animation; forever by default, regardless of its file.
    public var repeatCount = RepeatCount.infinite {
        didSet { if repeatCount != oldValue { recreatePlayer() } }
    }

    /// The speed of animations: 1 by default, negative for backward, 0 to pause; see ``Animator/playbackRate``.
    public var playbackRate = 1.0 {
        didSet { animator?.playbackRate = playbackRate }
    }

    public weak var delegate: (any AnimatedImageViewDelegate)?

    /// Times and decodes the frames; nil for a still image.
    public var animator: Animator? { player?.animator }

    /// Whether decoded frames except the current one are freed while the view is invisible; false by default.
    public var purgeFramesOnBackground = false

    /// Whether the animation plays; setting it starts or stops the animation, as in AppKit.
    open var animates: Bool {
        get { isAnimating }
        set { if newValue { startAnimating() } else { stopAnimating() } }
    }

    /// Shows the frame at `index`, clamped to the animation's frames; continues there if the animation plays.
    public func seek(toFrameAt index: Int) { player?.seek { $0.seek(toFrameAt: index) } }

    /// Shows the frame at `time` from the animation's start; continues there if the animation plays.
    public func seek(to time: Duration) { player?.seek { $0.seek(to: time) } }

    /// Frees decoded frames; they are decoded again when the animation continues.
    public func purgeFrames(keepCurrentFrame: Bool = true) {
        animator?.purgeFrames(keepCurrentFrame: keepCurrentFrame)
    }

    /// Always false, because frames are decoded on demand.
    open override func shouldPreloadAllAnimation() -> Bool { false }

    open override func visibilityDidChange(_ isVisible: Bool) {
        super.visibilityDidChange(isVisible)
        if !isVisible, purgeFramesOnBackground { purgeFrames() }
    }

    override var autoplays: Bool { autoPlayAnimatedImage }

    override func makePlayer(for image: KFCrossPlatformImage) -> AnimationPlayer? {
        guard
            let animator = ImageAnimator(
                image, repeatCount: repeatCount, maxFrameCount: framePreloadCount,
                maxSize: frameSize(of: image))
        else { return nil }
        animator.playbackRate = playbackRate
        let player = AnimationPlayer(animator, clock: clock) { [surface] in surface.show(frameOrImage: $0) }
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

    override func frameSize(of image: KFCrossPlatformImage) -> CGSize? {
        needsPrescaling ? super.frameSize(of: image) : nil
    }
}
