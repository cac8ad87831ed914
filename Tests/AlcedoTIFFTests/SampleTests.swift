#if TIFF
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    @testable import AlcedoTIFF

    struct `Samples of a TIFF` {
        private let codec = TIFFCodec()

        /// Each number that a sample may be.
        private static let numbers: [(SampleTIFF.Number, [Int])] = [
            (.unsigned, [1, 2, 3, 4, 6, 8, 10, 12, 14, 15, 16, 17, 20, 24, 31, 32, 64]),
            (.signed, [2, 8, 12, 16, 24, 32, 64]), (.float, [16, 24, 32, 64]),
        ]
        private static let blocks: [SampleTIFF.Blocks] = [
            .strips(rows: 5), .tiles(width: 16, height: 16), .strips(rows: 11), .tiles(width: 32, height: 48),
        ]

        private func decode(
            _ bytes: [UInt8], _ limits: DecodeLimits = DecodeLimits(isDithered: false)
        ) throws -> Bitmap {
            try codec.decode(
                bytes.span.bytes, options: DecodeOptions(keepsStraightAlpha: true, limits: limits))
        }

        /// The largest difference to the pixels by definition; colours of which alpha leaves little are not compared.
        private func difference(of bitmap: Bitmap, to file: SampleTIFF) -> Int {
            guard bitmap.size == file.size else { return 256 }
            return bitmap.withUnsafeBytes { bytes in
                var worst = 0
                for y in 0..<file.size.height {
                    for x in 0..<file.size.width {
                        let pixel = file.pixel(x, y)
                        for channel in pixel[3] < 0.1 ? 3..<4 : 0..<4 {
                            let expected = Int((pixel[channel] * 255).rounded())
                            let found = Int(bytes[(y * file.size.width + x) * 4 + channel])
                            worst = max(worst, abs(found - expected))
                        }
                    }
                }
                return worst
            }
        }

        private func check(_ file: SampleTIFF) {
            // Inks are bytes before they are multiplied.
            let isExact = file.extras.first != 1 && (file.photometric != 5 || file.bits == 8)
            let tolerance = isExact ? 0 : file.photometric == 5 ? 2 : 1
            #expect(throws: Never.self, "\(file)") {
                let bytes = file.bytes
                let info = try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
                let hasAlpha = file.hasExtraField && file.extras.contains { $0 == 1 || $0 == 2 }
                #expect(info.hasAlpha == hasAlpha, "\(file)")
                #expect(try difference(of: decode(bytes), to: file) <= tolerance, "\(file)")
            }
        }

        /// Grey from white and from black, RGB, palette, CMYK.
        @Test(arguments: [0, 1, 2, 3, 5])
        func `samples of a TIFF are shown as they are defined`(_ photometric: Int) {
            let numbers = photometric == 3 ? [(.unsigned, [1, 2, 4, 7, 8, 10])] : Self.numbers
            var turn = 0
            for (number, depths) in numbers {
                for bits in depths {
                    for extras in [[], [0], [1], [2], [0, 2]] {
                        for isPlanar in [false, true] {
                            var file = SampleTIFF(
                                photometric: photometric, bits: bits, number: number, extras: extras,
                                isPlanar: isPlanar)
                            // Two, three, five, seven and four times two: so all meet.
                            file.blocks = Self.blocks[turn / 2 % 4]
                            file.compression = SampleTIFF.Compression.allCases[turn / 8 % 4]
                            file.isBigEndian = turn % 3 == 0
                            file.isReversed = turn % 7 == 0
                            check(file)
                            turn += 1
                        }
                    }
                }
            }
        }

        @Test(arguments: SampleTIFF.Compression.allCases)
        func `a TIFF's samples of bytes are read from strips and tiles of each size and order`(
            _ compression: SampleTIFF.Compression
        ) {
            let sizes =
                Self.blocks + [
                    .tiles(width: 64, height: 16), .strips(rows: 1), .tiles(width: 16, height: 48),
                ]
            for photometric in [1, 2] {
                for blocks in sizes {
                    for extras in [[], [2], [1]] {
                        for isBigEndian in [false, true] {
                            check(
                                SampleTIFF(
                                    photometric: photometric, extras: extras, blocks: blocks,
                                    isBigEndian: isBigEndian, compression: compression))
                        }
                    }
                }
            }
        }

        @Test func `a TIFF's wide rows are all read`() {
            let size = PixelSize(width: 8195, height: 2)
            for bits in [8, 12] {
                check(SampleTIFF(size: size, bits: bits, extras: [2], blocks: .strips(rows: 2)))
                check(
                    SampleTIFF(
                        size: size, photometric: 5, bits: bits, blocks: .tiles(width: 8208, height: 16)))
            }
        }

        @Test(
            arguments: [(.unsigned, 8, 2), (.unsigned, 16, 2), (.unsigned, 32, 2), (.unsigned, 64, 2)]
                + [16, 24, 32, 64].map { (SampleTIFF.Number.float, $0, 3) })
        func `a TIFF's samples that are stored as differences are added up`(
            _ number: SampleTIFF.Number, _ bits: Int, _ predictor: Int
        ) {
            for compression in [SampleTIFF.Compression.lzw, .deflate] {
                for isPlanar in [false, true] {
                    for isBigEndian in [false, true] {
                        check(
                            SampleTIFF(
                                bits: bits, number: number, extras: [2], isPlanar: isPlanar,
                                blocks: isPlanar ? .strips(rows: 5) : .tiles(width: 16, height: 16),
                                isBigEndian: isBigEndian, compression: compression, predictor: predictor))
                    }
                }
            }
        }

        @Test func `a TIFF's samples of sixteen bits have colours of a palette`() {
            check(SampleTIFF(photometric: 3, bits: 16, extras: [2]))
        }

        @Test func `samples of a TIFF that no field describes are no alpha`() {
            for photometric in [1, 2, 5] {
                check(SampleTIFF(photometric: photometric, extras: [2], hasExtraField: false))
            }
        }

        @Test func `a TIFF's floating-point samples are 0 to 1`() throws {
            let bytes = try Fixture.data("tiff/float.tiff")
            let grey = try Fixture.data("tiff/grey.tiff.png")
            let expected = try PNGCodec().decode(grey.span.bytes, options: DecodeOptions())
            let found = try codec.decode(bytes.span.bytes, options: DecodeOptions())
            #expect(found.largestDifference(to: expected) == 0)
        }

        @Test(arguments: [8, 16]) func `a TIFF's CMYK samples have their profile applied`(_ bits: Int) throws
        {
            let jpeg = try Fixture.data("made/cmyk-profile.jpg")
            let embedded = JPEGCodec().profile(of: jpeg.span.bytes, limits: DecodeLimits())
            let profile = try #require(embedded)
            let transform = try #require(ColorTransform.toSRGB(from: profile, layout: .invertedCMYK))
            for extras in [[], [2]] {
                let file = SampleTIFF(photometric: 5, bits: bits, extras: extras, profile: profile)
                let found = try decode(file.bytes)
                var expected = try PixelBuilder(size: file.size, alpha: found.alpha)
                expected.withUnsafeMutableBytes { pixels in
                    for index in 0..<file.size.area {
                        let (x, y) = (index % file.size.width, index / file.size.width)
                        for ink in 0..<4 {
                            let share = file.level(file.sample(x, y, ink)) * 255
                            pixels[index * 4 + ink] = 255 - UInt8(share.rounded())
                        }
                    }
                    transform.apply(to: PixelRows(pixels, file.size))
                    for index in 0..<file.size.area {
                        let (x, y) = (index % file.size.width, index / file.size.width)
                        pixels[index * 4 + 3] = UInt8((file.pixel(x, y)[3] * 255).rounded())
                    }
                }
                // 16 bits are not cut before they are converted.
                #expect(found.largestDifference(to: expected.freeze()) <= (bits == 8 ? 0 : 2), "\(file)")
            }
        }

        @Test(
            arguments: [(SampleTIFF.Number.unsigned, [12, 16, 32]), (.signed, [16]), (.float, [16, 32])],
            [ExactColor.linear, .proPhoto, .pq])
        func `a TIFF's deep samples are converted before they are cut`(
            _ kind: (number: SampleTIFF.Number, depths: [Int]), _ encoding: ExactColor
        ) throws {
            let profile = ProfileBuilder.matrix(encoding).bytes
            for bits in kind.depths {
                for blocks in [SampleTIFF.Blocks.strips(rows: 5), .tiles(width: 16, height: 16)] {
                    let file = SampleTIFF(
                        size: PixelSize(width: 61, height: 47), bits: bits, number: kind.number, extras: [2],
                        isPlanar: bits == 16, blocks: blocks, profile: profile)
                    let (rounded, dithered) = try (decode(file.bytes), decode(file.bytes, DecodeLimits()))
                    var worst = (rounded: 0.0, dithered: 0.0)
                    for index in 0..<file.size.area {
                        let pixel = file.pixel(index % file.size.width, index / file.size.width)
                        let exact = encoding.sRGB(pixel[..<3].reversed()).reversed() + [pixel[3] * 255]
                        for (channel, level) in exact.enumerated() {
                            let bytes = [rounded, dithered].map { bitmap in
                                bitmap.withUnsafeBytes { Double($0[index * 4 + channel]) }
                            }
                            worst.rounded = max(worst.rounded, abs(bytes[0] - level))
                            worst.dithered = max(worst.dithered, abs(bytes[1] - level))
                        }
                    }
                    // Samples of 12 bits are exact, of a float of 16 bits too; a profile's curves have 16.
                    #expect(worst.rounded < 0.8 && worst.dithered < 1.3, "\(worst) of \(file)")
                }
            }
        }

        @Test func `a TIFF's tiles are dithered as its strips`() throws {
            var file = SampleTIFF(size: PixelSize(width: 61, height: 47), bits: 16)
            let strips = try decode(file.bytes, DecodeLimits())
            file.blocks = .tiles(width: 16, height: 16)
            #expect(try decode(file.bytes, DecodeLimits()).hasSamePixels(as: strips))
            #expect(try !decode(file.bytes).hasSamePixels(as: strips))
        }

        /// libtiff converts them.
        @Test func `a TIFF's YCbCr samples are read from uncompressed tiles of each size`() throws {
            for blocks in [SampleTIFF.Blocks.tiles(width: 16, height: 16), .tiles(width: 48, height: 80)] {
                let file = SampleTIFF(photometric: 6, blocks: blocks, fields: [530: [1, 1]])
                let found = try decode(file.bytes)
                found.withUnsafeBytes { bytes in
                    for index in 0..<file.size.area {
                        let (x, y) = (index % file.size.width, index / file.size.width)
                        let light = (0..<3).map { Double(file.sample(x, y, $0)) - ($0 == 0 ? 0 : 128) }
                        let red = min(max(light[0] + 1.402 * light[2], 0), 255)
                        #expect(abs(Double(bytes[index * 4 + 2]) - red) < 3)
                    }
                }
            }
        }

        /// A file, and a part of the reason.
        @Test(arguments: [
            (SampleTIFF(photometric: 4), "photometric interpretation is 4"),
            (SampleTIFF(bits: 40), "unsigned numbers of 40 bits"),
            (SampleTIFF(bits: 8, number: .float), "floating-point numbers of 8 bits"),
            (SampleTIFF(bits: 16, fields: [339: [6, 6, 6]]), "complex numbers"),
            (SampleTIFF(fields: [258: [8, 8, 4]]), "BitsPerSample"),
            (SampleTIFF(photometric: 5, fields: [332: [2]]), "inks are not cyan"),
            (SampleTIFF(photometric: 5, fields: [277: [3]]), "3 samples per pixel for 4 colours"),
            (
                SampleTIFF(bits: 12, compression: .lzw, fields: [317: [2]]),
                "not supported with 12-bit samples"
            ),
            (SampleTIFF(extras: [Int](repeating: 0, count: 14)), "17 samples per pixel"),
            (SampleTIFF(photometric: 6, bits: 16, fields: [530: [1, 1]]), "3 samples of 16 bits"),
        ])
        func `a TIFF's samples of other kinds are not supported, and the error says which`(
            _ file: SampleTIFF, _ reason: String
        ) throws {
            let error = try #require(throws: CodecError.self) { try decode(file.bytes) }
            guard case .unsupported(.tiff, let text) = error, text.contains(reason) else {
                Issue.record("that is \(error)")
                return
            }
        }

        @Test func `a TIFF's strip that takes too much memory is an error`() throws {
            let size = PixelSize(width: 256, height: 300)
            // 128 bytes a pixel, as its fields say.
            let fields = [
                258: [Int](repeating: 64, count: 16), 277: [16], 338: [Int](repeating: 0, count: 15),
                339: [Int](repeating: 1, count: 16),
            ]
            let file = SampleTIFF(
                size: size, photometric: 1, blocks: .strips(rows: size.height), compression: .packBits,
                fields: fields)
            let limits = DecodeLimits(pixelsPerFrame: size.area)
            let error = CodecError.limitExceeded(.pixels, value: size.area * 16, limit: size.area)
            #expect(throws: error) { try decode(file.bytes, limits) }
            let damage = try #require(throws: CodecError.self) { try decode(file.bytes) }
            guard case .corrupt = damage else {
                Issue.record("that is \(damage)")
                return
            }
        }
    }
#endif
