#if JP2
    import AlcedoCodecs
    public import AlcedoPixels

    /// JPEG 2000 (ISO/IEC 15444-1) through OpenJPEG, in a JP2 file or as a bare code stream; read only.
    ///
    /// Grey, RGB, YCbCr, CMYK, CIE L\*a\*b\* and palettes, with or without alpha, of up to 31 bits per sample, which become 8
    /// once their colours are converted, see ``DecodeLimits/isDithered``, or up to 16 with
    /// ``ColorRetention/full``. The first profile or enumerated colour space that can be shown counts; if none
    /// can, the image is rejected.
    public struct JP2Codec: ImageCodec {
        public init() {}

        /// JPEG 2000 by the signature box of a file, or the first markers of a code stream.
        public func format(of bytes: RawSpan) -> EncodedFormat? {
            let isFile = bytes.u32BE(0) == 12 && bytes.has("jP  \r\n", at: 4) && bytes.u16BE(10) == 0x870A
            return isFile || bytes.u32BE(0) == JP2Boxes.codestreamStart ? .jp2 : nil
        }

        /// Reads the boxes and the size of the code stream.
        public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            let header = try header(of: bytes, limits)
            return ImageInfo(
                format: .jp2, size: header.size, hasAlpha: header.hasAlpha, isComplete: header.isComplete)
        }

        /// Whether it decodes: other bytes may follow the last marker.
        public func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool {
            (try? decode(bytes, options: DecodeOptions(limits: limits))) != nil
        }

        /// Decodes at full size, or at the smallest of the stored resolutions that ``DecodeOptions/atLeast`` allows.
        public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
            let header = try header(of: bytes, options.limits)
            if case .unsupported(let reason) = header.colors { throw .unsupported(.jp2, reason: reason) }
            try header.structure.check(byteCount: bytes.byteCount)
            guard header.missingTiles == 0 else {
                throw header.isComplete
                    ? .corrupt(.jp2, reason: "\(header.missingTiles) of its tiles are missing")
                    : .truncated(.jp2)
            }
            let profile = profile(of: bytes, limits: options.limits)
            return try bytes.withUnsafeBytes { (buffer) throws(CodecError) in
                let image = try JP2Decoder(buffer, header, options: options).decode()
                return try JP2Pixels(image, header.colors, profile: profile).bitmap(options)
            }
        }

        /// Two copies of all samples as 32-bit numbers, the channels of a palette, and what OpenJPEG keeps for tiles, precincts and
        /// code blocks.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            guard let header = try? header(of: bytes, options.limits) else {
                return DecodeMemory(result: info.size.area * options.colorRetention.bytesPerPixel)
            }
            let size = header.size.halved(header.halvings(for: options.atLeast))
            let tiles = header.tileCount * (8 << 10 + header.components.count * 2 << 10)
            let samples = size.area * (2 * header.components.count + header.paletteChannels) * 4
            // Of 8 bits in another space than sRGB both are there for a moment.
            let widened = options.colorRetention.keepsColors ? size.area * 4 : 0
            return DecodeMemory(
                result: size.area * options.colorRetention.bytesPerPixel,
                beside: widened + samples + tiles + header.structure.bytes + 2 * bytes.byteCount)
        }

        /// The profile of the file; nil without one within ``DecodeLimits/metadataBytes``.
        public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
            guard let range = try? header(of: bytes, limits).profile, range.count <= limits.metadataBytes
            else { return nil }
            return bytes.copy(range)
        }

        private func header(of bytes: RawSpan, _ limits: DecodeLimits) throws(CodecError) -> JP2Header {
            try limits.check(encodedBytes: bytes.byteCount)
            guard format(of: bytes) != nil else { throw .unknownFormat }
            return try JP2Header(bytes, limits: limits)
        }
    }

    extension JP2Codec: ColorDescribing {
        package func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors? {
            var boxes = JP2Boxes()
            if bytes.u32BE(0) == JP2Boxes.codestreamStart {
                boxes.codestream = 0..<bytes.byteCount
            } else {
                boxes.read(bytes)
            }
            // The first component's in the marker SIZ (ISO/IEC 15444-1, A.5.1), whose highest bit stands for
            // signed samples.
            guard let start = boxes.codestream?.lowerBound, let depth = bytes.u8(start + 42) else {
                return nil
            }
            let bits = depth & 0x7F + 1
            // A palette has depths of its own.
            return StoredColors(
                bits: boxes.paletteChannels == nil ? bits : 8,
                isCMYK: JP2Colors(boxes.colors, bytes).isCMYK)
        }
    }

    extension JP2Header {
        /// How often the sides can be halved while the result has at least `size`.
        func halvings(for size: PixelSize?) -> Int {
            guard let wanted = size, !wanted.isEmpty else { return 0 }
            return (0...levels).last { count in
                let reduced = self.size.halved(count)
                return reduced.width >= wanted.width && reduced.height >= wanted.height
            } ?? 0
        }
    }

    extension PixelSize {
        /// The sides over 2 to the power of `count`, rounded up.
        func halved(_ count: Int) -> PixelSize {
            func side(_ length: Int) -> Int { (length + (1 << count) - 1) >> count }
            return PixelSize(width: side(width), height: side(height))
        }
    }
#endif
