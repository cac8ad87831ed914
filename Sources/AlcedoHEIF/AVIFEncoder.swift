#if HEIF
    import AlcedoCodecs
    import AlcedoPixels
    import CAvif

    /// Writes one picture with libavif, on the calling thread.
    struct AVIFEncoder: ~Copyable {
        private let encoder: UnsafeMutablePointer<avifEncoder>
        private let image: UnsafeMutablePointer<avifImage>
        private let hasAlpha: Bool

        // From 0 for the smallest files to 10. 8 takes a seventh of the time of 6, for files that are 5 % larger.
        private static let speed: Int32 = 8
        /// AV1 has 65,536, but libavif does not read more than this.
        private static let longestSide = 32_768

        init(_ size: PixelSize, hasAlpha: Bool, options: EncodeOptions) throws(CodecError) {
            try libavif.check()
            try EncoderLimits.check(size, of: .avif, longestSide: Self.longestSide)
            let quality = options.isLossless ? 100 : Self.percent(options)
            let format = quality < 90 ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444
            guard let encoder = libavif.EncoderCreate() else { throw .outOfMemory(byteCount: 1 << 12) }
            guard let image = libavif.ImageCreate(UInt32(size.width), UInt32(size.height), 8, format) else {
                libavif.EncoderDestroy(encoder)
                throw .outOfMemory(byteCount: 1 << 12)
            }
            encoder.pointee.maxThreads = 1
            encoder.pointee.speed = Self.speed
            alcedo_avif_set_quality(encoder, Int32(quality))
            // sRGB by ITU-T H.273: the primaries of BT.709, and the matrix of BT.601 as in JPEGs. Only the identity is lossless.
            image.pointee.colorPrimaries = .init(AVIF_COLOR_PRIMARIES_BT709)
            image.pointee.transferCharacteristics = .init(AVIF_TRANSFER_CHARACTERISTICS_SRGB)
            let matrix =
                options.isLossless ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601
            image.pointee.matrixCoefficients = .init(matrix)
            image.pointee.yuvRange = AVIF_RANGE_FULL
            (self.encoder, self.image, self.hasAlpha) = (encoder, image, hasAlpha)
        }

        deinit {
            libavif.ImageDestroy(image)
            libavif.EncoderDestroy(encoder)
        }

        func encode(_ bitmap: Bitmap) throws(CodecError) -> [UInt8] {
            try fill(from: bitmap)
            var output = avifRWData()
            defer { libavif.RWDataFree(&output) }
            try check(libavif.EncoderWrite(encoder, image, &output))
            return Array(UnsafeBufferPointer(start: output.data, count: output.size))
        }

        private func fill(from bitmap: Bitmap) throws(CodecError) {
            var pixels = bitmap.bytes(in: PixelLayout(.rgba, .straight))
            var source = avifRGBImage()
            libavif.RGBImageSetDefaults(&source, image)
            source.format = AVIF_RGB_FORMAT_RGBA
            source.ignoreAlpha = hasAlpha ? 0 : 1
            source.rowBytes = UInt32(bitmap.bytesPerRow)
            let status = pixels.withUnsafeMutableBufferPointer { pixels in
                source.pixels = pixels.baseAddress
                return libavif.ImageRGBToYUV(image, &source)
            }
            try check(status)
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
