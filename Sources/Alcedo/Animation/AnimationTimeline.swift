/// Which frame of an animation is to be seen when; no frames, no clock, no threads.
///
/// Times are counted from anywhere. Each frame ends when its time is over and the next one begins in that moment,
/// however late that is noticed, so that errors do not add up.
struct AnimationTimeline {
    /// What has become of the time.
    struct Step: Equatable {
        /// Whether another frame is to be seen.
        var isNewFrame = false
        /// How often the animation has been played to its end, if that has changed.
        var loops: UInt?
        /// Whether it has just ended for good.
        var hasFinished = false
    }

    private let durations: [Duration]
    private let plays: UInt?

    /// The frame to be seen.
    private(set) var index = 0

    /// How often the animation has been played to its end.
    private(set) var loops: UInt = 0

    /// Whether it has ended for good.
    private(set) var isFinished = false

    /// When the frame came; nil while the time stands still.
    private var start: Duration?

    /// Whether the frame's time is over, and the next one was not ready.
    private(set) var isWaiting = false

    /// How long the frame had been seen when the time was stopped.
    private var seen = Duration.zero

    /// Makes a timeline that plays so often, nil for ever, frames of `durations`, of which there is at least one.
    init(durations: [Duration], plays: UInt?) {
        self.durations = durations
        self.plays = plays
    }

    /// When the frame ends; nil while the time stands still, and at the end.
    var deadline: Duration? { isFinished ? nil : start.map { $0 + durations[index] } }

    /// The frame that follows; nil if that is the end.
    func next(of count: Int) -> Int? {
        if index + 1 < count { return index + 1 }
        if let plays, loops + 1 >= plays { return nil }
        return 0
    }

    /// Goes on to `now`, among the first `count` frames, but no further than to the last frame that is ready.
    ///
    /// A frame that is late is shown from when it is ready; who looks only now and then catches up, by a play at most.
    mutating func advance(to now: Duration, count: Int, isReady: (Int) -> Bool) -> Step {
        var step = Step()
        guard !isFinished else { return step }
        if start == nil { start = now - seen }
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

    /// Ends it where it is.
    mutating func end() -> Step {
        defer { isFinished = true }
        return Step(hasFinished: !isFinished)
    }

    /// Stops the time.
    mutating func stop(at now: Duration) {
        guard let start else { return }
        seen = min(max(.zero, now - start), durations[index])
        self.start = nil
    }

    /// Goes back to the beginning, where the time stands still.
    mutating func rewind() { self = AnimationTimeline(durations: durations, plays: plays) }
}
