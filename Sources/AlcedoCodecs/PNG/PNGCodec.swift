public import AlcedoPixels

/// PNG through libspng: every colour type and depth, interlaced or not.
///
/// libdeflate inflates the most common kinds, with the same result.
///
/// Channels of 16 bits are converted before they become 8 bits, see ``DecodeLimits/isDithered``, or stay with
/// ``ColorRetention/full``. `gAMA` and `cHRM` are
/// ignored; `cICP` is applied, else an ICC profile. A wrong checksum is an error in a critical chunk and ignored in an
/// ancillary one. The end chunk may be missing if all pixels are there. With ``DecodeOptions/allowsTruncation``, the first
/// rows suffice, or the first pixels of an interlaced image, which then fill the gaps between them.
///
/// An animated PNG with an invalid animation or a corrupt first frame is decoded as its still image.
public struct PNGCodec: ImageCodec {
    public init() {}

    public func format(of bytes: RawSpan) -> EncodedFormat? {
        PNGHeader.isSignature(bytes) ? .png : nil
    }

    /// Reads the chunk headers.
    public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let header = try header(of: bytes, limits: limits)
        return ImageInfo(header)
    }

    /// Decodes at full size; ``DecodeOptions/atLeast`` has no effect.
    ///
    /// A still image that is too large for that has bands, see ``frames(of:options:)``.
    ///
    /// The result is opaque if all its pixels are.
    public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let header = try header(of: bytes, limits: options.limits, allowsTruncation: options.allowsTruncation)
        try options.limits.check(frame: header.size, of: .png)
        if options.allowsTruncation, !header.isComplete {
            return try Self.decodeTruncated(bytes, header: header, options: options)
        }
        guard header.isComplete || hasLastFrame(bytes, header: header, options: options) else {
            throw .truncated(.png)
        }
        guard let first = header.frames.first, !first.isStillImage,
            header.isComplete || header.mayLackOnlyItsEnd
        else { return try decodeStill(bytes, header: header, options: options) }
        do throws(CodecError) {
            return try firstFrame(bytes, header: header, options: options)
        } catch {
            guard error.isDamage, let still = try? decodeStill(bytes, header: header, options: options) else {
                throw error
            }
            return still
        }
    }

    private func firstFrame(
        _ bytes: RawSpan,
        header: PNGHeader,
        options: DecodeOptions
    ) throws(CodecError) -> Bitmap {
        let frame = try EncodedBytes.lending(bytes) { bytes throws(CodecError) in
            try APNGFrames(bytes, header: header, info: ImageInfo(header), options: options).next()
        }
        guard let frame else { throw .corrupt(.png, reason: "it has no frames") }
        return frame.bitmap
    }

    /// True: complete rows, or the coarse passes of an interlaced PNG.
    public var decodesTruncated: Bool { true }

    /// Decodes the still image, and the last frame of an animation.
    public func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool {
        let options = DecodeOptions { $0.limits = limits }
        guard let header = try? header(of: bytes, limits: limits),
            header.isComplete || header.mayLackOnlyItsEnd
        else { return false }
        if header.size.area > limits.pixelsPerFrame {
            return hasAllBands(bytes, header: header, options: options)
        }
        guard (try? decodeStill(bytes, header: header, options: options)) != nil
        else { return false }
        return hasLastFrame(bytes, header: header, options: options)
    }

    /// Whether the last frame decodes; true where there is no animation.
    private func hasLastFrame(_ bytes: RawSpan, header: PNGHeader, options: DecodeOptions) -> Bool {
        guard !header.frames.isEmpty else { return true }
        let canDecodeLast = try? EncodedBytes.lending(bytes) { bytes throws(CodecError) in
            try APNGFrames(bytes, header: header, info: ImageInfo(header), options: options).canDecodeLast
        }
        return canDecodeLast ?? false
    }

    /// The pixels and as many bytes again for the filtered rows; three more canvases for an animation.
    ///
    /// Eight bytes a pixel for an image that may be deep.
    public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        if options.inBands, let header = try? PNGHeader(bytes) { return PNGBands.memory(for: header) }
        if options.colorRetention.keepsColors, (try? PNGHeader(bytes))?.mayBeDeep == true {
            // A profile may turn out to be sRGB's.
            return DecodeMemory(result: info.size.area * 8)
        }
        let canvas = info.size.area * 4
        return DecodeMemory(result: canvas, beside: info.frameCount > 1 ? canvas * 3 : canvas)
    }

    /// Decodes the still image; with `isVerified` it ignores checksums.
    func decodeStill(
        _ bytes: RawSpan,
        options: DecodeOptions,
        isVerified: Bool
    ) throws(CodecError) -> Bitmap {
        let header = try header(of: bytes, limits: options.limits)
        try options.limits.check(frame: header.size, of: .png)
        return try decodeStill(bytes, header: header, options: options, isVerified: isVerified)
    }

    private func decodeStill(
        _ bytes: RawSpan,
        header: PNGHeader,
        options: DecodeOptions,
        isVerified: Bool = false
    ) throws(CodecError) -> Bitmap {
        guard header.isComplete || header.mayLackOnlyItsEnd else { throw .truncated(.png) }
        do throws(CodecError) {
            return try decodePixels(bytes, header: header, options: options, isVerified: isVerified)
        } catch {
            throw header.isComplete || !error.isDamage ? error : .truncated(.png)
        }
    }

    /// Decodes the still image without a check of its size.
    func decodePixels(
        _ bytes: RawSpan,
        header: PNGHeader,
        options: DecodeOptions,
        isVerified: Bool = false
    ) throws(CodecError) -> Bitmap {
        let deep = try bytes.withUnsafeBytes { (input) throws(CodecError) -> Bitmap? in
            guard let target = Self.deepTarget(of: input, header: header, options: options) else {
                return nil
            }
            return try Self.decodeDeep(
                input, header: header, to: target, options: options, isVerified: isVerified)
        }
        if let deep { return deep }
        let deadline = Deadline(options.limits)
        var pixels = try PixelBuilder(size: header.size, alpha: .opaque)
        try bytes.withUnsafeBytes { input throws(CodecError) in
            let converter = PNGRowConverter(
                profile: header.encoding == nil
                    ? Self.profile(of: input, header: header, limits: options.limits) : nil,
                header: header,
                options: options
            )
            let alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
                let rows = PixelRows(output, header.size)
                try deadline.check()
                let fast = try PNGInflater.withRows(
                    of: input, header: header, isVerified: isVerified, output: output
                ) { filtered throws(CodecError) in
                    try Self.fill(rows, fromFiltered: filtered, header: header, converter, deadline)
                }
                if let fast { return fast }
                let reader = try PNGReader(
                    input, header: header, isVerified: isVerified, limits: options.limits)
                return try Self.fill(rows, from: reader, header: header, converter, deadline)
            }
            pixels.alpha = alpha
        }
        return pixels.freeze()
    }

    /// Keeps the bytes of an animation; decodes a still image immediately, or in bands.
    public func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError) -> any FrameDecoder
    {
        let span = bytes.buffer.bytes
        let header = try header(of: span, limits: options.limits)
        guard !header.frames.isEmpty else {
            if options.inBands { return try bands(of: bytes, header: header, options: options) }
            return try FrameList(of: span, with: self, options: options)
        }
        guard header.isComplete || header.mayLackOnlyItsEnd else { throw .truncated(.png) }
        try options.limits.check(frames: header.frames.count, of: header.size)
        let frames = try APNGFrames(bytes, header: header, info: ImageInfo(header), options: options)
        guard header.isComplete || frames.canDecodeLast else { throw .truncated(.png) }
        return frames
    }

    /// Reads the chunk headers.
    public func frameDurations(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [Double] {
        let header = try header(of: bytes, limits: limits)
        try limits.check(frames: header.frames.count, of: header.size)
        return header.frames.isEmpty ? [0] : header.frames.map(\.duration)
    }

    /// Inflates the profile, up to ``DecodeLimits/metadataBytes``.
    public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
        guard let header = try? header(of: bytes, limits: limits) else { return nil }
        return bytes.withUnsafeBytes { Self.profile(of: $0, header: header, limits: limits) }
    }

    /// Writes PNG, in the smallest of its layouts that has all colours.
    public var encodableFormats: [EncodedFormat] { [.png] }

    public var animationFormats: [EncodedFormat] { [.png] }

    private func header(
        of bytes: RawSpan, limits: DecodeLimits, allowsTruncation: Bool = false
    ) throws(CodecError) -> PNGHeader {
        try limits.check(encodedBytes: bytes.byteCount)
        let header = try PNGHeader(bytes, allowsTruncation: allowsTruncation)
        if header.frames.isEmpty, !allowsTruncation {
            try limits.check(stored: header.size, of: .png)
        } else {
            try limits.check(frame: header.size, of: .png)
        }
        return header
    }
}

extension [APNGFrame] {
    /// Whether a part of the canvas stays or becomes transparent.
    fileprivate func leaveTransparency(on canvas: PixelSize) -> Bool {
        guard let first else { return false }
        return first.rect != FrameRect(canvas) || first.disposal == .restorePrevious
            || contains { $0.disposal == .clear }
    }
}

extension ImageInfo {
    init(_ header: PNGHeader) {
        self.init(
            format: .png,
            size: header.size,
            orientation: header.orientation,
            frameCount: max(1, header.frames.count),
            loopCount: header.loopCount,
            hasAlpha: header.hasAlpha || header.frames.leaveTransparency(on: header.size),
            isComplete: header.isComplete
        )
    }
}

extension PNGCodec {
    static func profile(
        of bytes: UnsafeRawBufferPointer, header: PNGHeader, limits: DecodeLimits
    ) -> [UInt8]? {
        guard header.profile != nil else { return nil }
        let reader = try? PNGReader(bytes, header: header, includesProfile: true, limits: limits)
        return reader?.profile(limit: limits.metadataBytes)
    }

    /// Decodes into `rows`; returns the alpha of the result.
    static func fill(
        _ rows: PixelRows,
        from reader: borrowing PNGReader,
        header: PNGHeader,
        _ converter: PNGRowConverter,
        _ deadline: Deadline
    ) throws(CodecError) -> Bitmap.Alpha {
        try reader.start(header)
        let step = Deadline.rows(of: header.size.width)
        var isOpaque = true
        if header.isInterlaced {
            var decoded = 0
            while let (index, pass) = try reader.nextRow() {
                if decoded % step == 0 { try deadline.check() }
                decoded += 1
                try converter.decode(PNGPass.all[pass], from: reader, into: rows.row(index), y: index)
            }
            for index in 0..<header.size.height {
                if index % step == 0 { try deadline.check() }
                isOpaque = converter.finish(rows.row(index)) && isOpaque
            }
        } else {
            // Converts each row while it is in the processor's cache.
            for index in 0..<header.size.height {
                if index % step == 0 { try deadline.check() }
                let isRowOpaque = try converter.decode(from: reader, into: rows.row(index), y: index)
                isOpaque = isRowOpaque && isOpaque
            }
        }
        try reader.finish()
        return converter.alpha(isOpaque: isOpaque)
    }
}

extension PNGCodec {
    /// Unfilters the rows at `filtered`, which have three or four channels of 8 bits, to `rows`; nil for an unknown filter.
    static func fill(
        _ rows: PixelRows,
        fromFiltered filtered: UnsafeRawPointer,
        header: PNGHeader,
        _ converter: PNGRowConverter,
        _ deadline: Deadline
    ) throws(CodecError) -> Bitmap.Alpha? {
        if header.color == .rgb {
            return try fill(rows, fromFiltered: filtered, of: PNGRGB.self, converter, deadline)
        }
        return try fill(rows, fromFiltered: filtered, of: PNGRGBA.self, converter, deadline)
    }

    private static func fill<Pixel: PNGPixel>(
        _ rows: PixelRows,
        fromFiltered filtered: UnsafeRawPointer,
        of kind: Pixel.Type,
        _ converter: PNGRowConverter,
        _ deadline: Deadline
    ) throws(CodecError) -> Bitmap.Alpha? {
        let (width, height) = (rows.size.width, rows.size.height)
        let zeros = UnsafeMutablePointer<UInt32>.allocate(capacity: width)
        zeros.initialize(repeating: 0, count: width)
        defer { zeros.deallocate() }
        let step = Deadline.rows(of: width)
        var isOpaque = true
        for y in 0..<height {
            if y % step == 0 { try deadline.check() }
            let row = filtered + y * (1 + width * Pixel.size)
            guard let filter = PNGFilter(rawValue: row.load(as: UInt8.self)) else { return nil }
            let target = rows.row(y).base
            filter.undo(
                row + 1, of: kind, above: y == 0 ? zeros : target - width, into: target, count: width)
            // Converts a row only after the next one, whose filter needs it unconverted.
            if y > 0 { isOpaque = converter.convert(bgra: rows.row(y - 1)) && isOpaque }
        }
        isOpaque = converter.convert(bgra: rows.row(height - 1)) && isOpaque
        return converter.alpha(isOpaque: isOpaque)
    }
}
