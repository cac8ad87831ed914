#if HEIF
    import AlcedoCodecs
    import AlcedoPixels
    import Testing

    @testable import AlcedoHEIF

    /// Items that refer to each other, or to the same bytes, without end.
    @Suite(.serialized)
    struct `Hostile items of a HEIF file` {
        private static let alpha = "urn:mpeg:hevc:2015:auxid:1"

        private let codec = HEIFCodec()

        private func decode(_ file: ComposedHEIF) throws -> Bitmap {
            try codec.decode(file.bytes.span.bytes, options: DecodeOptions())
        }

        private func reason(_ file: ComposedHEIF) -> String {
            do {
                _ = try decode(file)
                return "decoded"
            } catch {
                return "\(error)"
            }
        }

        @Test(arguments: ["grid", "iden", "iovl"], [1, 2, 3])
        func `HEIF items are rejected if they are derived from each other in a circle`(
            _ kind: String, _ count: Int
        ) throws {
            var file = ComposedHEIF(items: (0..<count).map { _ in .derived(kind, side: 64) })
            file.references = (1...count).map { ("dimg", $0, [$0 % count + 1]) }
            #expect(reason(file).contains("in a circle"))
            #expect(throws: CodecError.self) {
                try codec.info(of: file.bytes.span.bytes, limits: DecodeLimits())
            }
            #expect(codec.profile(of: file.bytes.span.bytes, limits: DecodeLimits()) == nil)
        }

        @Test(arguments: ["auxl", "thmb"], [1, 2, 3])
        func `HEIF items are rejected if each is another's alpha or thumbnail`(_ kind: String, _ count: Int)
            throws
        {
            var file = ComposedHEIF(items: [])
            for _ in 0..<count { file.items.append(try .plain(side: 64)) }
            for index in 0..<count { file.items[index].role = Self.alpha }
            file.references = (1...count).map { (kind, $0, [$0 % count + 1]) }
            #expect(reason(file).contains("in a circle"))
        }

        @Test func `HEIF items are rejected if an alpha is derived from what it belongs to`() throws {
            var file = ComposedHEIF(items: [try .plain(side: 64), .derived("iden", side: 64)])
            file.items[1].role = Self.alpha
            file.references = [("auxl", 2, [1]), ("dimg", 2, [1])]
            #expect(reason(file).contains("in a circle"))
        }

        @Test func `a HEIF item may refer to a premultiplied alpha that belongs to the item`() throws {
            var file = ComposedHEIF(items: [try .plain(side: 64), try .plain(side: 64)])
            file.items[1].role = Self.alpha
            file.references = [("auxl", 2, [1]), ("prem", 1, [2])]
            #expect(try decode(file).size == PixelSize(width: 64, height: 64))
        }

        @Test func `a HEIF item may be derived from another picture`() throws {
            for kind in ["grid", "iden", "iovl"] {
                var file = ComposedHEIF(items: [.derived(kind, side: 64), try .plain(side: 64)])
                file.references = [("dimg", 1, [2])]
                #expect(try decode(file).size == PixelSize(width: 64, height: 64))
            }
        }

        @Test(arguments: ["grid", "iovl"])
        func `HEIF items are rejected for a canvas that is larger than they announce`(_ kind: String) throws {
            let canvas = ComposedHEIF.Item.derived(kind, side: 64, canvas: 32_000)
            var file = ComposedHEIF(items: [canvas, try .plain(side: 64)])
            file.references = [("dimg", 1, [2])]
            #expect(reason(file).contains("two headers disagree on the size"))
        }

        @Test func `HEIF items are rejected for a canvas upon a canvas upon a canvas`() throws {
            let canvases = (0..<10).map { _ in ComposedHEIF.Item.derived("iovl", side: 2000) }
            var file = ComposedHEIF(items: canvases + [try .plain(side: 64)])
            file.references = (1...10).map { ("dimg", $0, [$0 + 1]) }
            #expect(reason(file).contains("its parts are larger than the whole"))
        }

        @Test(arguments: ["Exif", "mime"])
        func `HEIF items are rejected if they list the same bytes again and again`(_ kind: String) throws {
            var file = ComposedHEIF(items: [try .plain(side: 64)])
            let metadata = ComposedHEIF.Item(
                kind: kind, size: PixelSize(width: 64, height: 64),
                data: [UInt8](repeating: 0, count: 100_000))
            file.items.append(metadata)
            file.references = [("cdsc", 2, [1])]
            #expect(try decode(file).size == PixelSize(width: 64, height: 64))
            for item in 3...40 {
                file.items.append(metadata)
                file.items[item - 1].sharesDataOf = 2
                file.references.append(("cdsc", item, [1]))
            }
            #expect(reason(file).contains("its items list"))
        }

        @Test(arguments: ["heic", "avif"])
        func `HEIF items are rejected if they are very many`(_ brand: String) throws {
            let picture: ComposedHEIF.Item =
                brand == "avif" ? try .plainAV1(side: 64) : try .plain(side: 64)
            for (count, isAllowed) in [(2048, true), (2049, false)] {
                let metadata = ComposedHEIF.Item(
                    kind: "Exif", size: PixelSize(width: 64, height: 64), data: [0, 0, 0, 0, 0])
                let file = ComposedHEIF(
                    items: [picture] + [ComposedHEIF.Item](repeating: metadata, count: count - 1),
                    brand: brand)
                #expect(reason(file).contains(isAllowed ? "decoded" : "it has 2049 items"))
                let info = try? codec.info(of: file.bytes.span.bytes, limits: DecodeLimits())
                #expect((info != nil) == isAllowed)
            }
        }

        @Test(arguments: ["heic", "avif"])
        func `HEIF items are rejected before a library reads them if they can't be counted`(_ brand: String)
            throws
        {
            let picture: ComposedHEIF.Item =
                brand == "avif" ? try .plainAV1(side: 64) : try .plain(side: 64)
            var file = ComposedHEIF(items: [picture], brand: brand)
            #expect(reason(file).contains("decoded"))
            file.namedItems = 2048
            #expect(reason(file).contains("it has 2049 items"))
            file.namedItems = 70_000
            #expect(reason(file).contains("its boxes are malformed"))
            file.namedItems = 5000
            // The number of the primary item is missing.
            file.trailingBoxes = BoxFile.u32(12) + Array("pitm".utf8) + [0, 0, 0, 0]
            #expect(reason(file).contains("its boxes are malformed"))
            #expect(throws: CodecError.self) {
                try codec.info(of: file.bytes.span.bytes, limits: DecodeLimits())
            }
            // Incomplete, not malformed.
            let cut = file.bytes.prefix(40_000)
            #expect(throws: CodecError.truncated(brand == "avif" ? .avif : .heic)) {
                try codec.info(of: Array(cut).span.bytes, limits: DecodeLimits())
            }
        }

        /// libavif reads those of tracks too, also for a picture that is none of them.
        @Test func `HEIF items are counted in the tracks of an AVIF too`() throws {
            func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
                BoxFile.u32(content.count + 8) + Array(name.utf8) + content
            }
            let picture = ComposedHEIF(items: [try .plainAV1(side: 64)], brand: "avif")
            var track = picture
            for (count, isAllowed) in [(1000, true), (1100, false)] {
                track.namedItems = count - 1
                // The box after the first, which says what the file is.
                let file = track.bytes
                let start = BoxFile(file).number(at: 0)
                let meta = Array(file[start..<start + BoxFile(file).number(at: start)])
                let tracks = box("moov", box("trak", meta) + box("trak", meta))
                let bytes = picture.bytes + tracks
                let info = Result { try codec.info(of: bytes.span.bytes, limits: DecodeLimits()) }
                let isRejected = "\(info)".contains("it has \(2 * count + 1) items")
                #expect(isRejected == !isAllowed, "\(info)")
            }
        }

        @Test func `HEIF items may be more if larger pictures are allowed`() throws {
            var file = ComposedHEIF(items: [try .plainAV1(side: 64)], brand: "avif")
            // Those of 200 megapixels in tiles of 256 by 256, twice.
            file.namedItems = 6100
            #expect(reason(file).contains("it has 6101 items"))
            let limits = DecodeLimits(pixelsPerFrame: 200_000_000)
            let bytes = file.bytes
            #expect(throws: Never.self) { try codec.info(of: bytes.span.bytes, limits: limits) }
            file.namedItems = 6200
            let more = file.bytes
            #expect(throws: CodecError.self) { try codec.info(of: more.span.bytes, limits: limits) }
        }

        @Test func `HEIF items are rejected if they refer to each other very often`() throws {
            var file = ComposedHEIF(items: [try .plain(side: 64), try .plain(side: 64)])
            file.references = (0..<9000).map { _ in ("thmb", 2, [1]) }
            #expect(reason(file).contains("it has 2250 items"))
            // One box may have 65,535 of them.
            file.references = [("thmb", 2, [Int](repeating: 1, count: 65_000))]
            let areRead = HEIFItems(file.bytes.span.bytes) != nil
            #expect(areRead)
            file.references.append(file.references[0])
            #expect(reason(file).contains("its boxes are malformed"))
        }

        @Test(arguments: ["heic", "avif"])
        func `HEIF items are rejected if they are turned again and again`(_ brand: String) throws {
            let picture: ComposedHEIF.Item =
                brand == "avif" ? try .plainAV1(side: 64) : try .plain(side: 64)
            for (count, isAllowed) in [(4, true), (9, false)] {
                for item in [0, 1] {
                    var file = ComposedHEIF(items: [picture, picture], brand: brand)
                    file.items[item].transforms = [(String, [UInt8])](repeating: ("irot", [1]), count: count)
                    if brand == "heic" || !isAllowed {
                        #expect(reason(file).contains(isAllowed ? "decoded" : "turned 9 times"))
                    }
                }
            }
        }

        /// 255 for an item, each of which is a byte that names the same property.
        @Test(arguments: [(257, true), (258, false)])
        func `HEIF items are rejected if they have more than 65,535 properties together`(
            _ count: Int, _ isAllowed: Bool
        ) {
            func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
                BoxFile.u32(content.count + 8) + Array(name.utf8) + content
            }
            let item: [UInt8] = [0, 1, 255] + [UInt8](repeating: 1, count: 255)
            let items = Array([[UInt8]](repeating: item, count: count).joined())
            let ipma = box("ipma", BoxFile.u32(0) + BoxFile.u32(count) + items)
            let iprp = box("iprp", box("ipco", box("irot", [1])) + ipma)
            let file = box("ftyp", Array("heic\0\0\0\0mif1".utf8)) + box("meta", BoxFile.u32(0) + iprp)
            let isRead = HEIFItems(file.span.bytes) != nil
            #expect(isRead == isAllowed)
        }

        @Test func `an AVIF of very many small tiles is rejected`() throws {
            let tile = try ComposedHEIF.Item.plainAV1(side: 64)
            for (rows, isAllowed) in [(8, true), (9, false)] {
                var file = ComposedHEIF(items: [.grid(8, rows, side: 64)], brand: "avif")
                file.items += (0..<8 * rows).map { _ in tile }
                for item in file.items.indices.dropFirst(2) { file.items[item].sharesDataOf = 2 }
                file.references = [("dimg", 1, Array(2...8 * rows + 1))]
                let bytes = file.bytes
                if isAllowed {
                    let info = try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
                    let memory = codec.memory(of: bytes.span.bytes, info: info, options: DecodeOptions())
                    #expect(memory.beside > 64 * AVIFReader.tileBytes)
                    #expect(try decode(file).size == PixelSize(width: 512, height: 512))
                } else {
                    #expect(reason(file).contains("72 tiles are too small"))
                }
            }
        }
    }
#endif
