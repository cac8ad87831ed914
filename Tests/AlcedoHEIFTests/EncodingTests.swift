#if HEIF
    import AlcedoCodecs
    import AlcedoHEIF
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    /// Reads back what the codec writes.
    struct `Encoding AVIF and HEIC` {
        let codec = HEIFCodec()

        private static let formats: [EncodedFormat] = [.avif, .heic]

        /// Gradients with noise, and a sharp edge; alpha falls from left to right.
        private func picture(_ width: Int, _ height: Int, _ alpha: Bitmap.Alpha = .opaque) throws -> Bitmap {
            var pixels = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: alpha)
            pixels.withUnsafeMutableBytes { output in
                for y in 0..<height {
                    for x in 0..<width {
                        let noise = (x &* 7919 &+ y &* 104_729 &+ x &* y &* 31) % 8
                        let opacity = alpha == .opaque ? 255 : 255 - x * 255 / width
                        let colors = [x < width / 2 ? 40 : 220, 30 + y * 200 / height, 20 + x * 200 / width]
                        for (channel, color) in colors.enumerated() {
                            let value = color + noise
                            let isMultiplied = alpha == .premultiplied
                            output[(y * width + x) * 4 + channel] = UInt8(
                                isMultiplied ? value * opacity / 255 : value)
                        }
                        output[(y * width + x) * 4 + 3] = UInt8(opacity)
                    }
                }
            }
            return pixels.freeze()
        }

        private func encode(_ bitmap: Bitmap, _ format: EncodedFormat, quality: Double) throws -> [UInt8] {
            try codec.encode(bitmap, as: format, options: EncodeOptions(quality: quality))
        }

        private func decode(_ bytes: [UInt8], straight: Bool = false) throws -> Bitmap {
            try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = straight })
        }

        @Test(arguments: formats, [(0.3, 28.0), (0.63, 33), (0.9, 40), (1, 45)])
        func `a written AVIF or HEIC keeps the picture as well as the quality says`(
            _ format: EncodedFormat, _ expected: (quality: Double, decibels: Double)
        ) throws {
            let bitmap = try picture(160, 120)
            let bytes = try encode(bitmap, format, quality: expected.quality)
            let info = try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
            #expect(info.format == format && info.size == bitmap.size && !info.hasAlpha)
            let read = try decode(bytes)
            #expect(read.alpha == .opaque)
            let decibels = read.psnr(to: bitmap)
            #expect(decibels >= expected.decibels, "\(decibels) dB in \(bytes.count) bytes")
        }

        @Test(arguments: [(EncodedFormat.heic, 16_384), (.avif, 32_768)])
        func `AVIF and HEIC are written up to their longest side, and say which that is`(
            _ format: EncodedFormat, _ longest: Int
        ) throws {
            func bitmap(_ width: Int) throws -> Bitmap {
                try PixelBuilder(size: PixelSize(width: width, height: 64), alpha: .opaque).freeze()
            }
            let read = try decode(encode(bitmap(longest), format, quality: 0.5))
            #expect(read.size == PixelSize(width: longest, height: 64))
            let reason = "\(longest + 1)×64 is over \(longest) pixels a side"
            #expect(throws: CodecError.encodingFailed(format, reason: reason)) {
                try encode(bitmap(longest + 1), format, quality: 0.5)
            }
            let all = PixelSize(width: 8192, height: 8193)
            #expect(throws: CodecError.encodingFailed(format, reason: "8192×8193 is over 67108864 pixels")) {
                try EncoderLimits.check(all, of: format, longestSide: longest)
            }
        }

        @Test func `HEIC says that a long side needs another one that is not too short`() throws {
            let size = PixelSize(width: 16, height: 5000)
            let bitmap = try PixelBuilder(size: size, alpha: .opaque).freeze()
            let reason = "16×5000 has a side under 32 pixels beside one over 4222"
            // Other versions of libheif may write it.
            do {
                #expect(try decode(encode(bitmap, .heic, quality: 0.5)).size == size)
            } catch {
                #expect(error as? CodecError == .encodingFailed(.heic, reason: reason))
            }
        }

        private static let spaces: [ColorSpace] = [
            .sRGB, .displayP3, .codePoints(primaries: 9, transfer: 16),
            .icc(ProfileBuilder.matrix(.adobeRGB).bytes),
        ]

        private func written(
            _ bitmap: Bitmap, _ format: EncodedFormat, _ configure: (inout EncodeOptions) -> Void
        ) throws -> Bitmap {
            let bytes = try codec.encode(bitmap, as: format, options: EncodeOptions(configure))
            return try codec.decode(
                bytes.span.bytes,
                options: DecodeOptions { ($0.colorRetention, $0.keepsStraightAlpha) = (.full, true) })
        }

        /// Half a level; of HEIC two, as libheif rounds colours to YCbCr and back.
        @Test(arguments: formats, [Bitmap.Alpha.opaque, .straight])
        func `a written AVIF or HEIC keeps more than 8 bits and the colour space`(
            _ format: EncodedFormat, _ alpha: Bitmap.Alpha
        ) throws {
            for (space, depth) in Self.spaces.flatMap({ space in [nil, 10, 12].map { (space, $0) } }) {
                let bitmap = try DeepRamps.bitmap(space, alpha, rows: 64, DeepColors.sRGB.conversion)
                let read = try written(bitmap, format) { ($0.isLossless, $0.depth) = (true, depth) }
                #expect(read.isDeep && read.colorSpace == space)
                let level = 65535 / (1 << (depth ?? 12) - 1)
                let difference = DeepRamps.difference(read, bitmap)
                #expect(difference <= (format == .heic ? level * 3 : level / 2 + 1), "\(space)")
            }
        }

        @Test(arguments: formats)
        func `a deep picture has 10 bits in an AVIF or HEIC, and 8 if they are enough or asked for`(
            _ format: EncodedFormat
        ) throws {
            let bitmap = try DeepRamps.bitmap(.displayP3, .opaque, rows: 64, DeepColors.sRGB.conversion)
            func isDeep(_ bytes: [UInt8]) -> Bool {
                let info = ImageInfo(format: format, size: bitmap.size)
                let memory = codec.memory(of: bytes.span.bytes, info: info, options: DecodeOptions())
                return memory.beside > bitmap.size.area * 12
            }
            let high = EncodeOptions(quality: 0.95)
            let bytes = try codec.encode(bitmap, as: format, options: high)
            let read = try codec.decode(
                bytes.span.bytes, options: DecodeOptions { $0.colorRetention = .full })
            #expect(isDeep(bytes) && read.colorSpace == .displayP3)
            let difference = DeepRamps.difference(read, bitmap)
            #expect(difference < 2000)
            let few = try codec.encode(bitmap, as: format, options: EncodeOptions(quality: 0.95, depth: 8))
            let wide = try codec.decode(few.span.bytes, options: DecodeOptions { $0.colorRetention = .full })
            #expect(!isDeep(few) && wide.colorSpace == .displayP3)
            // 8 bits that were widened.
            #expect(try !isDeep(codec.encode(wide, as: format, options: high)))
            // 8 bits of sRGB, in more on request.
            let small = try picture(96, 64)
            #expect(try !isDeep(codec.encode(small, as: format, options: EncodeOptions())))
            #expect(try isDeep(codec.encode(small, as: format, options: EncodeOptions(depth: 10))))
        }

        @Test(arguments: formats, [Bitmap.Alpha.premultiplied, .straight])
        func `a written AVIF or HEIC keeps alpha`(_ format: EncodedFormat, _ alpha: Bitmap.Alpha) throws {
            let bitmap = try picture(96, 64, alpha)
            let bytes = try encode(bitmap, format, quality: 0.9)
            #expect(try codec.info(of: bytes.span.bytes, limits: DecodeLimits()).hasAlpha)
            let read = try decode(bytes, straight: alpha == .straight)
            #expect(read.alpha == alpha)
            let decibels = read.psnr(to: bitmap)
            #expect(decibels >= 38, "\(decibels) dB")
        }

        @Test(arguments: formats, [Bitmap.Alpha.opaque, .straight])
        func `an AVIF written without loss is exact, and a HEIC within one level`(
            _ format: EncodedFormat, _ alpha: Bitmap.Alpha
        ) throws {
            let bitmap = try picture(67, 45, alpha)
            let bytes = try codec.encode(bitmap, as: format, options: EncodeOptions(isLossless: true))
            let read = try decode(bytes, straight: true)
            #expect(read.alpha == alpha)
            #expect(read.largestDifference(to: bitmap) <= (format == .heic ? 1 : 0))
        }

        @Test(arguments: formats, [(1, 1), (1, 64), (65, 1), (3, 5), (17, 16), (641, 7)])
        func `a written AVIF or HEIC may have any size`(
            _ format: EncodedFormat, _ size: (width: Int, height: Int)
        ) throws {
            for alpha in [Bitmap.Alpha.opaque, .premultiplied] {
                let bitmap = try picture(size.width, size.height, alpha)
                let read = try decode(encode(bitmap, format, quality: 0.95))
                #expect(read.size == bitmap.size && read.psnr(to: bitmap) > 30)
            }
        }

        @Test(arguments: formats)
        func `a higher quality makes a larger AVIF or HEIC, and no quality is out of range`(
            _ format: EncodedFormat
        ) throws {
            let bitmap = try picture(160, 120)
            let sizes = try [-1.0, 0.5, 0.9, 7].map { try encode(bitmap, format, quality: $0).count }
            #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
            #expect(try encode(bitmap, format, quality: .nan).count == sizes[0])
        }

        @Test(arguments: formats)
        func `a written AVIF or HEIC names sRGB by its code points`(_ format: EncodedFormat) throws {
            let bytes = try encode(picture(32, 32), format, quality: 0.8)
            // Primaries 1, transfer 13, matrix 6, full range, by ITU-T H.273.
            let codes: [UInt8] = Array("colrnclx".utf8) + [0, 1, 0, 13, 0, 6, 0x80]
            #expect(bytes.firstRange(of: codes) != nil)
            #expect(codec.profile(of: bytes.span.bytes, limits: DecodeLimits()) == nil)
        }

        @Test(arguments: formats)
        func `a picture that would need gigabytes, or is too long, is not written as an AVIF or HEIC`(
            _ format: EncodedFormat
        ) throws {
            for (width, height) in [(8193, 8192), (32769, 1), (1, 32769)] {
                let bitmap = try PixelBuilder(
                    size: PixelSize(width: width, height: height), alpha: .opaque
                ).freeze()
                let error = #expect(throws: CodecError.self) {
                    try codec.encode(bitmap, as: format, options: EncodeOptions())
                }
                #expect(error?.description.contains("\(width)") == true)
            }
        }

        @Test func `the HEIF codec writes no other format`() throws {
            #expect(throws: CodecError.self) { try encode(picture(8, 8), .png, quality: 1) }
            #expect(codec.encodableFormats == [.avif, .heic] && codec.animationFormats.isEmpty)
        }
    }
#endif
