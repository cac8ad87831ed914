#if JXL
    import AlcedoCodecs
    import AlcedoJXL
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    /// A PNG among the fixtures, straight.
    private func decodedPNG(_ path: String) throws -> Bitmap {
        let bytes = try Fixture.data(path)
        return try PNGCodec().decode(
            bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
    }

    struct JXLTests {
        let codec = JXLCodec()

        private func info(_ bytes: [UInt8], _ limits: DecodeLimits = DecodeLimits()) throws -> ImageInfo {
            try codec.info(of: bytes.span.bytes, limits: limits)
        }

        private func decode(_ bytes: [UInt8], straight: Bool = false) throws -> Bitmap {
            try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = straight })
        }

        private func frames(_ bytes: [UInt8]) throws -> any FrameDecoder {
            try codec.frames(of: bytes.span.bytes, options: DecodeOptions())
        }

        private func reference(_ name: String) throws -> Bitmap {
            try decodedPNG("jxl/\(name).jxl.png")
        }

        /// With what Pillow, with a newer libjxl and lcms2, makes of them.
        static let stills = [
            "lossy", "lossless-alpha", "lossy-alpha", "grey", "grey-profile", "deep", "wide-gamut", "turned",
            "container", "odd", "progressive",
        ]

        @Test(arguments: stills)
        func `a still JPEG XL decodes as elsewhere`(_ name: String) throws {
            let bytes = try Fixture.data("jxl/\(name).jxl")
            let reference = try reference(name)
            let size = name == "odd" ? PixelSize(width: 61, height: 47) : PixelSize(width: 64, height: 48)
            let upright = name == "turned" ? size.transposed : size
            let hasAlpha = name.hasSuffix("alpha")
            #expect(codec.format(of: bytes.span.bytes) == .jxl)
            #expect(try info(bytes) == ImageInfo(format: .jxl, size: upright, hasAlpha: hasAlpha))
            let bitmap = try decode(bytes, straight: true)
            #expect(bitmap.size == reference.size)
            #expect(bitmap.alpha == (hasAlpha ? .straight : .opaque))
            #expect(bitmap.largestDifference(to: reference) <= (name == "turned" ? 4 : 2))
            #expect(try decode(bytes).alpha == (hasAlpha ? .premultiplied : .opaque))
        }

        @Test(arguments: ["lossy", "container"])
        func `a JPEG XL's signature that is cut short or changed is none`(_ name: String) throws {
            let bytes = try Fixture.data("jxl/\(name).jxl")
            let length = name == "container" ? 12 : 2
            #expect(codec.format(of: Array(bytes.prefix(length)).span.bytes) == .jxl)
            for index in 0..<length {
                #expect(codec.format(of: Array(bytes.prefix(index)).span.bytes) == nil)
                var changed = bytes
                changed[index] ^= 0x40
                #expect(codec.format(of: changed.span.bytes) == nil)
            }
        }

        @Test(arguments: [
            ("wide-gamut-lossy", "wide-gamut-lossy", 12), ("linear", "linear", 2), ("p3", "p3", 2),
        ])
        func `colours of a JPEG XL become sRGB`(_ name: String, _ like: String, _ tolerance: Int) throws {
            let bitmap = try decode(Fixture.data("jxl/\(name).jxl"))
            #expect(try bitmap.largestDifference(to: reference(like)) <= tolerance)
        }

        /// The numbers of an sRGB picture taken for those of PQ: 203 candela is white, what is brighter nearly so.
        @Test(arguments: [("pq", 0.1), ("pq-lossy", 6)])
        func `bright light in a JPEG XL is compressed`(_ name: String, _ tolerance: Double) throws {
            let bytes = try Fixture.data("jxl/\(name).jxl")
            #expect(codec.profile(of: bytes.span.bytes, limits: DecodeLimits()) != nil)
            #expect(try decode(bytes).meanDifference(to: reference("pq")) <= tolerance)
        }

        /// A box, whole or cut, or no box at all.
        static let rests = ["\0", "\0\0\0", "1234567", "\0\0\0cExif123", "\0\0\0\u{5}junk", "\0\0\0\txml \n"]

        @Test(arguments: rests.map { Array($0.utf8) })
        func `anything may follow a JPEG XL's code stream`(_ rest: [UInt8]) throws {
            let boxes = try Fixture.data("jxl/container.jxl")
            #expect(try info(boxes + rest) == info(boxes))
            #expect(try decode(boxes + rest).hasSamePixels(as: decode(boxes)))
            #expect(try info(Array(boxes.dropLast())).isComplete == false)
        }

        /// The code stream, in one box that is the last or not.
        @Test(arguments: [0x80, 0])
        func `the last part of a JPEG XL has to be there`(_ number: UInt8) throws {
            var boxes = try Fixture.data("jxl/container.jxl")
            let kind = try #require(boxes.firstRange(of: Array("jxlc".utf8)))
            let length = boxes.count - kind.lowerBound + 8
            let head = [UInt8(length >> 8), UInt8(length & 255)] + Array("jxlp".utf8) + [number, 0, 0, 0]
            boxes.replaceSubrange((kind.lowerBound - 2)..<kind.upperBound, with: head)
            #expect(try info(boxes).isComplete == (number == 0x80))
        }

        @Test(arguments: ["animated", "animated-lossy"])
        func `an animated JPEG XL has its frames, durations and loops`(_ name: String) throws {
            let bytes = try Fixture.data("jxl/\(name).jxl")
            let info = try info(bytes)
            #expect(info.frameCount == 5)
            #expect(info.size == PixelSize(width: 40, height: 30))
            let expected = [0.04, 0.05, 0.06, 0.07, 0.08]
            let durations = try codec.frameDurations(of: bytes.span.bytes, limits: DecodeLimits())
            #expect(
                zip(durations, expected).allSatisfy { abs($0 - $1) < 0.0001 } && durations.count == 5,
                "\(durations)")
            let decoder = try frames(bytes)
            var first: Bitmap?
            var last: Bitmap?
            for duration in durations {
                let frame = try #require(try decoder.next())
                #expect(frame.duration == duration)
                #expect(last.map { !$0.hasSamePixels(as: frame.bitmap) } ?? true)
                last = frame.bitmap
                first = first ?? frame.bitmap
            }
            #expect(try decoder.next() == nil)
            decoder.rewind()
            let again = try #require(try decoder.next()?.bitmap)
            #expect(try again.hasSamePixels(as: #require(first)))
            #expect(try again.hasSamePixels(as: decode(bytes)))
        }

        @Test func `the frames of a JPEG XL are those that went in`() throws {
            let decoder = try frames(Fixture.data("jxl/animated.jxl"))
            let source = try Fixture.data("jxl/animated.png")
            let reference = try PNGCodec().frames(of: source.span.bytes, options: DecodeOptions())
            while let expected = try reference.next() {
                let frame = try #require(try decoder.next())
                #expect(frame.bitmap.largestDifference(to: expected.bitmap) <= 1)
            }
        }

        @Test func `a JPEG XL keeps to the limits`() throws {
            let bytes = try Fixture.data("jxl/animated.jxl")
            #expect(throws: CodecError.limitExceeded(.pixels, value: 1200, limit: 1199)) {
                try info(bytes, DecodeLimits { $0.pixelsPerFrame = 1199 })
            }
            let few = DecodeOptions { $0.limits.pixelsPerAnimation = 5999 }
            #expect(throws: CodecError.self) { try codec.frames(of: bytes.span.bytes, options: few) }
            #expect(throws: CodecError.limitExceeded(.encodedBytes, value: bytes.count, limit: 9)) {
                try info(bytes, DecodeLimits { $0.encodedBytes = 9 })
            }
        }

        @Test(arguments: [
            ("linear16", 16, ExactColor.linear), ("linear-float", 16, .linear), ("p3-16", 16, .displayP3),
            ("pq16", 16, .pq), ("hlg16", 16, .hlg),
        ])
        func `a deep JPEG XL is converted before it is cut`(
            _ name: String, _ bits: Int, _ encoding: ExactColor
        ) throws {
            let bytes = try Fixture.data("deep/\(name).jxl")
            let worst = try DeepRamps.differences(bits: bits, encoding) {
                try codec.decode(bytes.span.bytes, options: $0)
            }
            #expect(worst.rounded < 0.6 && worst.dithered < 1.1, "\(worst)")
            let frame = try codec.frames(of: bytes.span.bytes, options: DecodeOptions()).next()
            #expect(try #require(frame?.bitmap).hasSamePixels(as: decode(bytes)))
        }

        @Test(
            arguments: [
                ("linear16", (1, 8)), ("linear-float", (1, 8)), ("p3-16", (12, 13)), ("pq16", (9, 16)),
                ("hlg16", (9, 18)),
            ] as [(String, (UInt8, UInt8))])
        func `a deep JPEG XL is kept on request, with its colours`(
            _ name: String, _ points: (UInt8, UInt8)
        ) throws {
            let bytes = try Fixture.data("deep/\(name).jxl")
            let options = DecodeOptions { $0.colorRetention = .full }
            let bitmap = try codec.decode(bytes.span.bytes, options: options)
            #expect(bitmap.colorSpace == .codePoints(primaries: points.0, transfer: points.1))
            let worst = DeepRamps.difference(bitmap, bits: 16)
            #expect(worst <= 0.5, "\(worst)")
            #expect(try bitmap.standard().hasSamePixels(as: decode(bytes)))
            let memory = codec.memory(of: bytes.span.bytes, info: try info(bytes), options: options)
            #expect(memory.result == bitmap.size.area * 8)
        }

        /// The colours of 8 bits that aren't sRGB's, whether by number, by numbers of their own, or by a profile,
        /// also of lossy images, which libjxl has in a space of its own.
        @Test(
            arguments: [
                ("p3", ColorSpace.displayP3), ("wide-gamut", nil),
                ("linear", .codePoints(primaries: 1, transfer: 8)),
                ("wide-gamut-lossy", .codePoints(primaries: 9, transfer: 13)), ("blended-p3", .displayP3),
                ("blended-p3-lossless", .displayP3), ("pq", .codePoints(primaries: 9, transfer: 16)),
                ("crops-gamma", nil), ("crops-709", nil),
            ] as [(String, ColorSpace?)])
        func `a JPEG XL in another space is kept on request`(_ name: String, _ space: ColorSpace?) throws {
            let bytes = try Fixture.data("jxl/\(name).jxl")
            let bitmap = try codec.decode(
                bytes.span.bytes, options: DecodeOptions { $0.colorRetention = .full })
            #expect(bitmap.isDeep)
            if let space {
                #expect(bitmap.colorSpace == space)
            } else if case .codePoints = bitmap.colorSpace {
                Issue.record("\(bitmap.colorSpace)")
            }
            let difference = try bitmap.standard().largestDifference(to: decode(bytes))
            #expect(difference <= 2)
        }

        @Test func `a JPEG XL in CMYK is kept as 16 bits of sRGB`() throws {
            for name in ["cmyk", "cmyk-alpha"] {
                let bytes = try Fixture.data("deep/\(name).jxl")
                let bitmap = try codec.decode(
                    bytes.span.bytes, options: DecodeOptions { $0.colorRetention = .full })
                #expect(bitmap.isDeep && bitmap.colorSpace == .sRGB)
                #expect(try bitmap.standard().largestDifference(to: decode(bytes)) <= 1)
            }
        }

        @Test(arguments: ["cmyk", "cmyk-alpha"])
        func `a JPEG XL in CMYK is converted by its profile`(_ name: String) throws {
            let jpeg = try Fixture.data("made/cmyk-profile.jpg")
            let embedded = JPEGCodec().profile(of: jpeg.span.bytes, limits: DecodeLimits())
            let profile = try #require(embedded)
            let transform = try #require(
                ColorSource(profile: profile, layout: .invertedCMYK).deepTransform)
            let hasAlpha = name == "cmyk-alpha"
            let options = DecodeOptions(keepsStraightAlpha: true, limits: DecodeLimits(isDithered: false))
            var expected = try PixelBuilder(size: DeepRamps.size, alpha: hasAlpha ? .straight : .opaque)
            let convert = DeepConverter(nil, alpha: .straight, options: options)
            expected.withUnsafeMutableBytes { bytes in
                for y in 0..<4 {
                    var inks = (0..<256).map { x in
                        let colors = (0..<3).map { UInt16(65535 - DeepRamps.level(x, y, $0)) }
                        return SIMD4(colors[0], colors[1], colors[2], UInt16(65535 - x * 100))
                    }
                    inks.withUnsafeMutableBufferPointer { pixels in
                        DeepTransform.convert(inks: pixels, by: transform)
                        for x in 0..<256 where hasAlpha { pixels[x].w = UInt16(65535 - y * 12345) }
                        let row = bytes.bindMemory(to: UInt32.self)[(y * 256)...]
                        if let start = UnsafeMutableBufferPointer(rebasing: row).baseAddress {
                            _ = convert(pixels, to: start, at: (0, y))
                        }
                    }
                }
            }
            let bytes = try Fixture.data("deep/\(name).jxl")
            let found = try codec.decode(bytes.span.bytes, options: options)
            #expect(found.alpha == (hasAlpha ? .straight : .opaque))
            #expect(found.hasSamePixels(as: expected.freeze()))
        }

        @Test func `a JPEG XL in CMYK without a profile has its inks multiplied by black`() throws {
            let bitmap = try decode(Fixture.data("jxl/cmyk.jxl"))
            #expect(bitmap.size == PixelSize(width: 8, height: 8) && bitmap.alpha == .opaque)
            // Each ink is 128, and black 200, where 255 is none: 128 * 200 / 255.
            let bytes = bitmap.withUnsafeBytes { Array($0) }
            #expect(bytes == (0..<64).flatMap { _ in [100, 100, 100, 255] as [UInt8] })
        }

        @Test(arguments: [[], [0xFF], [0xFF, 0xD8, 0xFF], Array("\0\0\0\u{0C}JXL".utf8)])
        func `the JPEG XL codec does not claim other bytes`(_ bytes: [UInt8]) {
            #expect(codec.format(of: bytes.span.bytes) == nil)
            #expect(throws: CodecError.unknownFormat) { try decode(bytes) }
        }
    }

    // MARK: - Writing

    struct JXLWritingTests {
        let codec = JXLCodec()

        @Test(
            arguments: [
                ColorSpace.sRGB, .displayP3, .codePoints(primaries: 9, transfer: 16),
                .codePoints(primaries: 9, transfer: 18), .codePoints(primaries: 6, transfer: 4),
                .codePoints(primaries: 11, transfer: 8), .icc(ProfileBuilder.matrix(.adobeRGB).bytes),
            ], [Bitmap.Alpha.opaque, .straight, .premultiplied])
        func `16 bits and the colour space of a JPEG XL are what went in`(
            _ space: ColorSpace, _ alpha: Bitmap.Alpha
        ) throws {
            let bitmap = try DeepRamps.bitmap(space, alpha, DeepColors.sRGB.conversion)
            let bytes = try codec.encode(bitmap, as: .jxl, options: EncodeOptions(isLossless: true))
            let read = try codec.decode(
                bytes.span.bytes,
                options: DecodeOptions {
                    ($0.colorRetention, $0.keepsStraightAlpha) = (.full, alpha == .straight)
                })
            #expect(read.colorSpace == space)
            // Straight alpha in the file.
            #expect(DeepRamps.difference(read, bitmap) <= (alpha == .premultiplied ? 1 : 0))
        }

        @Test(arguments: [10, 12, 8])
        func `the depth of a JPEG XL is what was asked for`(_ depth: Int) throws {
            let bitmap = try DeepRamps.bitmap(.displayP3, .opaque, DeepColors.sRGB.conversion)
            let options = EncodeOptions { ($0.isLossless, $0.depth) = (true, depth) }
            let bytes = try codec.encode(bitmap, as: .jxl, options: options)
            let read = try codec.decode(
                bytes.span.bytes, options: DecodeOptions { $0.colorRetention = .full })
            #expect(read.colorSpace == .displayP3)
            // 8 bits are dithered.
            let level = 65535 / (1 << depth - 1)
            let difference = DeepRamps.difference(read, bitmap)
            #expect(difference <= (depth == 8 ? level : level / 2 + 1) && difference > 0)
            let lossy = try codec.encode(
                bitmap, as: .jxl, options: EncodeOptions(quality: 0.95, depth: depth))
            let near = try codec.decode(
                lossy.span.bytes, options: DecodeOptions { $0.colorRetention = .full })
            #expect(near.isDeep && near.colorSpace == .displayP3)
        }

        private func picture(_ name: String) throws -> Bitmap {
            try decodedPNG(name)
        }

        private func decode(_ bytes: [UInt8]) throws -> Bitmap {
            try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
        }

        @Test(arguments: ["jxl/lossy.jxl.png", "made/alpha.png"])
        func `a bitmap written as a lossless JPEG XL comes back as it was`(_ name: String) throws {
            let bitmap = try picture(name)
            let bytes = try codec.encode(bitmap, as: .jxl, options: EncodeOptions { $0.isLossless = true })
            #expect(try decode(bytes).hasSamePixels(as: bitmap))
        }

        @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 2])
        func `a JPEG XL's quality out of range is taken for the nearest`(_ quality: Double) throws {
            let bitmap = try PixelBuilder(size: PixelSize(width: 64, height: 64), alpha: .opaque).freeze()
            func encode(_ quality: Double) throws -> [UInt8] {
                try JXLCodec().encode(bitmap, as: .jxl, options: EncodeOptions(quality: quality))
            }
            #expect(try encode(quality) == encode(quality > 1 ? 1 : 0))
        }

        @Test func `a JPEG XL's quality decides on its size`() throws {
            let bitmap = try picture("jpeg/testorig.png")
            let sizes = try [0.2, 0.6, 0.95].map { quality in
                let bytes = try codec.encode(
                    bitmap, as: .jxl, options: EncodeOptions { $0.quality = quality })
                #expect(try decode(bytes).size == bitmap.size)
                return bytes.count
            }
            #expect(sizes == sizes.sorted() && Set(sizes).count == 3)
        }

        @Test func `an animation is written as a JPEG XL with its durations and loops`() throws {
            let source = try Fixture.data("jxl/animated.png")
            let frames = try PNGCodec().frames(of: source.span.bytes, options: DecodeOptions())
            let bytes = try codec.encode(
                frames: frames, as: .jxl, options: EncodeOptions { $0.isLossless = true })
            let info = try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
            #expect(info.frameCount == 5 && info.loopCount == frames.info.loopCount)
            let durations = try codec.frameDurations(of: bytes.span.bytes, limits: DecodeLimits())
            #expect(durations.map { ($0 * 1000).rounded() } == [40, 50, 60, 70, 80])
        }
    }

    // MARK: - Damage

    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `Damaged JPEG XLs` {
        @Test(arguments: Fixture.list("jxl", withExtension: "jxl"))
        func `damaged JPEG XLs are an error or a picture`(_ path: String) async throws {
            let bytes = try Fixture.data(path)
            let options = DecodeOptions { $0.limits.pixelsPerFrame = 1 << 20 }
            let result = await Damage.tried(on: bytes) { bytes in
                _ = JXLCodec().profile(of: bytes.span.bytes, limits: options.limits)
                let frames = try JXLCodec().frames(of: bytes.span.bytes, options: options)
                while try frames.next() != nil {}
            }
            #expect(result.acceptedCuts == 0)
            let others = result.errors.filter { !($0 is CodecError) }
            #expect(others.isEmpty, "\(others)")
        }
    }
#endif
