package import AlcedoPixels
import CDeflate
import CSpng

// Images of 16 bits a channel, or in another colour space than sRGB.

extension PNGCodec {
    /// The deep pixels of a still image; nil if 8 bits of sRGB have all that it has.
    static func deepTarget(
        of bytes: UnsafeRawBufferPointer, header: PNGHeader, options: DecodeOptions
    ) -> DeepTarget? {
        guard options.colorRetention.keepsColors, header.mayBeDeep else { return nil }
        let isGrey = header.color == .grey || header.color == .greyAlpha
        let space =
            header.codePoints
            ?? profile(of: bytes, header: header, limits: options.limits).map { ColorSpace.icc($0) }
        let isRGB = header.codePoints != nil || !isGrey
        return DeepTarget(space, layout: isRGB ? .rgba : .grey, isDeep: header.isDeep, options: options)
    }

    /// Decodes a still image to deep pixels.
    static func decodeDeep(
        _ bytes: UnsafeRawBufferPointer, header: PNGHeader, to target: DeepTarget, options: DecodeOptions,
        isVerified: Bool
    ) throws(CodecError) -> Bitmap {
        let deadline = Deadline(options.limits)
        let width = header.size.width
        let step = Deadline.rows(of: width)
        let writer = target.writer(alpha: header.hasAlpha ? .straight : .none, options: options)
        let reader = try PNGReader(bytes, header: header, isVerified: isVerified, limits: options.limits)
        var pixels = try PixelBuilder(size: header.size, alpha: .opaque, deep: target.colors)
        pixels.alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
            let all = output.bindMemory(to: SIMD4<UInt16>.self)
            func row(_ y: Int) -> DeepPixels { DeepPixels(rebasing: all[y * width..<(y + 1) * width]) }
            try reader.start(header, isDeep: true)
            if header.isInterlaced {
                var decoded = 0
                while let (y, _) = try reader.nextRow() {
                    if decoded % step == 0 { try deadline.check() }
                    decoded += 1
                    try reader.decodeRow(into: row(y))
                }
            }
            var isOpaque = true
            for y in 0..<header.size.height {
                if y % step == 0 { try deadline.check() }
                if !header.isInterlaced { try reader.decodeRow(into: row(y)) }
                isOpaque = writer(row(y)) && isOpaque
            }
            try reader.finish()
            return writer.alpha(isOpaque: isOpaque)
        }
        return pixels.freeze()
    }
}

extension PNGHeader {
    /// Whether the image may have more than 8 bits of sRGB.
    ///
    /// Frames of animations are drawn over each other in those.
    var mayBeDeep: Bool { frames.isEmpty && (isDeep || profile != nil || codePoints != nil) }
}

extension PNGCodec: ColorDescribing {
    package func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors? {
        guard let header = try? PNGHeader(bytes), let depth = bytes.u8(24) else { return nil }
        // The colours of a palette have 8 bits.
        return StoredColors(bits: header.color == .palette ? 8 : depth, codePoints: header.codePoints)
    }
}

// MARK: - Encoding

extension PNGCodec {
    /// Encodes a deep bitmap: 16 bits a channel, or 8 where they have all of an opaque one in another space than sRGB.
    ///
    /// A `cICP` chunk has its code points, and an `iCCP` chunk its profile, also one that says the same as the code points,
    /// for programs that don't know the other chunk.
    func encodeDeep(_ bitmap: Bitmap, depth: Int?) throws(CodecError) -> [UInt8] {
        let isOpaque = bitmap.alpha == .opaque
        let pixels = bitmap.storage.bindMemory(to: SIMD4<UInt16>.self)
        let chunks = try Self.colorChunks(bitmap.colorSpace)
        if depth == 8 {
            let file = try encode(bitmap.cut(isStraight: true), PNGLayout(isOpaque ? .rgb : .rgba, depth: 8))
            return Self.adding(chunks, to: file)
        }
        var (isGrey, hasBytes) = (chunks.isEmpty, isOpaque && !chunks.isEmpty && depth == nil)
        for pixel in pixels where isGrey || hasBytes {
            isGrey = isGrey && pixel.x == pixel.y && pixel.y == pixel.z
            hasBytes = hasBytes && all(pixel & 0xFF .== pixel &>> 8)
        }
        let color: PNGHeader.Color =
            isGrey ? (isOpaque ? .grey : .greyAlpha) : (isOpaque ? .rgb : .rgba)
        let layout = PNGLayout(color, depth: hasBytes ? 8 : 16)
        let width = bitmap.width
        let memory = try PixelMemory.allocate(byteCount: width * 8)
        defer { PixelMemory.free(memory) }
        let row = DeepPixels(
            start: memory.bindMemory(to: SIMD4<UInt16>.self, capacity: width), count: width)
        let file = try encodeRows(of: bitmap.size, layout, capacity: layout.rowBytes(width)) { y, output in
            _ = row.update(fromContentsOf: pixels[y * width..<(y + 1) * width])
            if bitmap.alpha == .premultiplied { DeepConverter.unpremultiply(row) }
            Self.pack(row, as: layout, to: output)
        }
        return Self.adding(chunks, to: file)
    }

    /// The file with chunks after the signature and the header.
    static func adding(_ chunks: ArraySlice<UInt8>, to file: [UInt8]) -> [UInt8] {
        file.inserting(chunks, at: 33)
    }

    private static func pack(_ row: DeepPixels, as layout: PNGLayout, to output: UnsafeMutableRawPointer) {
        let channels = layout.channels
        if layout.depth == 8 {
            let bytes = output.assumingMemoryBound(to: UInt8.self)
            for x in row.indices {
                for channel in 0..<channels { bytes[x * channels + channel] = UInt8(row[x][channel] >> 8) }
            }
            return
        }
        let samples = output.assumingMemoryBound(to: UInt16.self)
        let order: [Int] =
            switch layout.color {
            case .grey, .palette: [0]
            case .greyAlpha: [0, 3]
            case .rgb: [0, 1, 2]
            case .rgba: [0, 1, 2, 3]
            }
        for x in row.indices {
            let pixel = row[x]
            for index in 0..<channels { samples[x * channels + index] = pixel[order[index]] }
        }
    }

    /// The chunks that name `space`; none for sRGB, which files without them have.
    private static func colorChunks(_ space: ColorSpace) throws(CodecError) -> ArraySlice<UInt8> {
        guard space != .sRGB else { return [] }
        var writer = PNGChunkWriter()
        let signature = writer.bytes.count
        if case .codePoints(let primaries, let transfer) = space {
            writer.add("cICP", [primaries, transfer, 0, 1])
        }
        if let profile = space.profile { try add(profile, to: &writer) }
        return writer.bytes[signature...]
    }

    /// The chunk of an ICC profile.
    static func chunk(of profile: [UInt8]) throws(CodecError) -> ArraySlice<UInt8> {
        var writer = PNGChunkWriter()
        let signature = writer.bytes.count
        try add(profile, to: &writer)
        return writer.bytes[signature...]
    }

    private static func add(_ profile: [UInt8], to writer: inout PNGChunkWriter) throws(CodecError) {
        writer.add("iCCP", Array("ICC profile\0\0".utf8)[...], try deflated(profile)[...])
    }

    private static func deflated(_ bytes: [UInt8]) throws(CodecError) -> [UInt8] {
        guard let compressor = libdeflate_alloc_compressor(6) else {
            throw .outOfMemory(byteCount: bytes.count)
        }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_zlib_compress_bound(compressor, bytes.count)
        return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            count = libdeflate_zlib_compress(compressor, bytes, bytes.count, output.baseAddress, bound)
        }
    }
}
