import AlcedoLocks
public import Foundation

/// Plays an animation without a view.
public typealias ImageAnimator = AnimatedImageView.Animator

extension AnimatedImageView {
    /// Computes the current frame of an animated image and decodes frames ahead of time.
    ///
    /// Independent of toolkits and clocks: a view calls ``update(at:)`` with the time of its next redraw. Worker
    /// threads decode frames ahead; unless the animation is preloaded, at most ``maxFrameCount`` decoded frames are
    /// kept. All animators of one image share its frames, and all together keep to ``FrameBudget/shared``. The animation
    /// ends before the first damaged frame.
    ///
    /// Thread-safe, but only one thread should call ``update(at:)``.
    public final class Animator: Sendable {
        public struct Update: Hashable, Sendable {
            public var isNewFrame: Bool

            /// The number of completed loops, if it has just changed.
            public var loopsPlayed: UInt?

            /// Whether the animation has just finished; the last frame stays current.
            public var hasFinished: Bool
        }

        /// The memory limit of decoded frames in bytes; two frames are kept regardless.
        private static let byteLimit = 32 << 20

        public var maxFrameCount: Int { window.capacity }
        public let frameCount: Int
        private let image: KFCrossPlatformImage
        private let frameLimit: Int
        private let budget: FrameBudget
        private let frameIsReady: @Sendable (Int) -> Void
        private let durations: [TimeInterval]
        private let windows: FrameWindows
        var window: FrameWindow { windows.current }

        /// The longer side that frames are reduced to, or soon will be; infinite for no reduction.
        private let longerSide: Lock<Double>
        let timeline: Lock<AnimationTimeline>
        let readySignal: FrameReadySignal

        /// Wakes ``play(by:isolation:loopEnded:show:)`` after a change of rate or position.
        let changeSignal = PlaybackChangeSignal()

        /// Starts to decode the first frames of `image`; nil for a still image; a GIF of one frame counts as an
        /// animation.
        ///
        /// A frame with a duration of 0 or less is shown for 1/60 s.
        ///
        /// - Parameters:
        ///   - image: an animation.
        ///   - repeatCount: the number of loops; forever by default, regardless of the file.
        ///   - maxFrameCount: the maximum number of decoded frames; 10 by default. At most 32 MiB of frames are
        ///     kept, but always at least two frames; and all of them if they take no more, reduced, than one that is not.
        ///   - maxSize: frames are reduced to its longer side, in pixels; nil for no reduction.
        ///   - frameIsReady: called on a worker thread after each frame is decoded or found damaged.
        public convenience init?(
            _ image: KFCrossPlatformImage,
            repeatCount: RepeatCount = .infinite,
            maxFrameCount: Int = 10,
            maxSize: CGSize? = nil,
            frameIsReady: @escaping @Sendable (_ index: Int) -> Void = { _ in }
        ) {
            self.init(
                image, repeatCount: repeatCount, maxFrameCount: maxFrameCount, maxSize: maxSize,
                budget: .shared,
                frameIsReady: frameIsReady)
        }

        /// With `budget` for the frames, unless the image's frames have players already.
        init?(
            _ image: KFCrossPlatformImage,
            repeatCount: RepeatCount = .infinite,
            maxFrameCount: Int = 10,
            maxSize: CGSize? = nil,
            budget: FrameBudget,
            frameIsReady: @escaping @Sendable (_ index: Int) -> Void = { _ in }
        ) {
            guard let pool = image.framePool(maxSize: maxSize, budget: budget) else { return nil }
            frameCount = pool.total
            self.image = image
            (self.budget, frameLimit, self.frameIsReady) = (budget, maxFrameCount, frameIsReady)
            longerSide = Lock(maxSize.longerSide)
            durations = pool.durations
            let readySignal = FrameReadySignal()
            self.readySignal = readySignal
            let capacity = Self.capacity(of: pool, for: image, limit: maxFrameCount)
            windows = FrameWindows(
                FrameWindow(pool, capacity: capacity) { index in
                    readySignal.notify()
                    frameIsReady(index)
                })
            let plays = repeatCount.plays
            // A single frame that loops forever never changes.
            let timelineDurations = plays == nil && frameCount == 1 ? [.infinity] : durations
            timeline = Lock(
                AnimationTimeline(
                    durations: timelineDurations.map(Duration.init(wholeMicroseconds:)), plays: plays))
            windows.move(to: 0, isReversed: false)
        }

        private static func capacity(of pool: FramePool, for image: KFCrossPlatformImage, limit: Int) -> Int {
            guard image.animation == nil else { return limit }
            // Then they take less than the decoder that they make unnecessary, which has a canvas of the full size.
            let allBytes = pool.total * pool.frameBytes
            if allBytes <= min(byteLimit, image.pixelSize.area * 4) { return max(limit, pool.total) }
            return min(limit, max(2, byteLimit / max(1, pool.frameBytes)))
        }

        /// Has frames reduced to the longer side of another size, in pixels; nil for no reduction.
        ///
        /// Frames of the present size are shown until the current one is decoded at the new size.
        func resize(to maxSize: CGSize?) {
            let isNew = longerSide.withLock { exchange(&$0, with: maxSize.longerSide) } != maxSize.longerSide
            guard isNew, let pool = image.framePool(maxSize: maxSize, budget: budget) else { return }
            let capacity = Self.capacity(of: pool, for: image, limit: frameLimit)
            let next = FrameWindow(pool, capacity: capacity) {
                [readySignal, changeSignal, frameIsReady] index in
                // Wakes a player that sleeps until the next frame.
                changeSignal.notify()
                readySignal.notify()
                frameIsReady(index)
            }
            next.move(to: currentFrameIndex, isReversed: isReversed)
            windows.prepare(next)
        }

        // MARK: - Current frame

        /// The index of the current frame, from 0.
        public var currentFrameIndex: Int { timeline.withLock { $0.index } }

        /// The current frame; nil until the first one is decoded.
        public var currentFrameImage: KFCrossPlatformImage? { frame(at: currentFrameIndex) }

        /// The duration of the current frame, in seconds.
        public var currentFrameDuration: TimeInterval { duration(at: currentFrameIndex) }

        public var isLastFrame: Bool { currentFrameIndex == window.count - 1 }
        public var isFinished: Bool { timeline.withLock { $0.isFinished } }

        /// A frame if it is decoded, else nil; a reduced frame has the image's size in points.
        public func frame(at index: Int) -> KFCrossPlatformImage? {
            window.frame(at: index).map { bitmap in
                Image(
                    bitmap: bitmap,
                    scale: image.scale * CGFloat(bitmap.width) / CGFloat(image.pixelSize.width))
            }
        }

        /// The duration of a frame from its source, in seconds; infinite for an index out of range.
        public func duration(at index: Int) -> TimeInterval {
            durations.indices.contains(index) ? durations[index] : .infinity
        }

        public var decodedFrameCount: Int { window.decodedCount }

        // MARK: - Time

        /// Advances to the frame at `time`; the first call starts the animation.
        ///
        /// A frame that is not decoded in time delays the animation; it gets its full duration once it is decoded.
        ///
        /// - Parameter time: the time since any fixed origin; must not decrease.
        /// - Returns: the changes.
        @discardableResult
        public func update(at time: Duration) -> Update {
            let isResized = windows.switchIfReady(at: currentFrameIndex)
            let window = window
            let count = window.count
            // The pool's lock is taken under the timeline's, never the reverse: listeners are called without it.
            let (step, index, isWaiting) = timeline.withLock { timeline in
                if timeline.index >= count { return (timeline.end(), timeline.index, false) }
                // The animation starts once the first frame is decoded.
                guard timeline.deadline != nil || window.frame(at: timeline.index) != nil else {
                    return (AnimationTimeline.Step(), timeline.index, !timeline.isFinished)
                }
                let step = timeline.advance(to: time, count: count) { window.frame(at: $0) != nil }
                return (step, timeline.index, timeline.isWaiting)
            }
            // The next frame may have been purged.
            if step.isNewFrame || isWaiting { windows.move(to: index, isReversed: isReversed) }
            return Update(
                isNewFrame: step.isNewFrame || isResized, loopsPlayed: step.loops,
                hasFinished: step.hasFinished)
        }

        /// When the current frame ends; nil before the first ``update(at:)``, while stopped, and after the end.
        ///
        /// If the next frame is not decoded by then, `frameIsReady` is called once it is.
        public var deadline: Duration? { timeline.withLock { $0.deadline } }

        /// Stops the animation; the next ``update(at:)`` continues from this point.
        public func stop(at time: Duration) { timeline.withLock { $0.stop(at: time) } }

        /// Resets to the first frame; the next ``update(at:)`` starts there.
        public func rewind() {
            timeline.withLock { $0.rewind() }
            windows.move(to: 0, isReversed: isReversed)
        }

        /// Frees decoded frames; they are decoded again when the animation continues.
        public func purgeFrames(keepCurrentFrame: Bool = true) {
            windows.close(keepingCurrent: keepCurrentFrame)
        }

        /// Decodes the frames that ``purgeFrames(keepCurrentFrame:)`` has freed.
        public func prepareFrames() { windows.move(to: currentFrameIndex, isReversed: isReversed) }
    }
}

extension Duration {
    /// A duration in seconds, rounded to microseconds so that sums are exact; 1/60 s for 0 or less.
    init(wholeMicroseconds seconds: TimeInterval) {
        let microseconds = (seconds * 1e6).rounded()
        self = .microseconds(microseconds >= 1 ? Int64(min(microseconds, 1e15)) : 1_000_000 / 60)
    }
}

// Rate and position; a change takes effect at once, also while the animation plays.

extension AnimatedImageView.Animator {
    /// The speed: 1 by default, 2 for double speed, negative for backward, 0 to pause.
    ///
    /// From 0.01 to 100 in either direction; other values are clamped, and those that are not finite have no effect. Formats
    /// are decoded forward only, so backward each run of half ``maxFrameCount`` frames costs a decoding of all frames
    /// before it; an animation whose frames fit into ``maxFrameCount`` is decoded once. A loop ends where it wraps around:
    /// to play once backward, seek to the last frame first.
    public var playbackRate: Double {
        get { timeline.withLock { $0.wantedRate } }
        set {
            guard newValue.isFinite, newValue != playbackRate else { return }
            let speed = newValue == 0 ? 0 : min(max(newValue.magnitude, 0.01), 100)
            timeline.withLock { $0.wantedRate = newValue < 0 ? -speed : speed }
            windows.turn(isReversed: isReversed)
            wake()
        }
    }

    /// Shows a frame next: the one at `index`, clamped to the animation's frames.
    ///
    /// A finished animation can be played again from there.
    public func seek(toFrameAt index: Int) {
        let index = min(max(index, 0), max(window.count, 1) - 1)
        timeline.withLock { $0.seek(to: index) }
        showSought()
    }

    /// Shows the frame at `time` next, from the animation's start at a rate of 1; clamped to the animation.
    public func seek(to time: Duration) {
        let microseconds = (min(max(time, .zero), .seconds(1e9)) / .microseconds(1)).rounded()
        let count = max(window.count, 1)
        timeline.withLock { $0.seek(toTime: .microseconds(microseconds), count: count) }
        showSought()
    }

    /// Whether the current frame was sought since the last ``update(at:)``.
    var hasSought: Bool { timeline.withLock { $0.hasSought } }

    var isReversed: Bool { playbackRate < 0 }

    private func showSought() {
        windows.move(to: currentFrameIndex, isReversed: isReversed)
        wake()
    }

    private func wake() {
        changeSignal.notify()
        readySignal.notify()
    }

    /// Plays the animation until its end or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - clock: measures time.
    ///   - isolation: the actor that the closures run on; by default the caller's.
    ///   - loopEnded: called after each loop with the number of completed loops.
    ///   - show: called with each frame at its start.
    /// - Throws: `CancellationError`.
    public func play(
        by clock: some Clock<Duration>,
        isolation: isolated (any Actor)? = #isolation,
        loopEnded: (UInt) -> Void = { _ in },
        show: (KFCrossPlatformImage) -> Void
    ) async throws {
        let start = clock.now
        var frameReady = readySignal.stream().makeAsyncIterator()
        var isShown = false
        defer { stop(at: start.duration(to: clock.now)) }
        while !Task.isCancelled {
            let changes = changeSignal.count
            let now = start.duration(to: clock.now)
            let update = update(at: now)
            if update.isNewFrame || !isShown, let image = currentFrameImage {
                show(image)
                isShown = true
            }
            if let loops = update.loopsPlayed { loopEnded(loops) }
            if update.hasFinished { return }
            if let deadline, deadline > now {
                let end = start.advanced(by: deadline)
                await changeSignal.sleep(by: clock, until: end, unlessChangedSince: changes)
            } else {
                _ = await frameReady.next(isolation: isolation)
            }
        }
        throw CancellationError()
    }

    /// The current frame, once it is decoded; nil if it is damaged or the task is cancelled.
    func preparedFrame() async -> KFCrossPlatformImage? {
        var frameReady = readySignal.stream().makeAsyncIterator()
        while !Task.isCancelled, currentFrameIndex < window.count {
            if let image = currentFrameImage { return image }
            _ = await frameReady.next()
        }
        return nil
    }
}

extension AnimatedImageView {
    /// The number of times an animation is played.
    public enum RepeatCount: Hashable, Sendable {
        case once
        /// A number of times; 0 counts as 1.
        case finite(count: UInt)
        case infinite

        /// Whether both counts are equal; `.once` equals a count of 1.
        public static func == (left: RepeatCount, right: RepeatCount) -> Bool { left.count == right.count }

        public func hash(into hasher: inout Hasher) { hasher.combine(count) }

        private var count: UInt? {
            switch self {
            case .once: 1
            case .finite(let count): count
            case .infinite: nil
            }
        }

        /// The number of loops, at least 1; nil for forever.
        var plays: UInt? { count.map { max(1, $0) } }
    }
}
