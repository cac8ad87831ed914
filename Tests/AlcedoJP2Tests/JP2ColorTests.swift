#if JP2
    import AlcedoCodecs
    import AlcedoJP2
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    /// A code stream of four squares in a row, in the boxes of a file.
    private struct ColoredFile {
        var stream: [UInt8]
        var channels: Int
        /// The contents of the boxes `colr`.
        var colors: [[UInt8]]
        /// Bits of each channel less one; the highest bit stands for signed ones.
        var depths: [UInt8]
        var size = PixelSize(width: 16, height: 4)
        /// Channel, type and association, each a number.
        var definitions: [[Int]] = []

        init(_ name: String, channels: Int, depth: UInt8 = 8, _ colors: [[UInt8]]) throws {
            stream = try Fixture.data(name.contains("/") ? "\(name).j2k" : "jp2/\(name).j2k")
            (self.channels, self.colors) = (channels, colors)
            depths = [UInt8](repeating: depth - 1, count: channels)
        }

        static func enumerated(_ number: Int, _ parameters: [Int] = []) -> [UInt8] {
            [1, 0, 0] + ([number] + parameters).flatMap { u32($0) }
        }

        var bytes: [UInt8] {
            let size = Self.u32(size.height) + Self.u32(size.width) + Self.u16(channels)
            var header = Self.box("ihdr", size + [Set(depths).count == 1 ? depths[0] : 255, 7, 0, 0])
            if Set(depths).count > 1 { header += Self.box("bpcc", depths) }
            for content in colors { header += Self.box("colr", content) }
            if !definitions.isEmpty {
                let numbers = definitions.flatMap { $0 }
                header += Self.box("cdef", ([definitions.count] + numbers).flatMap { Self.u16($0) })
            }
            return Self.box("jP  ", [13, 10, 0x87, 10]) + Self.box("ftyp", Array("jpx \0\0\0\0jp2 jpx ".utf8))
                + Self.box("jp2h", header) + Self.box("jp2c", stream)
        }

        private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            u32(content.count + 8) + Array(name.utf8) + content
        }
        private static func u16(_ number: Int) -> [UInt8] { Array(u32(number).suffix(2)) }
        private static func u32(_ number: Int) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    /// Expected colours are those of the standards' formulas.
    struct `The colours of a JPEG 2000` {
        private let codec = JP2Codec()

        private func decode(_ bytes: [UInt8]) throws -> Bitmap {
            try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
        }

        /// Red, green, blue and alpha in the middle of each square.
        private func squares(_ file: ColoredFile) throws -> [[Int]] {
            let bitmap = try decode(file.bytes)
            #expect(bitmap.size == PixelSize(width: 16, height: 4))
            let bytes = bitmap.bytes(in: PixelLayout(.rgba, .straight))
            return (0..<4).map { square in
                let start = (2 * 16 + square * 4 + 2) * 4
                return bytes[start..<start + 4].map { Int($0) }
            }
        }

        private func reason(_ file: ColoredFile) -> String {
            do {
                _ = try decode(file.bytes)
                return "decoded"
            } catch {
                return "\(error)"
            }
        }

        private func difference(_ squares: [[Int]], _ colors: [[Int]]) -> Int {
            zip(squares.joined(), colors.map { $0.count == 3 ? $0 + [255] : $0 }.joined())
                .map { abs($0 - $1) }.max() ?? 256
        }

        private static let ycc = [[128, 128, 128], [255, 183, 133], [21, 69, 117], [235, 235, 235]]

        @Test(arguments: [
            (1, [[130, 130, 130], [255, 200, 134], [1, 59, 119], [255, 255, 255]]), (3, ycc),
            (4, [[130, 130, 130], [255, 195, 138], [7, 61, 116], [255, 255, 255]]),
            (11, [[127, 127, 127], [55, 165, 85], [195, 95, 155], [20, 127, 127]]),
            (14, [[131, 119, 76], [172, 206, 77], [86, 42, 52], [247, 231, 184]]),
            (16, [[128, 128, 128], [200, 90, 170], [60, 160, 100], [235, 128, 128]]), (18, ycc),
            (21, [[146, 146, 146], [255, 56, 193], [0, 190, 108], [255, 111, 145]]), (24, ycc),
        ])
        func `the colours of a JPEG 2000 are those of their number`(_ number: Int, _ colors: [[Int]]) throws {
            let file = try ColoredFile("three-channels", channels: 3, [ColoredFile.enumerated(number)])
            let squares = try squares(file)
            #expect(difference(squares, colors) <= 1, "\(squares)")
        }

        @Test(arguments: [12, 16], [ExactColor.linear, .adobeRGB, .pq])
        func `the colours of a JPEG 2000 are converted before they are cut`(
            _ depth: Int, _ encoding: ExactColor
        ) throws {
            let profile = [2, 0, 0] + ProfileBuilder.matrix(encoding).bytes
            var file = try ColoredFile("deep/\(depth)", channels: 3, depth: UInt8(depth), [profile])
            file.size = DeepRamps.size
            let worst = try DeepRamps.differences(bits: depth, encoding) { options in
                try codec.decode(file.bytes.span.bytes, options: options)
            }
            #expect(worst.rounded < 0.8 && worst.dithered < 1.3, "\(worst)")
        }

        @Test(arguments: [12, 16], [nil, ExactColor.adobeRGB])
        func `the colours of a deep JPEG 2000 are kept on request, with their profile`(
            _ depth: Int, _ encoding: ExactColor?
        ) throws {
            let profile = encoding.map { ProfileBuilder.matrix($0).bytes }
            let box = profile.map { [2, 0, 0] + $0 } ?? ColoredFile.enumerated(16)
            var file = try ColoredFile("deep/\(depth)", channels: 3, depth: UInt8(depth), [box])
            file.size = DeepRamps.size
            let options = DecodeOptions { $0.colorRetention = .full }
            let bytes = file.bytes
            let bitmap = try codec.decode(bytes.span.bytes, options: options)
            #expect(bitmap.colorSpace == profile.map { .icc($0) } ?? .sRGB)
            let worst = DeepRamps.difference(bitmap, bits: depth)
            #expect(worst <= 0.5, "\(worst)")
            #expect(
                try bitmap.standard()
                    .hasSamePixels(as: codec.decode(bytes.span.bytes, options: DecodeOptions())))
            let info = try codec.info(of: bytes.span.bytes, limits: options.limits)
            let memory = codec.memory(of: bytes.span.bytes, info: info, options: options)
            #expect(memory.result == bitmap.size.area * 8)
        }

        @Test func `the colours of 8 bits of a JPEG 2000 are kept on request`() throws {
            let profile = ProfileBuilder.matrix(.adobeRGB).bytes
            for (box, hasProfile) in [([2, 0, 0] + profile, true), (ColoredFile.enumerated(21), false)] {
                let bytes = try ColoredFile("three-channels", channels: 3, [box]).bytes
                let bitmap = try codec.decode(
                    bytes.span.bytes, options: DecodeOptions { $0.colorRetention = .full })
                #expect(bitmap.isDeep && (bitmap.colorSpace == .icc(profile)) == hasProfile)
                let standard = try codec.decode(bytes.span.bytes, options: DecodeOptions())
                #expect(try bitmap.standard().largestDifference(to: standard) <= 1)
            }
        }

        @Test(arguments: [18, 24, 3])
        func `the colours of a JPEG 2000 may have chroma at half the size, or signed`(_ number: Int) throws {
            var file = try ColoredFile(
                "three-channels-subsampled", channels: 3, [ColoredFile.enumerated(number)])
            #expect(try difference(squares(file), Self.ycc) <= 1)
            file = try ColoredFile("three-channels-signed", channels: 3, [ColoredFile.enumerated(number)])
            file.depths = [7, 0x87, 0x87]
            #expect(try difference(squares(file), Self.ycc) <= 1)
        }

        @Test func `the colours of a JPEG 2000 go beyond sRGB in e-sRGB, and are cut`() throws {
            let file = try ColoredFile(
                "three-channels-10bit", channels: 3, depth: 10, [ColoredFile.enumerated(20)])
            let squares = try squares(file)
            #expect(
                difference(squares, [[0, 0, 0], [255, 255, 255], [158, 58, 8], [255, 0, 108]]) <= 1,
                "\(squares)")
        }

        @Test
        func `the colours of a JPEG 2000 in CIELab have the ranges, offsets and illuminant that are given`()
            throws
        {
            let d65 = 0x0044_3635
            let given = ColoredFile.enumerated(14, [100, 0, 255, 128, 255, 128, d65])
            var squares = try squares(ColoredFile("three-channels", channels: 3, [given]))
            #expect(
                difference(squares, [[119, 119, 119], [146, 211, 113], [81, 37, 98], [232, 232, 232]]) <= 1,
                "\(squares)")
            squares = try self.squares(
                ColoredFile("three-channels-16bit", channels: 3, depth: 16, [ColoredFile.enumerated(14)]))
            #expect(
                difference(squares, [[119, 119, 119], [214, 177, 215], [255, 255, 255], [74, 74, 0]]) <= 1,
                "\(squares)")
        }

        private static let inks = [[255, 255, 255], [0, 255, 255], [207, 49, 146], [0, 0, 0]]

        @Test func `the colours of a CMYK JPEG 2000 are those of a JPEG`() throws {
            let cmyk = try squares(ColoredFile("four-channels", channels: 4, [ColoredFile.enumerated(12)]))
            #expect(difference(cmyk, Self.inks) <= 1, "\(cmyk)")
            let ycck = try squares(ColoredFile("four-channels", channels: 4, [ColoredFile.enumerated(13)]))
            #expect(
                difference(ycck, [[0, 135, 0], [76, 255, 28], [0, 19, 131], [0, 0, 0]]) <= 1, "\(ycck)")
        }

        @Test func `the colours of a CMYK JPEG 2000 may have alpha`() throws {
            var file = try ColoredFile("five-channels", channels: 5, [ColoredFile.enumerated(12)])
            let expected = zip(Self.inks, [255, 128, 200, 0]).map { $0 + [$1] }
            for definitions in [[], [[0, 0, 1], [1, 0, 2], [2, 0, 3], [3, 0, 4], [4, 1, 0]]] {
                file.definitions = definitions
                let info = try codec.info(of: file.bytes.span.bytes, limits: DecodeLimits())
                #expect(info.hasAlpha)
                #expect(try difference(squares(file), expected) <= 1)
            }
        }

        /// With the profile of a JPEG, they are the colours of that JPEG.
        @Test(arguments: [[2], [3]] as [[UInt8]])
        func `the colours of a CMYK JPEG 2000 are converted by their profile`(_ method: [UInt8]) throws {
            let photo = try Fixture.data("made/cmyk-profile.jpg")
            let embedded = JPEGCodec().profile(of: photo.span.bytes, limits: DecodeLimits())
            let profile = try #require(embedded)
            let file = try ColoredFile("four-channels", channels: 4, [method + [0, 0] + profile])
            let squares = try squares(file)
            let found = ColorTransform.toSRGB(from: profile, layout: .invertedCMYK)
            let transform = try #require(found)
            var inks: [UInt8] = [255, 255, 255, 255, 0, 255, 255, 255, 235, 55, 165, 225, 255, 255, 255, 0]
            inks.withUnsafeMutableBytes {
                transform.apply(to: PixelRows($0, PixelSize(width: 4, height: 1)))
            }
            let expected = (0..<4).map { index in (0..<3).map { Int(inks[index * 4 + 2 - $0]) } }
            #expect(squares.map { $0.dropLast() } == expected.map { $0[...] })
            #expect(difference(squares, Self.inks) > 20)
            let read = codec.profile(of: file.bytes.span.bytes, limits: DecodeLimits())
            #expect(read == profile)
        }

        @Test func `a JPEG 2000 tells two kinds of black and white apart`() throws {
            let (black, white) = ([0, 0, 0], [255, 255, 255])
            for (number, colors) in [(0, [white, black, white, black]), (15, [black, white, black, white])] {
                let file = try ColoredFile(
                    "one-bit", channels: 1, depth: 1, [ColoredFile.enumerated(number)])
                #expect(try difference(squares(file), colors) == 0)
            }
        }

        @Test(arguments: [
            (9, "number 9, PhotoYCC"), (19, "number 19, CIEJab"), (22, "number 22, YPbPr"),
            (23, "number 23, YPbPr"), (2, "number 2"), (100, "number 100"),
            (4_000_000_000, "number 4000000000"),
        ])
        func `the error names the colours of a JPEG 2000 that can't be shown`(_ number: Int, _ name: String)
            throws
        {
            let file = try ColoredFile("three-channels", channels: 3, [ColoredFile.enumerated(number)])
            #expect(reason(file).contains("its colour space is \(name)"))
            let info = try codec.info(of: file.bytes.span.bytes, limits: DecodeLimits())
            #expect(info.size == PixelSize(width: 16, height: 4))
        }

        @Test
        func `colours of a JPEG 2000 that can't be shown have another specification, or are named`() throws {
            var profile = [UInt8](repeating: 0, count: 200)
            profile.replaceSubrange(16..<20, with: Array("Lab ".utf8))
            profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
            var file = try ColoredFile("three-channels", channels: 3, [[2, 0, 0] + profile])
            #expect(reason(file).contains("its profile is for the colours Lab"))
            file.colors = [[5, 0, 0, 0, 1, 0, 13, 0, 0, 128]]
            #expect(reason(file).contains("given by method 5"))
            file.colors = [ColoredFile.enumerated(14, [100, 0, 255, 128, 255, 128, 0x4354_1964])]
            #expect(reason(file).contains("unknown illuminant"))
            file.colors = [ColoredFile.enumerated(9), ColoredFile.enumerated(18)]
            #expect(try difference(squares(file), Self.ycc) <= 1)
            file = try ColoredFile("three-channels", channels: 3, [ColoredFile.enumerated(12)])
            #expect(reason(file).contains("it has 3 colour channels"))
        }
    }
#endif
