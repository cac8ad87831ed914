import AlcedoLocks
public import Foundation

/// Plays an animation without a view.
public typealias ImageAnimator = AnimatedImageView.Animator

extension AnimatedImageView {
    /// How often an animation is played.
    public enum RepeatCount: Hashable, Sendable {
        /// Once.
        case once
        /// So often; 0 is once.
        case finite(count: UInt)
        /// Until it is stopped.
        case infinite

        /// Whether both are the same; once is the same as a count of 1.
        public static func == (left: RepeatCount, right: RepeatCount) -> Bool { left.count == right.count }

        /// Hashes the count.
        public func hash(into hasher: inout Hasher) { hasher.combine(count) }

        /// Nil for ever.
        private var count: UInt? {
            switch self {
            case .once: 1
            case .finite(let count): count
            case .infinite: nil
            }
        }

        /// How many times the animation is played; nil for ever.
        fileprivate var plays: UInt? { count.map { max(1, $0) } }
    }

    /// Plays an animated image for whoever shows it: says which frame is to be seen when, and has it decoded in time.
    ///
    /// It belongs to no toolkit and has no clock: a view calls ``update(at:)`` with the time of the frame that it is about to
    /// draw. Frames are decoded ahead on worker threads; of an animation whose frames are not decoded already it keeps no
    /// more than ``maxFrameCount``. A damaged frame ends the animation where it is: those before it are played.
    ///
    /// Safe on every thread, though one of them should drive it.
    public final class Animator: Sendable {
        /// What has become of the time.
        public struct Update: Hashable, Sendable {
            /// Whether another frame is to be seen than before.
            public var isNewFrame: Bool

            /// How often the animation has been played to its end, if that has just changed.
            public var loopsPlayed: UInt?

            /// Whether it has just ended for good; the last frame stays.
            public var hasFinished: Bool
        }

        /// Bytes of pixels that frames may take, where they would be more than two otherwise.
        private static let mostBytes = 32 << 20

        /// The most frames that are kept decoded.
        public var maxFrameCount: Int { window.capacity }

        /// Frames of the animation.
        public let frameCount: Int

        private let image: (scale: CGFloat, width: Int)
        private let durations: [TimeInterval]
        private let window: FrameWindow
        private let timeline: Lock<AnimationTimeline>
        private let arrivals: FrameArrivals

        /// Starts to decode the first frames of `image`; nil for a still one, which a GIF of one frame is not.
        ///
        /// A frame without a duration, or with a negative one, is seen for a 60th of a second.
        ///
        /// - Parameters:
        ///   - image: an animation.
        ///   - repeatCount: how often it is played; for ever by default, whatever the file says.
        ///   - maxFrameCount: the most frames to keep decoded; 10 by default. No more than 32 MiB
        ///     of them are kept, but two in any case.
        ///   - maxSize: the longer side of it is what frames are reduced to, in pixels; nil for no reduction.
        ///   - frameIsReady: told, on a worker thread, of each frame that has been decoded or turned out to be damaged.
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
            let capacity = min(maxFrameCount, max(2, Self.mostBytes / max(1, frameBytes)))
            let arrivals = FrameArrivals()
            self.arrivals = arrivals
            window = FrameWindow(
                source,
                capacity: decoded == nil ? capacity : maxFrameCount,
                maxSize: maxSize
            ) { index in
                arrivals.tell()
                frameIsReady(index)
            }
            let plays = repeatCount.plays
            // Nothing changes while a single frame is played for ever.
            let shown = plays == nil && frameCount == 1 ? [.infinity] : durations
            timeline = Lock(
                AnimationTimeline(durations: shown.map(Duration.init(wholeMicroseconds:)), plays: plays))
            window.move(to: 0)
        }

        deinit { window.close(keepingCurrent: false) }

        // MARK: - What is seen

        /// The frame to be seen, from 0.
        public var currentFrameIndex: Int { timeline.withLock { $0.index } }

        /// The frame to be seen; nil until the first one is decoded.
        public var currentFrameImage: KFCrossPlatformImage? { frame(at: currentFrameIndex) }

        /// How long the frame is seen, in seconds.
        public var currentFrameDuration: TimeInterval { duration(at: currentFrameIndex) }

        /// Whether the frame is the last one of the animation.
        public var isLastFrame: Bool { currentFrameIndex == window.count - 1 }

        /// Whether the animation has ended for good.
        public var isFinished: Bool { timeline.withLock { $0.isFinished } }

        /// A frame, if it is decoded; of the image's size in points, to however many pixels it has been reduced.
        public func frame(at index: Int) -> KFCrossPlatformImage? {
            window.frame(at: index).map { bitmap in
                Image(bitmap: bitmap, scale: image.scale * CGFloat(bitmap.width) / CGFloat(image.width))
            }
        }

        /// How long a frame is seen, in seconds, as its source says; infinite where there is none.
        public func duration(at index: Int) -> TimeInterval {
            durations.indices.contains(index) ? durations[index] : .infinity
        }

        /// Frames that are decoded now.
        public var decodedFrameCount: Int { window.decodedCount }

        // MARK: - Time

        /// Goes on to the frame that is to be seen at a time; the first call starts the animation.
        ///
        /// A frame that is not decoded in time is awaited, and seen for its whole duration when it comes.
        ///
        /// - Parameter time: since any moment, but always the same; it does not go back.
        /// - Returns: what has changed.
        @discardableResult
        public func update(at time: Duration) -> Update {
            let count = window.count
            let (step, index, isWaiting) = timeline.withLock { timeline in
                if count == 0 { return (timeline.end(), 0, false) }
                // Nothing begins before the first frame is there.
                guard timeline.deadline != nil || window.frame(at: timeline.index) != nil else {
                    return (AnimationTimeline.Step(), timeline.index, !timeline.isFinished)
                }
                let step = timeline.advance(to: time, count: count) { window.frame(at: $0) != nil }
                return (step, timeline.index, timeline.isWaiting)
            }
            // What is waited for may have been freed.
            if step.isNewFrame || isWaiting { window.move(to: index) }
            return Update(isNewFrame: step.isNewFrame, loopsPlayed: step.loops, hasFinished: step.hasFinished)
        }

        /// When the frame's time is over; nil before the first ``update(at:)``, while stopped, and at the end.
        ///
        /// If the next frame is not decoded then, `frameIsReady` tells when it is.
        public var deadline: Duration? { timeline.withLock { $0.deadline } }

        /// Stops the time: the next ``update(at:)`` continues where this one left off.
        public func stop(at time: Duration) { timeline.withLock { $0.stop(at: time) } }

        /// Goes back to the first frame, where the next ``update(at:)`` starts.
        public func rewind() {
            timeline.withLock { $0.rewind() }
            window.move(to: 0)
        }

        /// Frees decoded frames; they are decoded again once the animation goes on.
        public func purgeFrames(keepCurrentFrame: Bool = true) {
            window.close(keepingCurrent: keepCurrentFrame)
        }

        /// Decodes again what ``purgeFrames(keepCurrentFrame:)`` has freed.
        public func prepareFrames() { window.move(to: currentFrameIndex) }

        /// Plays until the end, or until the task is cancelled, by a clock.
        ///
        /// - Parameters:
        ///   - clock: measures the time.
        ///   - isolation: where the closures are called; the caller's actor.
        ///   - loopEnded: told how often the animation has been played to its end, whenever it has been.
        ///   - show: takes each frame when it is to be seen.
        /// - Throws: `CancellationError`.
        public func play(
            by clock: some Clock<Duration>,
            isolation: isolated (any Actor)? = #isolation,
            loopEnded: (UInt) -> Void = { _ in },
            show: (KFCrossPlatformImage) -> Void
        ) async throws {
            let start = clock.now
            var arrivals = arrivals.stream().makeAsyncIterator()
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
                    _ = await arrivals.next(isolation: isolation)
                }
            }
            throw CancellationError()
        }
    }
}

extension Duration {
    /// A time in seconds, rounded so that it can be added up exactly; a frame of a usual display where there is none.
    fileprivate init(wholeMicroseconds seconds: TimeInterval) {
        let microseconds = (seconds * 1e6).rounded()
        self = .microseconds(microseconds >= 1 ? Int64(min(microseconds, 1e15)) : 1_000_000 / 60)
    }
}
