/// What an image's headers say, read without decoding a pixel.
public struct ImageInfo: Sendable, Equatable {
    /// The format that the bytes are in, whatever a name or a server claims.
    public var format: EncodedFormat

    /// Width and height of the stored pixels, or of an animation's canvas, before `orientation` is applied.
    public var size: PixelSize

    /// How the stored pixels must be turned.
    public var orientation: Orientation

    /// Frames; 1 for a still image.
    public var frameCount: Int

    /// How often an animation plays: 0 for ever, 1 for a still image.
    public var loopCount: Int

    /// Whether some pixel may be transparent.
    public var hasAlpha: Bool

    /// Whether the bytes reach to where the format says that they end.
    ///
    /// Read from the structure only: true does not promise that every pixel decodes, and false not that one is missing.
    /// ``ImageCodec/hasAllPixels(_:limits:)`` tells.
    public var isComplete: Bool

    /// Whether it is drawn anew for every size, and so is sharp at each; false by default.
    ///
    /// `size` is then only what it is shown at where nobody says otherwise.
    public var isScalable: Bool

    /// Describes an image.
    public init(
        format: EncodedFormat,
        size: PixelSize,
        orientation: Orientation = .up,
        frameCount: Int = 1,
        loopCount: Int = 1,
        hasAlpha: Bool = false,
        isComplete: Bool = true,
        isScalable: Bool = false
    ) {
        self.format = format
        self.size = size
        self.orientation = orientation
        self.frameCount = frameCount
        self.loopCount = loopCount
        self.hasAlpha = hasAlpha
        self.isComplete = isComplete
        self.isScalable = isScalable
    }

    /// Width and height once upright.
    public var uprightSize: PixelSize { orientation.upright(size) }
}
