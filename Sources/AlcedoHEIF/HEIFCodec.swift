#if HEIF
    import AlcedoCodecs
    public import AlcedoPixels

    /// HEIC still images through libheif, and AVIF, still and in motion, through libavif; stills are written too.
    ///
    /// Still images are decoded upright, so their orientation is always ``ImageOrientation/up``. Of several images, and of a HEIC
    /// sequence, the primary image is decoded. Colours use the ICC profile, else the file's code points (ITU-T H.273); light of PQ
    /// and HLG above white, at 203 cd/m², is compressed into the last quarter. ``ColorRetention/full`` keeps
    /// colours, and 10 and 12 bits, as they are. A HEIC coded up to 63 pixels wider or higher than its boxes
    /// announce is cropped to their size; other sizes that differ are rejected.
    public struct HEIFCodec: ImageCodec {
        public init() {}

        /// HEIC or AVIF by the brands in the first box.
        public func format(of bytes: RawSpan) -> EncodedFormat? { HEIFBoxes.format(of: bytes) }

        /// Has the libraries read the boxes; no picture is decoded.
        public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            if let sequence = try sequenceInfo(of: bytes, limits: limits) { return sequence }
            return try stillInfo(of: bytes, limits: limits)
        }

        /// Decodes the first frame at full size; ``DecodeOptions/atLeast`` has no effect.
        public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
            let format = try check(bytes, options.limits)
            guard HEIFBoxes.areComplete(bytes) else { throw .truncated(format) }
            if let info = try sequenceInfo(of: bytes, limits: options.limits) {
                return try EncodedBytes.lending(bytes) { bytes throws(CodecError) in
                    guard let frame = try AVIFFrames(bytes, info: info, options: options).next() else {
                        throw .corrupt(format, reason: "it has no frames")
                    }
                    return frame.bitmap
                }
            }
            if format == .avif {
                return try bytes.withUnsafeBytes { input throws(CodecError) in
                    var still = try AVIFStill(input, limits: options.limits)
                    return try still.decode(options: options)
                }
            }
            return try still(bytes, format: format, limits: options.limits) { image throws(CodecError) in
                try image.bitmap(options: options)
            }
        }

        /// Keeps `bytes` if there are several frames.
        public func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError)
            -> any FrameDecoder
        {
            let span = bytes.buffer.bytes
            let format = try check(span, options.limits)
            guard let info = try sequenceInfo(of: span, limits: options.limits) else {
                return try FrameList(of: span, with: self, options: options)
            }
            guard info.isComplete else { throw .truncated(format) }
            try options.limits.check(frames: info.frameCount, of: info.size)
            return AVIFFrames(bytes, info: info, options: options)
        }

        public func frameDurations(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [Double] {
            let info = try info(of: bytes, limits: limits)
            guard info.frameCount > 1 else { return [0] }
            try limits.check(frames: info.frameCount, of: info.size)
            return try bytes.withUnsafeBytes { input throws(CodecError) in
                try AVIFReader(input, limits: limits).durations
            }
        }

        /// The ICC profile of the primary image, or of the sequence.
        public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
            guard let format = try? check(bytes, limits) else { return nil }
            let limit = limits.metadataBytes
            if let info = try? sequenceInfo(of: bytes, limits: limits), info.frameCount > 1 {
                return bytes.withUnsafeBytes {
                    (try? AVIFReader($0, limits: limits))?.profile(limit: limit)
                }
            }
            if format == .avif {
                return bytes.withUnsafeBytes { (try? AVIFStill($0, limits: limits))?.profile(limit: limit) }
            }
            return try? still(bytes, format: format, limits: limits) { image in image.profile(limit: limit) }
        }

        private func check(_ bytes: RawSpan, _ limits: DecodeLimits) throws(CodecError) -> EncodedFormat {
            try limits.check(encodedBytes: bytes.byteCount)
            guard let format = format(of: bytes) else { throw .unknownFormat }
            return format
        }
    }

    // MARK: - Still images

    extension HEIFCodec {
        private func stillInfo(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            let format = try check(bytes, limits)
            let isComplete = HEIFBoxes.areComplete(bytes)
            if format == .avif {
                return try bytes.withUnsafeBytes { input throws(CodecError) in
                    let still = try AVIFStill(input, limits: limits)
                    return ImageInfo(
                        format: format, size: still.size, hasAlpha: still.hasAlpha, isComplete: isComplete)
                }
            }
            return try still(bytes, format: format, limits: limits) { image throws(CodecError) in
                ImageInfo(
                    format: format,
                    size: image.size,
                    hasAlpha: image.hasAlpha,
                    isComplete: isComplete
                )
            }
        }

        private func still<Result>(
            _ bytes: RawSpan,
            format: EncodedFormat,
            limits: DecodeLimits,
            _ body: (borrowing HEIFImage) throws(CodecError) -> Result
        ) throws(CodecError) -> Result {
            try bytes.withUnsafeBytes { input throws(CodecError) in
                let image: HEIFImage
                do throws(CodecError) {
                    image = try HEIFImage(input, format: format, limits: limits)
                } catch {
                    guard HEIFBoxes.mayBeSequence(bytes), HEIFBoxes.areComplete(bytes) else { throw error }
                    throw .unsupported(format, reason: "a sequence of frames without a picture of its own")
                }
                return try body(image)
            }
        }
    }

    // MARK: - Sequences

    extension HEIFCodec {
        /// Nil for a file that is decoded as a still image.
        private func sequenceInfo(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo? {
            guard HEIFBoxes.mayBeAVIFSequence(bytes) else { return nil }
            let format = try check(bytes, limits)
            return try bytes.withUnsafeBytes { input throws(CodecError) in
                // A file without a valid track may have a still image.
                let sequence: AVIFReader
                do throws(CodecError) {
                    sequence = try AVIFReader(input, limits: limits)
                } catch {
                    guard case .limitExceeded = error else { return nil }
                    throw error
                }
                guard sequence.frameCount > 1 else { return nil }
                return ImageInfo(
                    format: format,
                    size: sequence.size,
                    orientation: sequence.orientation,
                    frameCount: sequence.frameCount,
                    loopCount: HEIFBoxes.loopCount(of: bytes),
                    hasAlpha: sequence.hasAlpha,
                    isComplete: HEIFBoxes.areComplete(bytes)
                )
            }
        }
    }

    extension HEIFCodec {
        /// AVIF; HEIC too if libheif finds an HEVC encoder on this system.
        public var encodableFormats: [EncodedFormat] { HEICEncoder.isAvailable ? [.avif, .heic] : [.avif] }

        /// Writes a still image, by ``EncodeOptions/quality`` or without loss; below a quality of 0.9 colours have half the
        /// resolution.
        ///
        /// AVIF takes about 0.1 s a megapixel, HEIC 0.8 s. A HEIC without loss may differ by one level of 255, as libheif
        /// converts the colours. Of a deep bitmap more bits are written, as ``EncodeOptions/depth`` says, with its
        /// code points or its profile.
        ///
        /// - Throws: ``CodecError/encodingFailed(_:reason:)`` for more than 2²⁶ pixels, a side longer than the libraries
        ///   read, 32,768 pixels in an AVIF and 16,384 in a HEIC, and for HEIC if libheif has no HEVC encoder.
        public func encode(
            _ bitmap: Bitmap,
            as format: EncodedFormat,
            options: EncodeOptions
        ) throws(CodecError) -> [UInt8] {
            switch format {
            case .avif:
                return try AVIFEncoder(bitmap, options: options).encode()
            case .heic: return try HEICEncoder(bitmap.size, options: options).encode(bitmap)
            default: throw .unsupported(format, reason: "the HEIF codec does not write it")
            }
        }
    }

    extension HEIFCodec {
        /// More bytes for a pixel whose samples have more than 8 bits: libheif converts them in two steps, and libavif writes
        /// 8 bytes.
        private static let deepBytes = 12

        /// The pixels and the measured buffers of the decoder and libheif: 9 bytes a pixel for HEIC, 13 for AVIF, and 12 more for
        /// samples of more than 8 bits; with ``ColorRetention/full`` the deep pixels beside those of 8 bits.
        ///
        /// Further canvases of a HEIC take 4 bytes a pixel each, and each tile of an AVIF a decoder.
        public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
            let area = info.size.area
            var memory = DecodeMemory(result: area * 4, beside: area * (info.format == .avif ? 9 : 5))
            if options.colorRetention.keepsColors {
                memory.result += area * 4
                memory.beside += area * 4
            }
            if HEIFBoxes.hasDeepSamples(bytes, info.format) { memory.beside += area * Self.deepBytes }
            guard let items = HEIFItems(bytes) else { return memory }
            memory.beside += items.copiedBytes(info.format, byteCount: bytes.byteCount)
            if info.format == .avif {
                memory.beside += items.tileCount * AVIFReader.tileBytes
            } else if (try? items.check(.heic, byteCount: bytes.byteCount, options.limits)) != nil,
                let canvases = HEVCSizes(of: items, in: bytes)?.canvases
            {
                memory.beside += max(0, min(canvases, area * 8) - area) * 4
            }
            return memory
        }
    }

    extension HEIFCodec: ColorDescribing {
        package func colors(of bytes: RawSpan, limits: DecodeLimits) -> StoredColors? {
            HEIFColors.colors(of: bytes)
        }
    }
#endif
