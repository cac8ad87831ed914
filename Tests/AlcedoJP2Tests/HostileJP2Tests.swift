#if JP2
    import AlcedoCodecs
    import AlcedoJP2
    import AlcedoPixels
    import Testing

    /// A code stream of empty packets, one byte each.
    private struct Stream {
        var width = 1000
        var height = 1000
        var levels = 5
        var layers = 1
        /// The sides of code blocks, as powers of 2.
        var block = 6
        var style: UInt8 = 0
        /// The sides of precincts, each a nibble.
        var precincts: [UInt8] = []
        /// Whether the style is in the header of the tile, after another in the main header.
        var isInTile = false
        var extra: [UInt8] = []
        var packets = 2000
        /// The side of a tile; nil for one tile.
        var tile: Int?
        /// Tiles that are there.
        var tileParts = 1

        var bytes: [UInt8] {
            var size = u16(0) + u32(width) + u32(height) + u32(0) + u32(0)
            size += u32(tile ?? width) + u32(tile ?? height) + u32(0) + u32(0) + u16(1)
            size += [7, 1, 1]
            let plain = segment(0x52, [0, 0, 0, 1, 0, UInt8(levels), 4, 4, 0, 1])
            let block = UInt8(self.block - 2)
            let coding = segment(
                0x52,
                [precincts.isEmpty ? 0 : 1, 0] + u16(layers) + [0, UInt8(levels), block, block, style, 1]
                    + precincts)
            let steps = [UInt8](repeating: 0x48, count: 3 * levels + 1)
            var bytes: [UInt8] = [0xFF, 0x4F] + segment(0x51, size) + (isInTile ? plain : coding)
            bytes += segment(0x5C, [0x40] + steps) + extra
            let head = isInTile ? coding : []
            for index in 0..<tileParts {
                bytes += segment(0x90, u16(index) + u32(14 + head.count + packets) + [0, 1]) + head
                bytes += [0xFF, 0x93] + [UInt8](repeating: 0, count: packets)
            }
            return bytes + [0xFF, 0xD9]
        }

        /// In a file, with a palette of two colours.
        func file(paletteChannels: Int) -> [UInt8] {
            let depths = [UInt8](repeating: 7, count: paletteChannels)
            var palette: [UInt8] = u16(2) + [UInt8(paletteChannels)] + depths
            palette += [UInt8](repeating: 99, count: 2 * paletteChannels)
            let map: [UInt8] = (0..<UInt8(paletteChannels)).flatMap { [0, 0, 1, $0] }
            let header =
                box("ihdr", u32(height) + u32(width) + u16(1) + [7, 7, 0, 0])
                + box("colr", [1, 0, 0] + u32(16)) + box("pclr", palette) + box("cmap", map)
            return box("jP  ", [13, 10, 0x87, 10]) + box("ftyp", Array("jp2 \0\0\0\0jp2 ".utf8))
                + box("jp2h", header) + box("jp2c", bytes)
        }

        private func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            u32(content.count + 8) + Array(name.utf8) + content
        }

        private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            [0xFF, marker] + u16(content.count + 2) + content
        }

        private func u16(_ number: Int) -> [UInt8] { Array(u32(number).suffix(2)) }
        private func u32(_ number: Int) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    /// A few hundred bytes that have OpenJPEG allocate gigabytes.
    struct `Hostile JPEG 2000` {
        private let codec = JP2Codec()

        private func decode(_ bytes: [UInt8]) throws -> Bitmap {
            try codec.decode(bytes.span.bytes, options: DecodeOptions())
        }

        private func reason(_ bytes: [UInt8]) -> String {
            do {
                _ = try decode(bytes)
                return "decoded"
            } catch {
                return "\(error)"
            }
        }

        private func charge(_ bytes: [UInt8]) throws -> Int {
            let info = try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
            return codec.memory(of: bytes.span.bytes, info: info, options: DecodeOptions()).beside
        }

        @Test func `an ordinary JPEG 2000 is not taken for a hostile one`() throws {
            #expect(try decode(Stream().bytes).size == PixelSize(width: 1000, height: 1000))
        }

        @Test(arguments: [false, true])
        func `a JPEG 2000 of a precinct for each pixel is rejected`(_ isInTile: Bool) {
            let stream = Stream(levels: 0, precincts: [0x00], isInTile: isInTile, packets: 20)
            #expect(reason(stream.bytes).contains("precincts, code blocks and packets take"))
            #expect(throws: CodecError.self) {
                try codec.info(of: stream.bytes.span.bytes, limits: DecodeLimits())
            }
        }

        @Test(arguments: [false, true])
        func `a JPEG 2000 of tiny code blocks is rejected, or charged if it is small`(_ isInTile: Bool) throws
        {
            var stream = Stream(block: 2, isInTile: isInTile)
            #expect(try decode(stream.bytes).size == PixelSize(width: 1000, height: 1000))
            #expect(try charge(stream.bytes) > charge(Stream().bytes) + 15_000_000)
            (stream.width, stream.height) = (4000, 4000)
            #expect(reason(stream.bytes).contains("precincts, code blocks and packets take"))
        }

        /// A code block with a termination after each pass has up to 109 segments.
        @Test func `a JPEG 2000 of small code blocks in many segments is rejected`() {
            let stream = Stream(width: 4000, height: 4000, block: 3, style: 4)
            #expect(reason(stream.bytes).contains("precincts, code blocks and packets take"))
            #expect(reason(Stream(width: 4000, height: 4000, block: 3).bytes) == "decoded")
        }

        @Test func `a JPEG 2000 of more packets than bytes is rejected`() {
            let small = Stream(levels: 0, layers: 65_535, precincts: [0x22], packets: 20)
            #expect(reason(small.bytes).contains("take"))
            let large = Stream(levels: 0, layers: 1000, precincts: [0x66], packets: 20)
            #expect(reason(large.bytes).contains("announces 256000 packets in"))
        }

        @Test
        func `a JPEG 2000 of more than five palette channels is rejected, and others are charged`() throws {
            let stream = Stream()
            #expect(try decode(stream.file(paletteChannels: 3)).size.area == 1_000_000)
            #expect(try charge(stream.file(paletteChannels: 3)) >= charge(stream.bytes) + 12_000_000)
            for count in [6, 16, 255] {
                let error = CodecError.unsupported(.jp2, reason: "its palette has \(count) channels")
                #expect(throws: error) { try decode(stream.file(paletteChannels: count)) }
            }
        }

        @Test func `a JPEG 2000 of many tiles in many resolutions and ways is rejected`() {
            // COC segments for the one component, each with another code block.
            let styles = (0..<7).flatMap { [0xFF, 0x53, 0, 9, 0, 0, 32, $0, 4, 0, 1] as [UInt8] }
            let stream = Stream(
                width: 15_000, height: 15_000, levels: 32, extra: styles, packets: 20, tile: 65)
            #expect(reason(stream.bytes).contains("tiles have too many resolutions"))
        }

        /// As the conformance files of ISO/IEC 15444-4 have them: 225 tiles of 37 by 37 pixels, and tiles of one pixel.
        @Test(arguments: [(512, 37, 14), (555, 37, 15), (22, 1, 22)])
        func `a JPEG 2000 of many small tiles decodes, and is charged for each`(
            _ side: Int, _ tile: Int, _ columns: Int
        ) throws {
            let stream = Stream(
                width: side, height: side, levels: 0, packets: 1, tile: tile, tileParts: columns * columns)
            #expect(try decode(stream.bytes).size == PixelSize(width: side, height: side))
            #expect(try charge(stream.bytes) >= columns * columns * 10_000)
        }

        /// OpenJPEG would leave them black.
        @Test func `a JPEG 2000 without some of its tiles is damaged`() {
            let stream = Stream(width: 22, height: 22, levels: 0, packets: 1, tile: 2, tileParts: 120)
            #expect(reason(stream.bytes).contains("1 of its tiles are missing"))
        }

        @Test func `a JPEG 2000 of many more small tiles is rejected`() {
            let stream = Stream(width: 23, height: 23, levels: 0, packets: 1, tile: 1, tileParts: 23 * 23)
            #expect(reason(stream.bytes).contains("its 529 tiles are too small"))
        }

        /// OpenJPEG looks for the next marker behind one that it does not know, and may find another than was checked.
        @Test func `a JPEG 2000 with a marker that OpenJPEG does not know is rejected`() {
            let stream = Stream(extra: [0xFF, 0x79, 0x00, 0x04, 0, 0])
            #expect(reason(stream.bytes).contains("the marker FF79"))
        }
    }
#endif
