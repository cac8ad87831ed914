/// The facts in an image's headers, read without decoding pixels.
public struct ImageInfo: Sendable, Equatable {
    /// The format by the bytes' signature.
    public var format: EncodedFormat

    /// Width and height of the stored pixels, or of an animation's canvas, before `orientation` is applied.
    public var size: PixelSize

    /// How the stored pixels must be turned.
    public var orientation: ImageOrientation

    public var frameCount: Int

    /// How often an animation plays: 0 for ever, 1 for a still image.
    public var loopCount: Int

    /// Whether some pixel may be transparent.
    public var hasAlpha: Bool

    /// Whether all bytes that the format announces are there.
    ///
    /// Read from the structure only: all pixels may decode without it, and some may not with it; see
    /// ``ImageCodec/hasAllPixels(_:limits:)``.
    public var isComplete: Bool

    /// Whether it is a vector image, drawn for each size; false by default.
    ///
    /// `size` is then its default size.
    public var isScalable: Bool

    public init(
        format: EncodedFormat,
        size: PixelSize,
        orientation: ImageOrientation = .up,
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
