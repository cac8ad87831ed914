#if HEIF
    import AlcedoCodecs
    import AlcedoPixels
    import CHeif
    import Testing

    @testable import AlcedoHEIF

    /// A HEIC or AVIF file of several items, the first of which is the primary one.
    struct ComposedHEIF {
        struct Item {
            var kind: String
            var size: PixelSize
            var data: [UInt8]
            /// The content of a box `hvcC` or `av1C`.
            var configuration: [UInt8]?
            /// The number, from 1, of the item whose data it lists as its own; nil for none.
            var sharesDataOf: Int?
            /// What it is of another picture.
            var role = "urn:com:apple:photo:2020:aux:hdrgainmap"
            /// Boxes that crop, turn or mirror it: names and contents.
            var transforms: [(name: String, content: [UInt8])] = []

            /// One colour, in a square of `side` pixels.
            static func plain(side: Int) throws -> Item {
                let file = BoxFile(try Written.plain(heif_compression_HEVC, side: side))
                let found = HEIFItems(file.bytes.span.bytes)
                let items = try #require(found)
                let item = try #require(items.primary)
                let place = try #require(items.extents[item]?.first)
                let configuration = try #require(items.configurations[item]?.first)
                return Item(
                    kind: "hvc1", size: PixelSize(width: side, height: side), data: Array(file.bytes[place]),
                    configuration: Array(file.bytes[configuration]))
            }

            /// One colour in AV1, in a square of `side` pixels.
            static func plainAV1(side: Int) throws -> Item {
                let file = BoxFile(try Written.plain(heif_compression_AV1, side: side))
                let found = HEIFItems(file.bytes.span.bytes)
                let items = try #require(found)
                let place = try #require(items.primary.flatMap { items.extents[$0]?.first })
                let configuration = try file.content(of: "av1C")
                return Item(
                    kind: "av01", size: PixelSize(width: side, height: side), data: Array(file.bytes[place]),
                    configuration: Array(file.bytes[configuration..<configuration + 4]))
            }

            /// Another picture as it is; its canvas is `side` pixels wide and high if it is an overlay.
            static func derived(_ kind: String, side: Int, layers: Int = 1, canvas: Int? = nil) -> Item {
                let canvas = canvas ?? side
                let sides = [canvas >> 8, canvas & 255, canvas >> 8, canvas & 255].map { UInt8($0) }
                let head = [UInt8](repeating: 0, count: kind == "iovl" ? 10 : 4)
                return Item(
                    kind: kind, size: PixelSize(width: side, height: side),
                    data: kind == "iden" ? [] : head + sides + (kind == "iovl" ? zeros(4 * layers) : []))
            }

            private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

            /// `columns` by `rows` of its parts.
            static func grid(_ columns: Int, _ rows: Int, side: Int) -> Item {
                let size = PixelSize(width: columns * side, height: rows * side)
                let sides = [size.width >> 8, size.width & 255, size.height >> 8, size.height & 255]
                return Item(
                    kind: "grid", size: size, data: ([0, 0, rows - 1, columns - 1] + sides).map { UInt8($0) })
            }
        }

        var items: [Item]
        var brand = "heic"
        /// What refers to what, by a kind of reference.
        var references: [(kind: String, from: Int, to: [Int])] = []
        /// Further items that are named, and nothing else.
        var namedItems = 0
        /// Boxes at the end of the one in which the items are.
        var trailingBoxes: [UInt8] = []

        var bytes: [UInt8] {
            let length = head(offset: 0).count + 8
            return head(offset: length) + box("mdat", items.flatMap { $0.sharesDataOf == nil ? $0.data : [] })
        }

        private func head(offset: Int) -> [UInt8] {
            var (kinds, links): ([UInt8], [UInt8]) = ([], [])
            var (properties, further, associations): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
            var places: [UInt8] = []
            var starts: [Int] = []
            var start = offset
            // Those that only some items have follow the three of each.
            var next = items.count * 3
            for (index, item) in items.enumerated() {
                let number = u16(index + 1)
                kinds += box("infe", [2, 0, 0, 0] + number + [0, 0] + Array(item.kind.utf8) + [0])
                // Three properties for each item: size, role, and its decoder's configuration or nothing.
                properties += box("ispe", u32(0) + u32(item.size.width) + u32(item.size.height))
                properties += box("auxC", u32(0) + Array(item.role.utf8) + [0])
                let decoder = item.kind == "av01" ? "av1C" : "hvcC"
                properties += box(item.configuration == nil ? "free" : decoder, item.configuration ?? [])
                associations += number + [UInt8((item.configuration == nil ? 2 : 3) + item.transforms.count)]
                associations += u16(index * 3 + 1) + u16(index * 3 + 2)
                if item.configuration != nil { associations += u16(index * 3 + 3 | 0x8000) }
                for transform in item.transforms {
                    further += box(transform.name, transform.content)
                    next += 1
                    associations += u16(next | 0x8000)
                }
                let shared = item.sharesDataOf.map { $0 - 1 }
                starts.append(shared.map { starts[$0] } ?? start)
                let count = shared.map { items[$0].data.count } ?? item.data.count
                places += number + [0, 0, 0, 1] + u32(starts[index]) + u32(count)
                if shared == nil { start += count }
            }
            for link in references {
                var content = u16(link.from) + u16(link.to.count)
                for item in link.to { content += u16(item) }
                links += box(link.kind, content)
            }
            let all = items.count + namedItems
            for item in items.count..<all {
                kinds += box("infe", [3, 0, 0, 0] + u32(item + 1) + [0, 0] + Array("mime".utf8) + [0, 0])
            }
            let zeros = [UInt8](repeating: 0, count: 13)
            var meta = u32(0) + box("hdlr", u32(0) + u32(0) + Array("pict".utf8) + zeros)
            meta += box("pitm", u32(0) + u16(1))
            meta += box("iinf", u32(1 << 24) + u32(all) + kinds)
            if !links.isEmpty { meta += box("iref", u32(0) + links) }
            let ipma = box("ipma", u32(1) + u32(items.count) + associations)
            meta += box("iprp", box("ipco", properties + further) + ipma)
            meta += box("iloc", u32(0) + [0x44, 0] + u16(items.count) + places)
            meta += trailingBoxes
            return box("ftyp", Array("\(brand)\0\0\0\0mif1\(brand)".utf8)) + box("meta", meta)
        }

        private func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            u32(content.count + 8) + Array(name.utf8) + content
        }

        private func u16(_ number: Int) -> [UInt8] { Array(BoxFile.u32(number).suffix(2)) }
        private func u32(_ number: Int) -> [UInt8] { BoxFile.u32(number) }
    }

    @Suite(.serialized)
    struct `HEIC files of several pictures` {
        private func decode(_ file: ComposedHEIF) throws -> Bitmap {
            try HEIFCodec().decode(file.bytes.span.bytes, options: DecodeOptions())
        }

        private let tiles = [Int](repeating: 2, count: 48)

        /// As telephones write them: a picture of many tiles, and another that says how bright it is where.
        @Test func `a HEIC may have an auxiliary picture larger than a tile`() throws {
            var file = ComposedHEIF(items: [
                .grid(8, 6, side: 64), try .plain(side: 64), try .plain(side: 400),
            ])
            file.references = [("dimg", 1, tiles), ("auxl", 3, [1])]
            #expect(try decode(file).size == PixelSize(width: 512, height: 384))
        }

        @Test func `a HEIC may have other pictures larger than the primary one`() throws {
            let file = ComposedHEIF(items: [try .plain(side: 64), try .plain(side: 1200)])
            #expect(try decode(file).size == PixelSize(width: 64, height: 64))
        }

        @Test func `a HEIC is rejected for an auxiliary picture that hides its size`() throws {
            var file = ComposedHEIF(items: [try .plain(side: 64), try .plain(side: 1200)])
            file.items[1].role = "urn:mpeg:hevc:2015:auxid:1"
            file.references = [("auxl", 2, [1])]
            #expect(throws: CodecError.corrupt(.heic, reason: "two headers disagree on the size")) {
                try decode(file)
            }
        }

        @Test func `a HEIC is rejected for parts that cover the whole again and again`() throws {
            var file = ComposedHEIF(
                items: [.grid(8, 6, side: 64), .grid(8, 6, side: 64), try .plain(side: 400)])
            let parts = [Int](repeating: 3, count: 48)
            file.references = [("dimg", 1, tiles), ("dimg", 2, parts)]
            #expect(throws: CodecError.corrupt(.heic, reason: "its parts are larger than the whole")) {
                try decode(file)
            }
        }

        @Test func `a HEIC is rejected for parts of parts without end`() throws {
            let grids = (0..<20).map { _ in ComposedHEIF.Item.grid(1, 1, side: 64) }
            var file = ComposedHEIF(items: grids + [try .plain(side: 64)])
            file.references = (1...20).map { ("dimg", $0, [$0 + 1]) }
            #expect(throws: CodecError.self) { try decode(file) }
        }
    }
#endif
