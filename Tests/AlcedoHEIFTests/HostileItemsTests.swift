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
        func `are rejected if they are derived from each other in a circle`(
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
        func `are rejected if each is another's alpha or thumbnail`(_ kind: String, _ count: Int) throws {
            var file = ComposedHEIF(items: [])
            for _ in 0..<count { file.items.append(try .plain(side: 64)) }
            for index in 0..<count { file.items[index].role = Self.alpha }
            file.references = (1...count).map { (kind, $0, [$0 % count + 1]) }
            #expect(reason(file).contains("in a circle"))
        }

        @Test func `are rejected if an alpha is derived from what it belongs to`() throws {
            var file = ComposedHEIF(items: [try .plain(side: 64), .derived("iden", side: 64)])
            file.items[1].role = Self.alpha
            file.references = [("auxl", 2, [1]), ("dimg", 2, [1])]
            #expect(reason(file).contains("in a circle"))
        }

        @Test func `may refer to a premultiplied alpha that belongs to them`() throws {
            var file = ComposedHEIF(items: [try .plain(side: 64), try .plain(side: 64)])
            file.items[1].role = Self.alpha
            file.references = [("auxl", 2, [1]), ("prem", 1, [2])]
            #expect(try decode(file).size == PixelSize(width: 64, height: 64))
        }

        @Test func `may be derived from another picture`() throws {
            for kind in ["grid", "iden", "iovl"] {
                var file = ComposedHEIF(items: [.derived(kind, side: 64), try .plain(side: 64)])
                file.references = [("dimg", 1, [2])]
                #expect(try decode(file).size == PixelSize(width: 64, height: 64))
            }
        }

        @Test(arguments: ["grid", "iovl"])
        func `are rejected for a canvas that is larger than they announce`(_ kind: String) throws {
            let canvas = ComposedHEIF.Item.derived(kind, side: 64, canvas: 32_000)
            var file = ComposedHEIF(items: [canvas, try .plain(side: 64)])
            file.references = [("dimg", 1, [2])]
            #expect(reason(file).contains("two headers disagree on the size"))
        }

        @Test func `are rejected for a canvas upon a canvas upon a canvas`() throws {
            let canvases = (0..<10).map { _ in ComposedHEIF.Item.derived("iovl", side: 2000) }
            var file = ComposedHEIF(items: canvases + [try .plain(side: 64)])
            file.references = (1...10).map { ("dimg", $0, [$0 + 1]) }
            #expect(reason(file).contains("its parts are larger than the whole"))
        }

        @Test(arguments: ["Exif", "mime"])
        func `are rejected if they list the same bytes again and again`(_ kind: String) throws {
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
        func `are rejected if they are very many`(_ brand: String) throws {
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

        @Test func `are rejected if they refer to each other very often`() throws {
            var file = ComposedHEIF(items: [try .plain(side: 64), try .plain(side: 64)])
            file.references = (0..<9000).map { _ in ("thmb", 2, [1]) }
            #expect(reason(file).contains("it has 2250 items"))
        }

        @Test func `are rejected as an AVIF of very many small tiles`() throws {
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
