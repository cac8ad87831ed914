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
    private(set) var frames: [Frame]

    /// Plays; 0 for ever.
    let loopCount: Int

    /// Seconds for one play; infinite for the only frame of a file or a source.
    let duration: TimeInterval

    /// Whether the bytes of its first frame, if that has any, are not those of the animation.
    let isMadeOfImages: Bool

    /// Stretches the frames to `duration`, if that is over 0; those without a time get equal parts of it.
    init(_ frames: [Frame], loopCount: Int, duration: TimeInterval = 0, isMadeOfImages: Bool = false) {
        self.isMadeOfImages = isMadeOfImages
        self.loopCount = loopCount
        self.frames = frames
        let total = frames.reduce(0) { $0 + $1.duration }
        guard duration > 0, duration.isFinite else {
            self.duration = frames.count == 1 && !isMadeOfImages ? .infinity : total
            return
        }
        self.duration = duration
        for index in frames.indices {
            let part = total > 0 && total.isFinite ? frames[index].duration / total : 1 / Double(frames.count)
            self.frames[index].duration = part * duration
        }
    }

    /// The same frames at another scale.
    func scaled(to scale: CGFloat) -> ImageAnimation {
        var scaled = self
        for index in frames.indices { scaled.frames[index].image = frames[index].image.kf.scaled(to: scale) }
        return scaled
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
