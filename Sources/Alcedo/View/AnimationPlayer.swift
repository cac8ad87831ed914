import Foundation

/// Plays an animation in a view; drives an ``ImageAnimator`` from a task on the main actor.
@MainActor
final class AnimationPlayer {
    let animator: ImageAnimator

    var image: KFCrossPlatformImage?

    /// Called after each loop with the number of completed loops.
    var loopEnded: (UInt) -> Void = { _ in }

    /// Called after the last loop.
    var finished: () -> Void = {}

    private let show: (KFCrossPlatformImage) -> Void
    private let clock: any Clock<Duration>
    private var task: Task<Void, Never>?

    /// Shows a frame that was sought while the animation does not play.
    private var seekTask: Task<Void, Never>?

    init(
        _ animator: ImageAnimator,
        clock: any Clock<Duration>,
        show: @escaping (KFCrossPlatformImage) -> Void
    ) {
        self.animator = animator
        self.clock = clock
        self.show = show
    }

    deinit {
        task?.cancel()
        seekTask?.cancel()
    }

    var isPlaying: Bool { task != nil }

    /// Starts, or continues after ``stop()``; does nothing if the animation has finished.
    func start() {
        guard task == nil, !animator.isFinished else { return }
        seekTask?.cancel()
        animator.prepareFrames()
        // Weak, because the task ends with the player, in `deinit`.
        task = Task { [weak self, animator, clock, show] in
            let hasEnded: Void? = try? await animator.play(
                by: clock, loopEnded: { [weak self] in self?.loopEnded($0) }, show: show)
            guard hasEnded != nil, let self else { return }
            task = nil
            finished()
        }
    }

    /// Moves the animation with `seek`, and shows the frame once it is decoded; playing goes on if it was.
    func seek(_ seek: (ImageAnimator) -> Void) {
        seek(animator)
        if task == nil { showSoughtFrame() }
    }

    /// Stops at the current frame, also one that was sought and is not shown yet.
    func stop() {
        guard let playing = task else { return }
        playing.cancel()
        task = nil
        if animator.hasSought { showSoughtFrame() }
    }

    private func showSoughtFrame() {
        seekTask?.cancel()
        seekTask = Task { [animator, show] in
            if let image = await animator.preparedFrame(), !Task.isCancelled { show(image) }
        }
    }
}
