#if JXL
    import AlcedoCodecs
    public import AlcedoPixels
    import CJxl

    /// JPEG XL through libjxl, still and animated, as a bare code stream or in a container.
    ///
    /// libjxl turns the pixels upright and composes the frames, so the orientation is always ``ImageOrientation/up``. 16-bit and
    /// floating-point samples become 8 bits once their colours are converted, see ``DecodeLimits/isDithered``, or
    /// stay with ``ColorRetention/full``, floating-point ones from 0 to 1 in 16 bits. Light of PQ and HLG that is
    /// brighter than white, which is at 203 candela per square metre, is compressed into the last quarter. CMYK is
    /// converted by its profile, or without one by multiplying each ink by black. With
    /// ``DecodeOptions/allowsTruncation``, the first pass of a lossy image suffices.
    public struct JXLCodec: ImageCodec {
        public init() {}

        /// JPEG XL by its signature, of a code stream or of a container.
        public func format(of bytes: RawSpan) -> EncodedFormat? {
            // Not libjxl's function for it: the library would be loaded for images that are no JPEG XL.
            JXLContainer.hasSignature(bytes) ? .jxl : nil
        }

        /// Reads the headers of the file and of each layer.
        public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            try EncodedBytes.lending(bytes) { bytes throws(CodecError) -> ImageInfo in
                try header(of: bytes, limits: limits).header.info
            }
        }

        /// Decodes the first frame, at full size.
        public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
            try EncodedBytes.lending(bytes) { bytes throws(CodecError) -> Bitmap in
                let (header, codestream) = try header(of: bytes, limits: options.limits)
                guard header.info.isComplete || options.allowsTruncation else { throw .truncated(.jxl) }
                guard let frame = try JXLReader(codestream.buffer, options: options).next() else {
                    throw .corrupt(.jxl, reason: "it has no frames")
                }
                return frame.bitmap
            }
        }

        /// True: a coarse picture of a lossy JPEG XL.
        public var decodesTruncated: Bool { true }

        /// Starts decoding; keeps `bytes` until the last frame.
        public func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError)
            -> any FrameDecoder
        {
            let (header, codestream) = try header(of: bytes, limits: options.limits)
            guard header.info.isComplete else { throw .truncated(.jxl) }
            try options.limits.check(frames: header.info.frameCount, of: header.info.size)
            return JXLFrames(codestream, info: header.info, options: options)
        }

        /// Reads the headers of all frames; decodes no pixels.
        public func frameDurations(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [Double] {
            let header = try EncodedBytes.lending(bytes) { bytes throws(CodecError) -> Header in
                try self.header(of: bytes, limits: limits).header
            }
            try limits.check(frames: header.info.frameCount, of: header.info.size)
            return header.durations
        }

        /// The profile of the file; nil for one of sRGB's colours, or one that is too large.
        public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
            let profile = try? EncodedBytes.lending(bytes) { bytes throws(CodecError) -> [UInt8]? in
                let codestream = JXLContainer.content(of: bytes).codestream
                guard var stream = try? JXLStream(codestream.buffer, limits: limits) else { return nil }
                while let event = try? stream.next(), event != JXL_DEC_COLOR_ENCODING {}
                if let encoding = stream.encoding(ofPixels: false),
                    encoding.transfer_function == JXL_TRANSFER_FUNCTION_SRGB,
                    encoding.primaries == JXL_PRIMARIES_SRGB || encoding.color_space == JXL_COLOR_SPACE_GRAY
                {
                    return nil
                }
                return stream.profile(ofPixels: false, limit: limits.metadataBytes)
            }
            return profile ?? nil
        }

        /// Writes JPEG XL, lossy or lossless.
        public var encodableFormats: [EncodedFormat] { [.jxl] }

        /// Writes animated JPEG XL.
        public var animationFormats: [EncodedFormat] { [.jxl] }

        /// Writes a still image, by ``EncodeOptions/quality`` or without loss; of a deep bitmap up to 16 bits and
        /// its colour space.
        public func encode(
            _ bitmap: Bitmap,
            as format: EncodedFormat,
            options: EncodeOptions
        ) throws(CodecError) -> [UInt8] {
            let info = ImageInfo(format: .jxl, size: bitmap.size, hasAlpha: bitmap.alpha != .opaque)
            let colors = try WrittenColors(bitmap, depth: options.depth, most: 16)
            let frame = FrameList([AnimationFrame(bitmap: colors.bitmap, duration: 0)], info: info)
            return try JXLEncoder(info, isAnimated: false, colors: colors, options: options).encode(frame)
        }

        /// Encodes an animation; durations are rounded to 1 ms without accumulating errors.
        public func encode(
            frames: any FrameDecoder,
            as format: EncodedFormat,
            options: EncodeOptions
        ) throws(CodecError) -> [UInt8] {
            var info = frames.info
            // A frame may be the first to leave something uncovered.
            info.hasAlpha = true
            return try JXLEncoder(info, isAnimated: true, options: options).encode(frames)
        }
    }

    // MARK: - Headers

    extension JXLCodec {
        private struct Header {
            var info: ImageInfo
            var durations: [Double]
        }

        /// Reads the headers of all layers without decoding them; also returns the code stream.
        private func header(
            of bytes: EncodedBytes,
            limits: DecodeLimits
        ) throws(CodecError) -> (header: Header, codestream: EncodedBytes) {
            try limits.check(encodedBytes: bytes.buffer.count)
            guard format(of: bytes.buffer.bytes) != nil else { throw .unknownFormat }
            let content = JXLContainer.content(of: bytes)
            var stream = try JXLStream(content.codestream.buffer, limits: limits, layers: true)
            var durations: [Double] = []
            var isComplete = content.isWhole && stream.isComplete
            do throws(CodecError) {
                while let event = try stream.next() {
                    guard event == JXL_DEC_FRAME else { continue }
                    let frame = stream.frameHeader
                    // A layer without a duration is shown with the next one.
                    guard frame.duration > 0 || frame.is_last != 0 else { continue }
                    durations.append(stream.seconds(frame.duration))
                    guard durations.count <= max(limits.frames, 1) else {
                        throw .limitExceeded(.frames, value: durations.count, limit: limits.frames)
                    }
                }
            } catch .truncated {
                isComplete = false
            }
            let count = max(durations.count, 1)
            let loops = stream.header.have_animation != 0 ? Int(stream.header.animation.num_loops) : 1
            let info = ImageInfo(
                format: .jxl,
                size: stream.size,
                frameCount: count,
                loopCount: count > 1 ? loops : 1,
                hasAlpha: stream.hasAlpha,
                isComplete: isComplete
            )
            return (Header(info: info, durations: durations), content.codestream)
        }
    }

    extension JXLCodec {
        /// Eleven times the pixels, the measured maximum: for many files libjxl keeps all samples as 32-bit numbers.
        ///
        /// No header shows which files these are; others need 8 bytes per pixel. Further
        /// channels are not counted, nor the 10 bytes that black of CMYK takes.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            // Of 8 bits in another space than sRGB both are there for a moment.
            let isFull = options.colorRetention.keepsColors
            return DecodeMemory(
                result: info.size.area * (isFull ? 8 : 4), beside: info.size.area * (isFull ? 45 : 41))
        }
    }

    extension JXLCodec: ColorDescribing {
        package func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors? {
            let colors = try? EncodedBytes.lending(bytes) { bytes throws(CodecError) -> StoredColors in
                let codestream = JXLContainer.content(of: bytes).codestream
                // It may own what its buffer points to.
                return try withExtendedLifetime(codestream) { () throws(CodecError) -> StoredColors in
                    try JXLHeader(codestream.buffer).colors
                }
            }
            return colors
        }
    }
#endif
