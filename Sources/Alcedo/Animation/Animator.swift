import AlcedoLocks
public import Foundation

/// Plays an animation without a view.
public typealias ImageAnimator = AnimatedImageView.Animator

extension AnimatedImageView {
    /// The number of times an animation is played.
    public enum RepeatCount: Hashable, Sendable {
        /// Once.
        case once
        /// A number of times; 0 counts as 1.
        case finite(count: UInt)
        /// Forever.
        case infinite

        /// Whether both counts are equal; `.once` equals a count of 1.
        public static func == (left: RepeatCount, right: RepeatCount) -> Bool { left.count == right.count }

        /// Hashes the count.
        public func hash(into hasher: inout Hasher) { hasher.combine(count) }

        /// Nil for forever.
        private var count: UInt? {
            switch self {
            case .once: 1
            case .finite(let count): count
            case .infinite: nil
            }
        }

        /// The number of loops, at least 1; nil for forever.
        fileprivate var plays: UInt? { count.map { max(1, $0) } }
    }

    /// Computes the current frame of an animated image and decodes frames ahead of time.
    ///
    /// Independent of toolkits and clocks: a view calls ``update(at:)`` with the time of its next redraw. Worker
    /// threads decode frames ahead; unless the animation is preloaded, at most ``maxFrameCount`` decoded frames are
    /// kept. The animation ends before the first damaged frame.
    ///
    /// Thread-safe, but only one thread should call ``update(at:)``.
    public final class Animator: Sendable {
        /// The changes since the last update.
        public struct Update: Hashable, Sendable {
            /// Whether the current frame has changed.
            public var isNewFrame: Bool

            /// The number of completed loops, if it has just changed.
            public var loopsPlayed: UInt?

            /// Whether the animation has just finished; the last frame stays current.
            public var hasFinished: Bool
        }

        /// The memory limit of decoded frames in bytes; two frames are kept regardless.
        private static let byteLimit = 32 << 20

        /// The maximum number of decoded frames.
        public var maxFrameCount: Int { window.capacity }

        /// The number of frames of the animation.
        public let frameCount: Int

        private let image: (scale: CGFloat, width: Int)
        private let durations: [TimeInterval]
        private let window: FrameWindow
        private let timeline: Lock<AnimationTimeline>
        private let readySignal: FrameReadySignal

        /// Starts to decode the first frames of `image`; nil for a still image; a GIF of one frame counts as an
        /// animation.
        ///
        /// A frame with a duration of 0 or less is shown for 1/60 s.
        ///
        /// - Parameters:
        ///   - image: an animation.
        ///   - repeatCount: the number of loops; forever by default, regardless of the file.
        ///   - maxFrameCount: the maximum number of decoded frames; 10 by default. At most 32 MiB of frames are
        ///     kept, but always at least two frames.
        ///   - maxSize: frames are reduced to its longer side, in pixels; nil for no reduction.
        ///   - frameIsReady: called on a worker thread after each frame is decoded or found damaged.
        public init?(
            _ image: KFCrossPlatformImage,
            repeatCount: RepeatCount = .infinite,
            maxFrameCount: Int = 10,
            maxSize: CGSize? = nil,
            frameIsReady: @escaping @Sendable (_ index: Int) -> Void = { _ in }
        ) {
            let decoded = image.animation.map(DecodedFrames.init)
            guard let source = decoded ?? image.kf.frameSource?.copy(), source.frameCount > 0 else {
                return nil
            }
            frameCount = source.frameCount
            self.image = (image.scale, image.pixelSize.width)
            durations = (0..<source.frameCount).map { source.duration(at: $0) }
            let side = maxSize.map { Double(max($0.width, $0.height)) } ?? .infinity
            let frameBytes = image.pixelSize.fitted(longerSide: side).area * 4
            let capacity = min(maxFrameCount, max(2, Self.byteLimit / max(1, frameBytes)))
            let readySignal = FrameReadySignal()
            self.readySignal = readySignal
            window = FrameWindow(
                source,
                capacity: decoded == nil ? capacity : maxFrameCount,
                maxSize: maxSize
            ) { index in
                readySignal.notify()
                frameIsReady(index)
            }
            let plays = repeatCount.plays
            // A single frame that loops forever never changes.
            let timelineDurations = plays == nil && frameCount == 1 ? [.infinity] : durations
            timeline = Lock(
                AnimationTimeline(
                    durations: timelineDurations.map(Duration.init(wholeMicroseconds:)), plays: plays))
            window.move(to: 0)
        }

        deinit { window.close(keepingCurrent: false) }

        // MARK: - Current frame

        /// The index of the current frame, from 0.
        public var currentFrameIndex: Int { timeline.withLock { $0.index } }

        /// The current frame; nil until the first one is decoded.
        public var currentFrameImage: KFCrossPlatformImage? { frame(at: currentFrameIndex) }

        /// The duration of the current frame, in seconds.
        public var currentFrameDuration: TimeInterval { duration(at: currentFrameIndex) }

        /// Whether the current frame is the last one.
        public var isLastFrame: Bool { currentFrameIndex == window.count - 1 }

        /// Whether the animation has finished.
        public var isFinished: Bool { timeline.withLock { $0.isFinished } }

        /// A frame if it is decoded, else nil; a reduced frame has the image's size in points.
        public func frame(at index: Int) -> KFCrossPlatformImage? {
            window.frame(at: index).map { bitmap in
                Image(bitmap: bitmap, scale: image.scale * CGFloat(bitmap.width) / CGFloat(image.width))
            }
        }

        /// The duration of a frame from its source, in seconds; infinite for an index out of range.
        public func duration(at index: Int) -> TimeInterval {
            durations.indices.contains(index) ? durations[index] : .infinity
        }

        /// The number of decoded frames.
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
            let count = window.count
            let (step, index, isWaiting) = timeline.withLock { timeline in
                if count == 0 { return (timeline.end(), 0, false) }
                // The animation starts once the first frame is decoded.
                guard timeline.deadline != nil || window.frame(at: timeline.index) != nil else {
                    return (AnimationTimeline.Step(), timeline.index, !timeline.isFinished)
                }
                let step = timeline.advance(to: time, count: count) { window.frame(at: $0) != nil }
                return (step, timeline.index, timeline.isWaiting)
            }
            // The next frame may have been purged.
            if step.isNewFrame || isWaiting { window.move(to: index) }
            return Update(isNewFrame: step.isNewFrame, loopsPlayed: step.loops, hasFinished: step.hasFinished)
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
            window.move(to: 0)
        }

        /// Frees decoded frames; they are decoded again when the animation continues.
        public func purgeFrames(keepCurrentFrame: Bool = true) {
            window.close(keepingCurrent: keepCurrentFrame)
        }

        /// Decodes the frames that ``purgeFrames(keepCurrentFrame:)`` has freed.
        public func prepareFrames() { window.move(to: currentFrameIndex) }

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
                let now = start.duration(to: clock.now)
                let update = update(at: now)
                if update.isNewFrame || !isShown, let image = currentFrameImage {
                    show(image)
                    isShown = true
                }
                if let loops = update.loopsPlayed { loopEnded(loops) }
                if update.hasFinished { return }
                if let deadline, deadline > now {
                    try await clock.sleep(until: start.advanced(by: deadline), tolerance: nil)
                } else {
                    _ = await frameReady.next(isolation: isolation)
                }
            }
            throw CancellationError()
        }
    }
}

extension Duration {
    /// A duration in seconds, rounded to microseconds so that sums are exact; 1/60 s for 0 or less.
    fileprivate init(wholeMicroseconds seconds: TimeInterval) {
        let microseconds = (seconds * 1e6).rounded()
        self = .microseconds(microseconds >= 1 ? Int64(min(microseconds, 1e15)) : 1_000_000 / 60)
    }
}
