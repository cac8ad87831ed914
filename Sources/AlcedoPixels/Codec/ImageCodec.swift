/// Reads, and where it can also writes, one image format.
///
/// A codec holds no state: one value serves every thread. Every method is safe on any bytes at all.
public protocol ImageCodec: Sendable {
    /// The format that `bytes` claim to be in, or nil if it is none of this codec's.
    ///
    /// Looks at the first few bytes only.
    func format(of bytes: RawSpan) -> EncodedFormat?

    /// Reads headers, not pixels: time grows with the number of blocks, not with the number of pixels.
    func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo

    /// Decodes the first frame as it is stored: its orientation is not applied.
    ///
    /// An embedded colour profile is applied, so the result is sRGB; with ``ColorRetention/full`` it may be deep instead, in
    /// the colour space of the file. A truncated image is an error, unless
    /// ``DecodeOptions/allowsTruncation`` is set and ``decodesTruncated`` is true.
    func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap

    /// Whether it honours ``DecodeOptions/allowsTruncation``; false by default.
    ///
    /// If it does, images of its formats are shown while they load.
    var decodesTruncated: Bool { get }

    /// Whether all pixels can be decoded although `bytes` are shorter than the format announces.
    ///
    /// It may have to decode them. False by default.
    func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool

    /// The most memory that ``decode(_:options:)`` needs; `info` is that of `bytes`.
    ///
    /// Computed from headers; four bytes per pixel by default. It runs in this process even if a worker process
    /// decodes, so it must not give the bytes to a library.
    func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory

    /// Starts decoding an animation; a still image is an animation of one frame.
    ///
    /// The decoder keeps `bytes` for as long as it needs them. By default there is one frame, which is decoded at once.
    func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError) -> any FrameDecoder

    /// The durations of all frames in seconds as stored in the file; one number for a still image.
    ///
    /// The default implementation decodes all frames if there are several.
    func frameDurations(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [Double]

    /// The embedded ICC profile, if there is one within ``DecodeLimits/metadataBytes``; none by default.
    func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]?

    /// The formats that `encode` writes; none by default.
    var encodableFormats: [EncodedFormat] { get }

    /// Encodes a bitmap of any alpha.
    ///
    /// If it is deep, a codec writes its depth and its colour space, as far as the format has them, or what
    /// ``Bitmap/withUnsafeBytes(_:)`` creates from it.
    func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8]

    /// The formats that `encode(frames:as:options:)` writes; none by default.
    var animationFormats: [EncodedFormat] { get }

    /// Encodes the remaining frames of `frames`, which have the size in its info and any alpha.
    ///
    /// It reads one frame at a time and keeps only a few.
    func encode(
        frames: any FrameDecoder,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8]
}

/// A codec that honours ``DecodeLimits/sandbox``; any other one runs in the process that calls it.
package protocol IsolatingCodec: ImageCodec {}

extension ImageCodec {
    public var encodableFormats: [EncodedFormat] { [] }

    /// Fails with ``CodecError/unsupported(_:reason:)``.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        throw .unsupported(format, reason: "it can be read but not written")
    }

    public var decodesTruncated: Bool { false }

    public func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool { false }

    public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        let size = info.isScalable ? options.atLeast ?? info.size : info.size
        return DecodeMemory(result: size.area * 4)
    }

    public func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError) -> any FrameDecoder
    {
        try FrameList(of: bytes.buffer.bytes, with: self, options: options)
    }

    /// Starts decoding an animation of which it copies the bytes.
    public func frames(of bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
        try frames(of: EncodedBytes(copying: bytes), options: options)
    }

    public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? { nil }

    public func frameDurations(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [Double] {
        guard try info(of: bytes, limits: limits).frameCount > 1 else { return [0] }
        return try EncodedBytes.lending(bytes) { bytes throws(CodecError) in
            let decoder = try frames(of: bytes, options: DecodeOptions { $0.limits = limits })
            var durations: [Double] = []
            while let frame = try decoder.next() { durations.append(frame.duration) }
            return durations
        }
    }

    public var animationFormats: [EncodedFormat] { [] }

    /// Fails with ``CodecError/unsupported(_:reason:)``.
    public func encode(
        frames: any FrameDecoder,
        as format: EncodedFormat,
        options: EncodeOptions
    ) throws(CodecError) -> [UInt8] {
        throw .unsupported(format, reason: "animations are not written in it")
    }
}

/// How much time an encoder takes for a smaller file with the same pixels.
package enum EncodeEffort: Sendable {
    /// For files that stay on this machine: a JPEG is written 1.7 to 3.9 times as fast, and is 3 to 16 % larger.
    case quick

    case normal

    /// For files that are sent more often than written: a PNG takes up to five times as long, and is 4 to 23 % smaller.
    case small
}

/// How many bytes of memory decoding takes at its peak.
public struct DecodeMemory: Sendable, Equatable {
    /// The pixels that come out.
    public var result: Int

    /// Additional bytes during decoding.
    public var beside: Int

    public init(result: Int, beside: Int = 0) {
        self.result = result
        self.beside = beside
    }
}

/// Options of a decode job.
public struct DecodeOptions: Sendable, Equatable {
    /// The smallest size, in stored pixels, that is still useful; nil for full size.
    ///
    /// A decoder that can scale while decoding returns anything from this size up to full size, and keeps the
    /// aspect ratio to within a pixel. It never enlarges. An image that is ``ImageInfo/isScalable`` is drawn at exactly
    /// this size, even one larger than its own or of another shape.
    public var atLeast: PixelSize?

    /// Keeps straight alpha, without premultiplying; false by default.
    public var keepsStraightAlpha = false

    /// Decodes what there is of a truncated image; false by default.
    ///
    /// A JPEG, a PNG, a still WebP or a lossy JPEG XL then has its first scans, passes or rows, and missing pixels are
    /// transparent. It fails with ``CodecError/truncated(_:)`` if there are no pixels yet. Other formats, and codecs whose
    /// ``ImageCodec/decodesTruncated`` is false, ignore the option, as do animations.
    public var allowsTruncation = false

    /// Asks ``ImageCodec/frames(of:options:)`` for the rows of a still image in bands, each as a frame; false by default.
    ///
    /// For images that are too large to be decoded whole. A codec that does not support it decodes the image whole.
    package var inBands = false

    /// The part to decode, instead of ``atLeast``; nil, the default, for the whole picture.
    ///
    /// The JPEG codec supports it, without truncation and gain maps. Others ignore it.
    package var region: DecodeRegion?

    /// Ends the job before it is done; nil by default.
    ///
    /// The JPEG codec supports it. Others ignore it.
    package var stop: DecodeStop?

    /// The time of the frame that a ``FileDecoder`` decodes, in seconds from the start of the video; 0 by default.
    package var time = 0.0

    /// What identifies the file of a ``FileDecoder`` whose holes are parts that are missing; nil, the default, for a whole file.
    ///
    /// A decoder that needs a missing part fails and leaves the file's position there, otherwise at the end.
    package var partialFile: [UInt8]?

    /// Limits of size, memory and time; the defaults of ``DecodeLimits``.
    public var limits = DecodeLimits()

    /// Whether the decoder is in this process or in a worker process; it is one of ``limits``.
    public var sandbox: DecodeSandbox {
        get { limits.sandbox }
        set { limits.sandbox = newValue }
    }

    /// How much of the image's colour is kept; it is one of ``limits``.
    public var colorRetention: ColorRetention {
        get { limits.colorRetention }
        set { limits.colorRetention = newValue }
    }

    /// These options for 8 bits of sRGB.
    package var inStandardColor: DecodeOptions {
        var options = self
        options.colorRetention = .standard
        return options
    }

    public init(
        atLeast: PixelSize? = nil, keepsStraightAlpha: Bool = false, allowsTruncation: Bool = false,
        limits: DecodeLimits = DecodeLimits()
    ) {
        (self.atLeast, self.keepsStraightAlpha) = (atLeast, keepsStraightAlpha)
        (self.allowsTruncation, self.limits) = (allowsTruncation, limits)
    }

    public init(_ configure: (inout Self) -> Void) { configure(&self) }
}

/// How pixels are written.
public struct EncodeOptions: Sendable, Equatable {
    /// Quality of a lossy format, from 0 to 1; 0.9 by default.
    ///
    /// Values out of range are clamped; NaN counts as 0.
    public var quality = 0.9

    /// Writes without loss where the format has a choice; false by default.
    public var isLossless = false

    /// Writes a progressive JPEG; false by default.
    public var isProgressive = false

    /// Spreads the error of colours that a GIF cannot have over the neighbours of a pixel; true by default.
    public var isDithered = true

    /// What an image keeps of the metadata of its file; ``MetadataPolicy/none`` by default.
    ///
    /// For JPEG, PNG, WebP, TIFF, AVIF, HEIC and JPEG XL, by `Image.data(as:options:)`. A codec writes pixels only, and
    /// ignores it.
    public var metadata = MetadataPolicy.none

    /// Bits of a channel to write; nil, the default, for what the bitmap and the format have.
    ///
    /// PNG and TIFF have 8 or 16; AVIF and HEIC 8, 10 or 12; JPEG XL 8, 10, 12 or 16; others, and animations, 8.
    /// Without it, 8 are written where they have all of a bitmap's samples, and else 16, or 10 of an AVIF or a
    /// HEIC, 12 of one ``isLossless``.
    public var depth: Int?

    /// What the file has to reach instead of a fixed ``quality``; nil, the default, for nothing.
    ///
    /// For `Image.data(as:options:)` and `CodecRegistry`. A codec that is called directly ignores it.
    public var target: EncodeTarget?

    /// How much time goes into a smaller file with the same pixels, of still PNGs and JPEGs.
    package var effort = EncodeEffort.normal

    package var tuning = EncoderTuning()

    /// The ICC profile that says what the red, green and blue of a bitmap of 8 bits mean; sRGB for nil.
    ///
    /// Only for formats that ``EncodedFormat/holdsProfile``; the codecs of others ignore it.
    package var profile: [UInt8]?

    /// ``quality``, clamped to 0…1; 0 for NaN.
    package var boundedQuality: Double { quality > 0 ? min(quality, 1) : 0 }

    public init(
        quality: Double = 0.9, isLossless: Bool = false, isProgressive: Bool = false, isDithered: Bool = true,
        metadata: MetadataPolicy = .none, depth: Int? = nil, target: EncodeTarget? = nil
    ) {
        (self.quality, self.isLossless, self.depth, self.target) = (quality, isLossless, depth, target)
        (self.isProgressive, self.isDithered, self.metadata) = (isProgressive, isDithered, metadata)
    }

    public init(_ configure: (inout Self) -> Void) { configure(&self) }
}
