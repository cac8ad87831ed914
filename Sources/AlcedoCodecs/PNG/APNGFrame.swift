import AlcedoPixels

/// The `fcTL` chunk of a frame.
struct APNGFrame {
    /// The disposal of a frame after it was shown.
    enum Disposal: Int {
        case keep
        case clear
        case restorePrevious
    }

    enum Blending: Int {
        case replace
        case over
    }

    let rect: FrameRect
    let duration: Double
    let disposal: Disposal
    let blending: Blending
    var isStillImage = false

    /// The bodies of its `fdAT` chunks, without their sequence numbers.
    var data: [Range<Int>] = []

    /// Reads the body at `offset`; nil if it is invalid or outside `canvas`.
    init?(_ bytes: RawSpan, at offset: Int, canvas: PixelSize) {
        guard let width = bytes.u32BE(offset + 4), let height = bytes.u32BE(offset + 8),
            let left = bytes.u32BE(offset + 12), let top = bytes.u32BE(offset + 16),
            let numerator = bytes.u16BE(offset + 20), let denominator = bytes.u16BE(offset + 22),
            let disposal = bytes.u8(offset + 24).flatMap(Disposal.init(rawValue:)),
            let blending = bytes.u8(offset + 25).flatMap(Blending.init(rawValue:)),
            width > 0, height > 0, left + width <= canvas.width, top + height <= canvas.height
        else { return nil }
        rect = FrameRect(left: left, top: top, width: width, height: height)
        // The specification says that 0 stands for 100.
        duration = Double(numerator) / Double(denominator == 0 ? 100 : denominator)
        self.disposal = disposal
        self.blending = blending
    }
}

/// The animation of a PNG, collected from its chunks.
///
/// An invalid animation makes the PNG a still image, as the specification recommends.
struct APNGAnimation {
    private(set) var frames: [APNGFrame] = []
    /// The number of plays; 0 for infinite.
    let loopCount: Int

    /// More frames make the animation invalid; bounds the memory of the list.
    private static let frameLimit = 1 << 16

    private let announcedFrames: Int
    private var nextSequenceNumber = 0
    private var isBroken = false

    /// Reads the body of an `acTL` chunk; nil if it is too short.
    init?(_ bytes: RawSpan, body: Range<Int>) {
        guard body.count >= 8, let frames = bytes.u32BE(body.lowerBound),
            let plays = bytes.u32BE(body.lowerBound + 4)
        else { return nil }
        announcedFrames = frames
        loopCount = plays
    }

    /// Whether the animation is valid, after all chunks were read.
    var isValid: Bool {
        !isBroken && !frames.isEmpty && frames.count == announcedFrames
            && frames.allSatisfy { $0.isStillImage || !$0.data.isEmpty }
    }

    /// Adds an `fcTL` chunk.
    mutating func addControl(_ bytes: RawSpan, body: Range<Int>, canvas: PixelSize, beforeImage: Bool) {
        guard body.count == 26, frames.count < Self.frameLimit, acceptSequenceNumber(bytes, body),
            var frame = APNGFrame(bytes, at: body.lowerBound, canvas: canvas)
        else { return isBroken = true }
        if beforeImage {
            guard frames.isEmpty, frame.rect == FrameRect(canvas) else { return isBroken = true }
            frame.isStillImage = true
        }
        frames.append(frame)
    }

    /// Adds an `fdAT` chunk.
    mutating func addData(_ bytes: RawSpan, body: Range<Int>) {
        guard body.count >= 4, acceptSequenceNumber(bytes, body), let last = frames.indices.last,
            !frames[last].isStillImage
        else { return isBroken = true }
        frames[last].data.append((body.lowerBound + 4)..<body.upperBound)
    }

    private mutating func acceptSequenceNumber(_ bytes: RawSpan, _ body: Range<Int>) -> Bool {
        defer { nextSequenceNumber += 1 }
        return bytes.u32BE(body.lowerBound) == nextSequenceNumber
    }
}
