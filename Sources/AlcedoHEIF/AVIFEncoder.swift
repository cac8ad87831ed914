#if HEIF
    import AlcedoCodecs
    import AlcedoPixels
    import CAvif

    /// Writes one picture with libavif, on the calling thread.
    struct AVIFEncoder: ~Copyable {
        private let encoder: UnsafeMutablePointer<avifEncoder>
        private let image: UnsafeMutablePointer<avifImage>
        private let colors: WrittenColors

        // From 0 for the smallest files to 10. 8 takes a seventh of the time of 6, for files that are 5 % larger.
        private static let speed: Int32 = 8
        /// AV1 has 65,536, but libavif does not read more than this.
        private static let longestSide = 32_768

        init(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) {
            try libavif.check()
            let size = bitmap.size
            try EncoderLimits.check(size, of: .avif, longestSide: Self.longestSide)
            let quality = options.isLossless ? 100 : Self.percent(options)
            // The identity of a lossless one needs all of them.
            let isHalved = !options.isLossless && options.tuning.chroma.isHalved(by: quality < 90)
            let format = isHalved ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444
            let colors = try WrittenColors(
                bitmap, depth: options.depth, most: options.isLossless ? 12 : 10)
            guard let encoder = libavif.EncoderCreate() else { throw .outOfMemory(byteCount: 1 << 12) }
            let (width, height) = (UInt32(size.width), UInt32(size.height))
            guard let image = libavif.ImageCreate(width, height, UInt32(colors.bits), format) else {
                libavif.EncoderDestroy(encoder)
                throw .outOfMemory(byteCount: 1 << 12)
            }
            encoder.pointee.maxThreads = 1
            encoder.pointee.speed = Self.speed
            alcedo_avif_set_quality(encoder, Int32(quality))
            let isBT2020: Bool
            switch colors.space {
            case .codePoints(let primaries, let transfer):
                image.pointee.colorPrimaries = .init(primaries)
                image.pointee.transferCharacteristics = .init(transfer)
                isBT2020 = primaries == 9
            case .icc(let profile):
                let set = libavif.ImageSetProfileICC
                guard alcedo_avif_set_profile(set, image, profile, profile.count) == AVIF_RESULT_OK else {
                    libavif.ImageDestroy(image)
                    libavif.EncoderDestroy(encoder)
                    throw .outOfMemory(byteCount: profile.count)
                }
                isBT2020 = false
            }
            // The matrix of BT.601 as in JPEGs. Only the identity is lossless.
            let matrix =
                options.isLossless
                ? AVIF_MATRIX_COEFFICIENTS_IDENTITY
                : isBT2020 ? AVIF_MATRIX_COEFFICIENTS_BT2020_NCL : AVIF_MATRIX_COEFFICIENTS_BT601
            image.pointee.matrixCoefficients = .init(matrix)
            image.pointee.yuvRange = AVIF_RANGE_FULL
            (self.encoder, self.image, self.colors) = (encoder, image, colors)
        }

        deinit {
            libavif.ImageDestroy(image)
            libavif.EncoderDestroy(encoder)
        }

        func encode() throws(CodecError) -> [UInt8] {
            try fill()
            var output = avifRWData()
            defer { libavif.RWDataFree(&output) }
            try check(libavif.EncoderWrite(encoder, image, &output))
            return Array(UnsafeBufferPointer(start: output.data, count: output.size))
        }

        private func fill() throws(CodecError) {
            var source = avifRGBImage()
            libavif.RGBImageSetDefaults(&source, image)
            source.format = AVIF_RGB_FORMAT_RGBA
            source.ignoreAlpha = colors.hasAlpha ? 0 : 1
            func convert(_ pixels: UnsafeMutableRawBufferPointer) -> avifResult {
                source.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
                source.rowBytes = UInt32(pixels.count / colors.bitmap.height)
                return libavif.ImageRGBToYUV(image, &source)
            }
            if colors.bits > 8 {
                var samples = colors.samples()
                try check(samples.withUnsafeMutableBytes(convert))
            } else {
                var pixels = colors.bitmap.bytes(in: PixelLayout(.rgba, .straight))
                try check(pixels.withUnsafeMutableBytes(convert))
            }
        }

        private func check(_ status: avifResult) throws(CodecError) {
            guard status == AVIF_RESULT_OK else {
                throw .encodingFailed(
                    .avif, reason: "libavif: \(libavif.reason(status))")
            }
        }

        /// The quality from 0 to 100.
        static func percent(_ options: EncodeOptions) -> Int { Int((options.boundedQuality * 100).rounded()) }
    }
#endif
