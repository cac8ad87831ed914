/// The limits of decoding untrusted bytes; checked from headers, before memory is allocated.
public struct DecodeLimits: Sendable, Hashable {
    /// Pixels of one frame or canvas; 50 million by default.
    ///
    /// For a reduced decode, the pixels of the result count; see ``storedPixelsPerFrame``.
    public var pixelsPerFrame = 50_000_000

    /// Stored pixels of a still image that is decoded at a reduced size; 250 million by default.
    ///
    /// It limits the work of reducing a JPEG, PNG, GIF or WebP. What a codec has to keep while it reduces, such as the rows of an
    /// interlaced PNG, is limited to 8 bytes for each of ``pixelsPerFrame``. A value below ``pixelsPerFrame`` has no effect.
    public var storedPixelsPerFrame = 250_000_000

    /// Pixels of all frames of an animation together, as decoded; 1,000 million by default.
    ///
    /// Bounds the work, not the memory: frames are decoded one at a time.
    public var pixelsPerAnimation = 1_000_000_000

    /// Frames of an animation; 10,000 by default.
    public var frames = 10_000

    /// Bytes of the pixels of all preloaded frames; 512 MiB by default.
    ///
    /// A larger animation is decoded during playback.
    public var preloadedBytes = 512 << 20

    /// Bytes of the encoded image; 256 MiB by default.
    public var encodedBytes = 256 << 20

    /// Scans of a progressive JPEG; 100 by default.
    public var progressiveScans = 100

    /// Wall-clock seconds for a still image or one frame of an animation; 30 by default, infinity for no limit.
    ///
    /// The limits on pixels and scans alone allow more work than that on a slow machine. The time is checked periodically, so
    /// decoding may end a little later.
    public var seconds = 30.0

    /// ``seconds`` as a duration; nil for no limit.
    public var time: Duration? {
        get { seconds < 1e9 ? .seconds(max(seconds, 0)) : nil }
        set { seconds = newValue.map { $0 / .seconds(1) } ?? .infinity }
    }

    /// Bytes of one metadata block, such as a colour profile or EXIF; 4 MiB by default.
    ///
    /// A larger block is ignored; the image still decodes.
    public var metadataBytes = 4 << 20

    /// Whether the decoder is in this process or in a worker process; ``DecodeSandbox/automatic`` by default.
    public var sandbox = DecodeSandbox.automatic

    /// Whether samples of more than 8 bits are dithered when they are cut, so that gradients show no bands; true by default.
    ///
    /// A pixel is at most one level of 255 from the exact colour, and one that has a level of 255 keeps it. Without dithering, each
    /// channel is rounded to the nearest level: for measuring and comparing pixels. Not part of the key under which a
    /// decoded image is cached.
    public var isDithered = true

    /// How much of an image's colour decoding keeps; ``ColorRetention/standard`` by default.
    ///
    /// Here, because limits reach every decoder and worker process.
    public var colorRetention = ColorRetention.standard

    public init(
        pixelsPerFrame: Int = 50_000_000, storedPixelsPerFrame: Int = 250_000_000,
        pixelsPerAnimation: Int = 1_000_000_000, frames: Int = 10_000, preloadedBytes: Int = 512 << 20,
        encodedBytes: Int = 256 << 20, progressiveScans: Int = 100, seconds: Double = 30,
        metadataBytes: Int = 4 << 20, sandbox: DecodeSandbox = .automatic, isDithered: Bool = true,
        colorRetention: ColorRetention = .standard
    ) {
        (self.pixelsPerFrame, self.storedPixelsPerFrame) = (pixelsPerFrame, storedPixelsPerFrame)
        (self.pixelsPerAnimation, self.frames) = (pixelsPerAnimation, frames)
        (self.preloadedBytes, self.encodedBytes) = (preloadedBytes, encodedBytes)
        self.progressiveScans = progressiveScans
        (self.seconds, self.metadataBytes, self.sandbox) = (seconds, metadataBytes, sandbox)
        (self.isDithered, self.colorRetention) = (isDithered, colorRetention)
    }

    public init(_ configure: (inout Self) -> Void) { configure(&self) }

    /// Throws unless `size` is a size that a frame may have.
    public func check(frame size: PixelSize, of format: EncodedFormat) throws(CodecError) {
        try check(size, below: pixelsPerFrame, format)
    }

    /// Throws unless a frame that is decoded to fewer pixels may have `size` in its file.
    public func check(stored size: PixelSize, of format: EncodedFormat) throws(CodecError) {
        try check(size, below: max(pixelsPerFrame, storedPixelsPerFrame), format)
    }

    /// Throws if a codec needs more memory to reduce an image of `size` than decoding the largest allowed image whole takes: 8
    /// bytes for each of ``pixelsPerFrame``.
    package func check(reducing size: PixelSize, in byteCount: Int) throws(CodecError) {
        guard byteCount / 8 <= pixelsPerFrame else {
            throw .limitExceeded(.pixels, value: size.area, limit: pixelsPerFrame)
        }
    }

    private func check(_ size: PixelSize, below limit: Int, _ format: EncodedFormat) throws(CodecError) {
        guard !size.isEmpty else { throw .corrupt(format, reason: "its size is \(size)") }
        guard size.area <= limit else { throw .limitExceeded(.pixels, value: size.area, limit: limit) }
    }

    /// Throws unless `count` frames of `size` are allowed.
    public func check(frames count: Int, of size: PixelSize) throws(CodecError) {
        guard count <= frames else { throw .limitExceeded(.frames, value: count, limit: frames) }
        let (pixels, overflow) = size.area.multipliedReportingOverflow(by: count)
        guard !overflow, pixels <= pixelsPerAnimation else {
            throw .limitExceeded(.animationPixels, value: overflow ? .max : pixels, limit: pixelsPerAnimation)
        }
    }

    /// Throws unless `count` bytes may be looked at.
    public func check(encodedBytes count: Int) throws(CodecError) {
        guard count <= encodedBytes else {
            throw .limitExceeded(.encodedBytes, value: count, limit: encodedBytes)
        }
    }
}
