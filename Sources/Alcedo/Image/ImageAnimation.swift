import Foundation

/// The frames of an animation that are there already.
struct ImageAnimation: Sendable {
    /// One frame.
    struct Frame: Sendable {
        var image: Image
        /// In seconds.
        var duration: TimeInterval
    }

    /// At least one.
    let frames: [Frame]

    /// Plays; 0 for ever.
    let loopCount: Int

    /// Seconds for one play.
    let duration: TimeInterval

    /// Whether the bytes of its first frame, if that has any, are not those of the animation.
    let isMadeOfImages: Bool

    /// Stretches the frames to `duration`, if that is over 0.
    init(_ frames: [Frame], loopCount: Int, duration: TimeInterval = 0, isMadeOfImages: Bool = false) {
        self.isMadeOfImages = isMadeOfImages
        self.loopCount = loopCount
        let total = frames.reduce(0) { $0 + $1.duration }
        guard duration > 0, duration.isFinite, total > 0 else {
            self.frames = frames
            self.duration = total
            return
        }
        self.duration = duration
        self.frames = frames.map { Frame(image: $0.image, duration: $0.duration / total * duration) }
    }

    /// The same frames at another scale.
    func scaled(to scale: CGFloat) -> ImageAnimation {
        ImageAnimation(
            frames.map { Frame(image: $0.image.kf.scaled(to: scale), duration: $0.duration) },
            loopCount: loopCount,
            isMadeOfImages: isMadeOfImages
        )
    }

    /// How many of the frames are pictures of their own.
    var distinctFrames: Int { Set(frames.map { ObjectIdentifier($0.image.store) }).count }
}

/// What Kingfisher attaches to an image.
struct ImageAttachments: Sendable {
    var frameCount: Int?
    var frameSource: (any ImageFrameSource)?
    var animatedData: Data?
}
