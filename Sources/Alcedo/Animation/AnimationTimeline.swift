/// Computes the current frame of an animation at a time; without frames, a clock or threads.
///
/// Times have any fixed origin. Each frame starts exactly when the previous one ends, even if
/// ``advance(to:count:isReady:)`` is called later, so errors do not accumulate.
struct AnimationTimeline {
    struct Step: Equatable {
        var isNewFrame = false
        /// The number of completed loops, if it has changed.
        var loops: UInt?
        var hasFinished = false
    }

    private let durations: [Duration]
    private let plays: UInt?
    private(set) var index = 0
    private(set) var loops: UInt = 0
    private(set) var isFinished = false

    /// The speed, negative for backward; 0 pauses.
    private var rate = 1.0

    /// The speed from the next step on; nil for no change.
    private var nextRate: Double?

    /// Whether the current frame was changed by a seek since the last step.
    private(set) var hasSought = false

    /// When the current frame started; nil while stopped.
    private var start: Duration?

    /// Whether the current frame is over its duration because the next one is not ready.
    private(set) var isWaiting = false

    /// The elapsed part of the current frame's duration when the timeline was stopped; backward, from the frame's end.
    private var elapsed = Duration.zero

    /// Creates a timeline of at least one frame that loops `plays` times, or forever if that is nil.
    init(durations: [Duration], plays: UInt?) {
        self.durations = durations
        self.plays = plays
    }

    /// When the current frame ends; nil while stopped and after the end.
    var deadline: Duration? { isFinished || rate == 0 ? nil : start.map { $0 + atRate(durations[index]) } }

    /// The next frame; nil at the end.
    func next(of count: Int) -> Int? {
        let next = rate < 0 ? index - 1 : index + 1
        if 0..<count ~= next { return next }
        if let plays, loops + 1 >= plays { return nil }
        return rate < 0 ? count - 1 : 0
    }

    /// The time that a part of a frame's duration takes at the present rate.
    private func atRate(_ duration: Duration) -> Duration {
        rate.magnitude == 1 ? duration : duration / rate.magnitude
    }

    /// Advances to `now` within the first `count` frames, and stops before the first frame that is not ready.
    ///
    /// A late frame gets its full duration from the time it is ready. A late call skips frames, at most one loop.
    mutating func advance(to now: Duration, count: Int, isReady: (Int) -> Bool) -> Step {
        var step = Step()
        guard !isFinished else { return step }
        step.isNewFrame = hasSought
        hasSought = false
        changeRate(at: now)
        guard rate != 0 else { return step }
        if start == nil { start = now - atRate(elapsed) }
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
            if rate < 0 ? next >= index : next <= index {
                loops += 1
                step.loops = loops
            }
            if next != index { step.isNewFrame = true }
            index = next
            start = isWaiting ? now : end
            isWaiting = false
        }
        // More than a loop late: the rest is skipped.
        start = now
        return step
    }

    mutating func end() -> Step {
        defer { isFinished = true }
        return Step(hasFinished: !isFinished)
    }

    mutating func stop(at now: Duration) {
        guard let start else { return }
        let time = max(.zero, now - start)
        elapsed = min(rate.magnitude == 1 ? time : time * rate.magnitude, durations[index])
        self.start = nil
    }

    /// Resets to the first frame, stopped, at the same rate.
    mutating func rewind() {
        let rate = wantedRate
        self = AnimationTimeline(durations: durations, plays: plays)
        self.rate = rate
    }
}

// MARK: - Rate and position

extension AnimationTimeline {
    /// The speed, which the next step applies; negative for backward, 0 pauses.
    var wantedRate: Double {
        get { nextRate ?? rate }
        set { nextRate = newValue }
    }

    /// Applies ``wantedRate``: what is left of the current frame is played at the new rate.
    private mutating func changeRate(at now: Duration) {
        guard let wanted = nextRate else { return }
        nextRate = nil
        stop(at: now)
        if (wanted < 0) != (rate < 0) { elapsed = durations[index] - elapsed }
        rate = wanted
    }

    /// Makes a frame the current one, with a part of its duration elapsed; a finished animation can go on.
    mutating func seek(to index: Int, elapsed part: Duration = .zero) {
        self.index = index
        start = nil
        elapsed = min(part, durations[index])
        isWaiting = false
        hasSought = true
        if let plays { loops = min(loops, plays - 1) }
        isFinished = false
    }

    /// Makes the frame at `time` from the animation's start the current one; the last frame at most.
    mutating func seek(toTime time: Duration, count: Int) {
        var (index, rest) = (0, max(.zero, time))
        while index + 1 < count, rest >= durations[index] {
            rest -= durations[index]
            index += 1
        }
        let part = min(rest, durations[index])
        seek(to: index, elapsed: wantedRate < 0 ? durations[index] - part : part)
    }
}
