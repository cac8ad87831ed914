#if HEIF
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoTestSupport
    import CHeif
    import Testing

    @testable import AlcedoHEIF

    /// Pictures that are coded a little larger than the size in the boxes, which is the one to show.
    struct `Padded HEIC files` {
        private let codec = HEIFCodec()

        private func decode(_ bytes: [UInt8]) throws -> Bitmap {
            try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
        }

        private func size(_ bytes: [UInt8]) throws -> PixelSize {
            try codec.info(of: bytes.span.bytes, limits: DecodeLimits()).size
        }

        /// A picture of 128 by 96 whose pixels all differ, with other sizes and transformations in its boxes.
        private func file(_ size: PixelSize, _ transforms: [(name: String, content: [UInt8])] = []) throws
            -> [UInt8]
        {
            var pixels = try PixelBuilder(size: PixelSize(width: 128, height: 96), alpha: .opaque)
            pixels.withUnsafeMutableBytes { output in
                for y in 0..<96 {
                    for x in 0..<128 {
                        output[(y * 128 + x) * 4] = UInt8(x * 2)
                        output[(y * 128 + x) * 4 + 1] = UInt8(y * 2)
                        output[(y * 128 + x) * 4 + 2] = UInt8(128)
                        output[(y * 128 + x) * 4 + 3] = 255
                    }
                }
            }
            let whole = try codec.encode(pixels.freeze(), as: .heic, options: EncodeOptions(isLossless: true))
            let found = HEIFItems(whole.span.bytes)
            let items = try #require(found)
            let item = try #require(items.primary)
            let place = try #require(items.extents[item]?.first)
            let configuration = try #require(items.configurations[item]?.first)
            return ComposedHEIF(
                items: [
                    ComposedHEIF.Item(
                        kind: "hvc1", size: size, data: Array(whole[place]),
                        configuration: Array(whole[configuration]), transforms: transforms)
                ]
            ).bytes
        }

        /// The columns and rows of the coded picture that a bitmap shows at two places.
        private func origins(_ bitmap: Bitmap) -> (first: [Int], last: [Int]) {
            let bytes = bitmap.bytes(in: PixelLayout(.bgra, .straight))
            func place(_ index: Int) -> [Int] { [Int(bytes[index * 4]) / 2, Int(bytes[index * 4 + 1]) / 2] }
            return (place(0), place(bitmap.size.area - 1))
        }

        private func isClose(_ one: [Int], _ other: [Int]) -> Bool {
            zip(one, other).allSatisfy { abs($0 - $1) <= 1 }
        }

        @Test func `a padded HEIC is shown in the size in its boxes`() throws {
            let bytes = try Fixture.data("heif/padded.heic")
            #expect(try size(bytes) == PixelSize(width: 127, height: 63))
            #expect(try decode(bytes).size == PixelSize(width: 127, height: 63))
        }

        @Test(arguments: [(127, 95), (127, 96), (128, 95), (121, 90), (65, 33)])
        func `a padded HEIC is cropped on the right and below`(_ width: Int, _ height: Int) throws {
            let bytes = try file(PixelSize(width: width, height: height))
            let bitmap = try decode(bytes)
            #expect(bitmap.size == PixelSize(width: width, height: height))
            let (first, last) = origins(bitmap)
            #expect(isClose(first, [0, 0]) && isClose(last, [width - 1, height - 1]), "\(first) \(last)")
        }

        /// Boxes, and what the first and the last pixel show if 120 by 90 pixels of the coded ones count.
        struct Transformed: CustomTestStringConvertible {
            var testDescription: String
            var boxes: [(name: String, content: [UInt8])]
            var first: [Int]
            var last: [Int]

            init(_ name: String, _ boxes: [(String, [UInt8])], _ first: [Int], _ last: [Int]) {
                (testDescription, self.boxes, self.first, self.last) = (name, boxes, first, last)
            }

            static let all = [
                Transformed("no turn", [("irot", [0])], [0, 0], [119, 89]),
                Transformed("a quarter turn", [("irot", [1])], [119, 0], [0, 89]),
                Transformed("a half turn", [("irot", [2])], [119, 89], [0, 0]),
                Transformed("three quarters", [("irot", [3])], [0, 89], [119, 0]),
                Transformed("left and right exchanged", [("imir", [1])], [119, 0], [0, 89]),
                Transformed("top and bottom exchanged", [("imir", [0])], [0, 89], [119, 0]),
                Transformed("a turn and an exchange", [("irot", [1]), ("imir", [1])], [119, 89], [0, 0]),
                Transformed("an exchange and a turn", [("imir", [1]), ("irot", [1])], [0, 0], [119, 89]),
            ]
        }

        @Test(arguments: Transformed.all)
        func `a padded HEIC is cropped before it is turned and mirrored`(
            _ expected: Transformed
        ) throws {
            let bytes = try file(PixelSize(width: 120, height: 90), expected.boxes)
            let bitmap = try decode(bytes)
            #expect(try bitmap.size == size(bytes))
            let shown = origins(bitmap)
            #expect(isClose(shown.first, expected.first) && isClose(shown.last, expected.last), "\(shown)")
        }

        /// 101 by 51 pixels around the middle of 127 by 95.
        @Test func `a padded HEIC may be cropped further, and turned`() throws {
            let crop = [101, 1, 51, 1, 0, 1, 0, 1].flatMap { BoxFile.u32($0) }
            let size = PixelSize(width: 127, height: 95)
            let plain = try origins(decode(file(size, [("clap", crop)])))
            #expect(isClose(plain.first, [13, 22]) && isClose(plain.last, [113, 72]), "\(plain)")
            let turned = try origins(decode(file(size, [("clap", crop), ("irot", [1])])))
            #expect(isClose(turned.first, [113, 22]) && isClose(turned.last, [13, 72]), "\(turned)")
        }

        @Test(arguments: [(129, 96), (128, 97), (200, 200), (64, 96), (128, 32), (16, 16)])
        func `a HEIC is damaged if its sizes differ by more than padding`(_ width: Int, _ height: Int) throws
        {
            let bytes = try file(PixelSize(width: width, height: height))
            #expect(throws: CodecError.corrupt(.heic, reason: "two headers disagree on the size")) {
                try decode(bytes)
            }
        }

        /// Tiles of 64 by 64 pixels, of which 63 by 63 count, and a grid that is one less than these.
        @Test(arguments: [126, 125])
        func `a padded HEIC may consist of tiles`(_ side: Int) throws {
            var grid = ComposedHEIF.Item.grid(2, 2, side: 63)
            grid.size = PixelSize(width: side, height: side)
            var tile = try ComposedHEIF.Item.plain(side: 64)
            tile.size = PixelSize(width: 63, height: 63)
            var file = ComposedHEIF(items: [grid, tile])
            file.references = [("dimg", 1, [2, 2, 2, 2])]
            #expect(try decode(file.bytes).size == PixelSize(width: side, height: side))
        }
    }
#endif
