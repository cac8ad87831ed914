import Foundation

/// Plays an animation in a view: an ``ImageAnimator``, a clock, and a task on the main actor while it plays.
@MainActor
final class AnimationPlayer {
    let animator: ImageAnimator

    /// The animation.
    var image: KFCrossPlatformImage?

    /// Told how often the animation has been played, whenever it has been.
    var loopEnded: (UInt) -> Void = { _ in }

    /// Told that it has ended for good.
    var finished: () -> Void = {}

    private let show: (KFCrossPlatformImage) -> Void
    private let clock: any Clock<Duration>
    private var task: Task<Void, Never>?

    init(
        _ animator: ImageAnimator,
        clock: any Clock<Duration>,
        show: @escaping (KFCrossPlatformImage) -> Void
    ) {
        self.animator = animator
        self.clock = clock
        self.show = show
    }

    deinit { task?.cancel() }

    var isPlaying: Bool { task != nil }

    /// Goes on from where it was, unless it has ended for good.
    func start() {
        guard task == nil, !animator.isFinished else { return }
        animator.prepareFrames()
        task = Task { [weak self, animator, clock, show] in
            let hasEnded: Void? = try? await animator.play(
                by: clock, loopEnded: { [weak self] in self?.loopEnded($0) }, show: show)
            guard hasEnded != nil, let self else { return }
            task = nil
            finished()
        }
    }

    /// Stops where it is.
    func stop() {
        task?.cancel()
        task = nil
    }
}
