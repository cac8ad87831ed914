import Foundation

/// An animation whose frames are all in memory as images.
struct ImageAnimation: Sendable {
    struct Frame: Sendable {
        var image: Image
        /// In seconds.
        var duration: TimeInterval
    }

    /// The frames; at least one.
    private(set) var frames: [Frame]

    /// The number of loops; 0 for forever.
    let loopCount: Int

    /// The duration of one loop in seconds; infinite for the only frame of a file or a source.
    let duration: TimeInterval

    /// Whether it was created from separate images; the encoded bytes of the first frame then do not encode the animation.
    let isMadeOfImages: Bool

    /// Scales the frames' durations to a total of `duration` if that is over 0; frames without durations get equal
    /// parts.
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

    func scaled(to scale: CGFloat) -> ImageAnimation {
        var scaled = self
        for index in frames.indices { scaled.frames[index].image = frames[index].image.kf.scaled(to: scale) }
        return scaled
    }

    var distinctFrames: Int { Set(frames.map { ObjectIdentifier($0.image.store) }).count }
}

/// The animation properties that Kingfisher attaches to an image.
struct ImageAttachments: Sendable {
    var frameCount: Int?
    var frameSource: (any ImageFrameSource)?
    var animatedData: Data?

    /// What a processor has kept of the metadata of the file.
    var metadata: MetadataBlocks?
    var pools: [FramePoolReference] = []
}
