/// Computes the current frame of an animation at a time; without frames, a clock or threads.
///
/// Times have any fixed origin. Each frame starts exactly when the previous one ends, even if
/// ``advance(to:count:isReady:)`` is called later, so errors do not accumulate.
struct AnimationTimeline {
    /// The changes since the last step.
    struct Step: Equatable {
        /// Whether the current frame has changed.
        var isNewFrame = false
        /// The number of completed loops, if it has changed.
        var loops: UInt?
        /// Whether the animation has just finished.
        var hasFinished = false
    }

    private let durations: [Duration]
    private let plays: UInt?

    /// The current frame.
    private(set) var index = 0

    /// The number of completed loops.
    private(set) var loops: UInt = 0

    /// Whether the animation has finished.
    private(set) var isFinished = false

    /// When the current frame started; nil while stopped.
    private var start: Duration?

    /// Whether the current frame is over its duration because the next one is not ready.
    private(set) var isWaiting = false

    /// The elapsed time of the current frame when the timeline was stopped.
    private var elapsed = Duration.zero

    /// Makes a timeline of at least one frame that loops `plays` times, or forever if that is nil.
    init(durations: [Duration], plays: UInt?) {
        self.durations = durations
        self.plays = plays
    }

    /// When the current frame ends; nil while stopped and after the end.
    var deadline: Duration? { isFinished ? nil : start.map { $0 + durations[index] } }

    /// The next frame; nil at the end.
    func next(of count: Int) -> Int? {
        if index + 1 < count { return index + 1 }
        if let plays, loops + 1 >= plays { return nil }
        return 0
    }

    /// Advances to `now` within the first `count` frames, and stops before the first frame that is not ready.
    ///
    /// A late frame gets its full duration from the time it is ready. A late call skips frames, at most one loop.
    mutating func advance(to now: Duration, count: Int, isReady: (Int) -> Bool) -> Step {
        var step = Step()
        guard !isFinished else { return step }
        if start == nil { start = now - elapsed }
        for _ in 0..<max(1, count) {
            guard let end = deadline, now >= end else { return step }
            guard let next = next(of: count) else {
                loops += 1
                step.loops = loops
                isFinished = true
                step.hasFinished = true
                return step
            }
            guard isReady(next) else {
                isWaiting = true
                return step
            }
            if next <= index {
                loops += 1
                step.loops = loops
            }
            if next != index { step.isNewFrame = true }
            index = next
            start = isWaiting ? now : end
            isWaiting = false
        }
        start = now
        return step
    }

    /// Finishes at the current frame.
    mutating func end() -> Step {
        defer { isFinished = true }
        return Step(hasFinished: !isFinished)
    }

    /// Stops at the current frame.
    mutating func stop(at now: Duration) {
        guard let start else { return }
        elapsed = min(max(.zero, now - start), durations[index])
        self.start = nil
    }

    /// Resets to the first frame, stopped.
    mutating func rewind() { self = AnimationTimeline(durations: durations, plays: plays) }
}
