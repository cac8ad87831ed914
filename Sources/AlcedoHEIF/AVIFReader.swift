#if HEIF
    import AlcedoCodecs
    import AlcedoPixels
    import CAvif

    /// The picture or the frames of an AVIF file in memory, as libavif sees them; the bytes must outlive it.
    struct AVIFReader: ~Copyable {
        /// The most frames to parse, independent of the limit of decoded frames.
        private static let mostFrames: UInt32 = 100_000
        /// Pixels by which a coded frame may exceed the size in the boxes.
        private static let mostExcess = 1 << 16

        private let decoder: UnsafeMutablePointer<avifDecoder>
        private let changed: EncodedBytes?

        /// Reads the boxes; fails if there is no such picture or track of pictures.
        init(
            _ bytes: UnsafeRawBufferPointer,
            limits: DecodeLimits,
            source: avifDecoderSource = AVIF_DECODER_SOURCE_TRACKS
        ) throws(CodecError) {
            try libavif.check()
            let items = try Self.items(of: bytes.bytes, limits)
            guard let decoder = libavif.DecoderCreate() else { throw .outOfMemory(byteCount: 1 << 12) }
            decoder.pointee.maxThreads = 1
            // `MetadataReader` reads metadata, within limits of its own.
            decoder.pointee.ignoreExif = 1
            decoder.pointee.ignoreXMP = 1
            decoder.pointee.imageCountLimit = Self.mostFrames
            // Some encoders omit the properties that only these checks require.
            let lenient = AVIF_STRICT_PIXI_REQUIRED.rawValue | AVIF_STRICT_ALPHA_ISPE_REQUIRED.rawValue
            decoder.pointee.strictFlags = AVIF_STRICT_ENABLED.rawValue & ~lenient
            let changed = AVIFRepair.repaired(bytes)
            let input = changed?.buffer ?? bytes
            let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            do throws(CodecError) {
                try Self.check(libavif.DecoderSetIOMemory(decoder, start, input.count))
                try Self.check(libavif.DecoderSetSource(decoder, source))
                let status = libavif.DecoderParse(decoder)
                // libavif rejects sizes beyond its limit without reporting them.
                if status != AVIF_RESULT_OK, let size = items?.largest {
                    try limits.check(frame: size, of: .avif)
                }
                try Self.check(status)
                guard let image = decoder.pointee.image else {
                    throw .corrupt(.avif, reason: "it has no picture")
                }
                let size = PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
                try limits.check(frame: size, of: .avif)
                try items?.check(.avif, byteCount: bytes.count, limits)
                let tileCount = items?.tileCount ?? 0
                guard tileCount <= Self.mostSmallTiles + size.area / Self.fewestTilePixels else {
                    throw .unsupported(
                        .avif, reason: "its \(tileCount) tiles are too small for \(size) pixels")
                }
                // The coded size must not exceed the size in the boxes, which was checked against the limit.
                let area = size.area + Self.mostExcess
                decoder.pointee.imageSizeLimit = min(decoder.pointee.imageSizeLimit, UInt32(clamping: area))
            } catch {
                libavif.DecoderDestroy(decoder)
                throw error
            }
            self.decoder = decoder
            self.changed = changed
        }

        /// The items of the file, nil if it has none; throws if these and those of its tracks are malformed or too many.
        ///
        /// libavif goes through all items for each, also of a file that it rejects for what comes after them.
        private static func items(of bytes: RawSpan, _ limits: DecodeLimits) throws(CodecError) -> HEIFItems?
        {
            var items: HEIFItems?
            var count = 0
            for box in HEIFBoxes.all(in: 0..<bytes.byteCount, bytes) {
                switch box.kind {
                case HEIFBoxes.name("meta"):
                    let found = try self.items(in: box.content, bytes)
                    items = items ?? found
                    count += found.count
                case HEIFBoxes.name("moov"):
                    for track in HEIFBoxes.all(in: box.content, bytes)
                    where track.kind == HEIFBoxes.name("trak") {
                        for box in HEIFBoxes.all(in: track.content, bytes)
                        where box.kind == HEIFBoxes.name("meta") {
                            count += try self.items(in: box.content, bytes).count
                        }
                    }
                default: break
                }
            }
            try HEIFItems.check(count: count, .avif, limits)
            return items
        }

        private static func items(in meta: Range<Int>, _ bytes: RawSpan) throws(CodecError) -> HEIFItems {
            guard let items = HEIFItems(meta: meta, bytes) else { throw HEIFItems.malformed(.avif, bytes) }
            return items
        }

        /// libavif keeps a decoder for each tile, of about 448 KiB and its picture.
        static let tileBytes = 448 << 10
        /// Tiles of any size that a picture may have, and the fewest pixels of a tile, on average, if it has more.
        private static let (mostSmallTiles, fewestTilePixels) = (64, 1 << 16)

        deinit { libavif.DecoderDestroy(decoder) }

        var frameCount: Int { Int(decoder.pointee.imageCount) }

        var hasAlpha: Bool { decoder.pointee.alphaPresent != 0 }

        var size: PixelSize {
            guard let image = decoder.pointee.image?.pointee else { return PixelSize(width: 0, height: 0) }
            return PixelSize(width: Int(image.width), height: Int(image.height))
        }

        /// For how long each frame is shown, in seconds.
        var durations: [Double] {
            (0..<UInt32(max(0, frameCount))).map { index in
                var timing = avifImageTiming()
                let isKnown = libavif.DecoderNthImageTiming(decoder, index, &timing) == AVIF_RESULT_OK
                return isKnown && timing.duration.isFinite ? max(0, timing.duration) : 0
            }
        }

        /// Rotation and mirroring, which libavif does not apply.
        var orientation: ImageOrientation {
            guard let pointer = decoder.pointee.image else { return .up }
            let image = pointer.pointee
            let turns =
                image.transformFlags & AVIF_TRANSFORM_IROT.rawValue == 0 ? 0 : Int(image.irot.angle & 3)
            guard image.transformFlags & AVIF_TRANSFORM_IMIR.rawValue != 0 else {
                return [.up, .left, .down, .right][turns]
            }
            return alcedo_avif_mirror_axis(pointer) == 0
                ? [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored][turns]
                : [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored][turns]
        }

        /// The part of the picture that is shown; nil for all of it.
        var crop: avifCropRect? {
            guard let image = decoder.pointee.image,
                image.pointee.transformFlags & AVIF_TRANSFORM_CLAP.rawValue != 0
            else { return nil }
            var crop = avifCropRect()
            var problems = avifDiagnostics()
            let (width, height) = (image.pointee.width, image.pointee.height)
            let isSound = libavif.CropRectConvertCleanApertureBox(
                &crop, &image.pointee.clap, width, height, image.pointee.yuvFormat, &problems)
            return isSound != 0 ? crop : nil
        }

        /// The ICC profile, if there is one of at most `limit` bytes.
        func profile(limit: Int) -> [UInt8]? {
            guard let icc = decoder.pointee.image?.pointee.icc, icc.size > 0, icc.size <= limit else {
                return nil
            }
            return Array(UnsafeBufferPointer(start: icc.data, count: icc.size))
        }

        /// Whether samples have more than 8 bits.
        private var isDeep: Bool { (decoder.pointee.image?.pointee.depth ?? 8) > 8 }

        /// Converts what ``next(into:size:)`` decodes.
        func converter(options: DecodeOptions) -> SampleConverter {
            SampleConverter(
                space(limit: options.limits.metadataBytes), isDeep: isDeep, hasAlpha: hasAlpha,
                isPremultiplied: false, options: options)
        }

        /// What the file says about its colours.
        private func space(limit: Int) -> ColorSpace? {
            if let profile = profile(limit: limit) { return .icc(profile) }
            guard let image = decoder.pointee.image?.pointee else { return nil }
            return ColorSpace(
                primaries: Int(image.colorPrimaries), transfer: Int(image.transferCharacteristics))
        }

        func rewind() throws(CodecError) { try Self.check(libavif.DecoderReset(decoder)) }

        /// Decodes the next frame into rows of RGBA, straight; false after the last one.
        ///
        /// A channel has 8 bits if there are four bytes for each pixel of `size`, and 16 if there are eight.
        func next(into output: UnsafeMutableRawBufferPointer, size: PixelSize) throws(CodecError) -> Bool {
            let status = libavif.DecoderNextImage(decoder)
            if status == AVIF_RESULT_NO_IMAGES_REMAINING { return false }
            try Self.check(status)
            guard let image = decoder.pointee.image, Int(image.pointee.width) == size.width,
                Int(image.pointee.height) == size.height
            else { throw .corrupt(.avif, reason: "two headers disagree on the size") }
            var target = avifRGBImage()
            libavif.RGBImageSetDefaults(&target, image)
            target.depth = output.count == size.area * 8 ? 16 : 8
            // libyuv drops the bits beyond eight before it converts.
            target.avoidLibYUV = image.pointee.depth > 8 ? 1 : 0
            target.format = AVIF_RGB_FORMAT_RGBA
            target.pixels = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            target.rowBytes = UInt32(output.count / size.height)
            let matrix = Int(image.pointee.matrixCoefficients)
            guard Self.matrices.contains(matrix) else {
                throw .unsupported(.avif, reason: "its matrix coefficients are number \(matrix)")
            }
            try Self.check(
                libavif.ImageYUVToRGB(image, &target), byteCount: Int(target.rowBytes) * Int(target.height))
            return true
        }

        /// Those of ITU-T H.273 that make red, green and blue in one step.
        private static let matrices: Set = [0, 1, 2, 4, 5, 6, 7, 8, 9, 12]

        /// `byteCount` is what was to be allocated, for the case that there is no memory.
        private static func check(_ status: avifResult, byteCount: Int = 1 << 12) throws(CodecError) {
            switch status {
            case AVIF_RESULT_OK: return
            case AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_WAITING_ON_IO: throw .truncated(.avif)
            case AVIF_RESULT_NOT_IMPLEMENTED, AVIF_RESULT_NO_CODEC_AVAILABLE, AVIF_RESULT_UNSUPPORTED_DEPTH,
                AVIF_RESULT_REFORMAT_FAILED:
                throw .unsupported(.avif, reason: libavif.reason(status))
            case AVIF_RESULT_OUT_OF_MEMORY: throw .outOfMemory(byteCount: byteCount)
            default: throw .corrupt(.avif, reason: libavif.reason(status))
            }
        }
    }
#endif
