#if HEIF
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoTestSupport
    import CHeif
    import Testing

    @testable import AlcedoHEIF

    @Suite(.serialized)
    struct `HEIF files that mean harm` {
        let codec = HEIFCodec()

        private func items(of file: BoxFile) throws -> HEIFItems {
            let items = HEIFItems(file.bytes.span.bytes)
            return try #require(items)
        }

        private func decode(_ bytes: [UInt8], seconds: Double = 30) throws -> Bitmap {
            try codec.decode(
                bytes.span.bytes,
                options: DecodeOptions {
                    $0.keepsStraightAlpha = true
                    $0.limits.seconds = seconds
                })
        }

        @Test(arguments: [heif_compression_HEVC.rawValue, heif_compression_AV1.rawValue])
        func `a HEIC or AVIF whose coded size differs from the announced one is rejected`(
            _ compression: UInt32
        ) throws {
            let format = heif_compression_format(rawValue: compression)
            var file = BoxFile(try Written.plain(format, side: 1200))
            #expect(try decode(file.bytes).size == PixelSize(width: 1200, height: 1200))
            file.claim(side: 64)
            #expect(throws: CodecError.self) { try decode(file.bytes) }
            file.claim(side: 8000)
            #expect(throws: CodecError.self) { try decode(file.bytes) }
        }

        @Test func `a HEIC is measured in what HEVC's decoder is given`() throws {
            var file = BoxFile(try Written.plain(heif_compression_HEVC, side: 1200))
            let items = try items(of: file)
            // Blocks of eight pixels, or of sixteen.
            let coded = HEVCSizes(of: items, in: file.bytes.span.bytes)?.largest
            #expect(try (1200 * 1200...1264 * 1264).contains(#require(coded)))
            let item = try #require(items.primary)
            let start = try #require(items.configurations[item]?.first)
            file.put([255], at: start.lowerBound + 22)
            let malformed = HEVCSizes(of: items, in: file.bytes.span.bytes)?.largest
            #expect(malformed == nil)
            #expect(throws: CodecError.self) { try decode(file.bytes) }
        }

        @Test func `a HEIC whose item has the same bytes many times has no size`() throws {
            let file = BoxFile(try Written.plain(heif_compression_HEVC, side: 64))
            var items = try items(of: file)
            #expect(items.end <= file.bytes.count && items.primary != nil)
            let item = try #require(items.primary)
            let extent = try #require(items.extents[item]?.first)
            items.extents[item] = [Range<Int>](repeating: extent, count: 100_000)
            let repeated = HEVCSizes(of: items, in: file.bytes.span.bytes)?.largest
            #expect(repeated == nil)
        }

        /// 60,000 items of 65,535 places each, which are said to take no bytes.
        @Test func `a HEIC of more places of items than bytes is rejected`() {
            func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
                BoxFile.u32(content.count + 8) + Array(name.utf8) + content
            }
            let item: [UInt8] = [0, 1, 0, 0, 255, 255]
            let items = [[UInt8]](repeating: item, count: 60_000).joined()
            let places: [UInt8] = [0, 0, 0, 0, 0, 0, 0xEA, 0x60] + items
            let meta = box("meta", [0, 0, 0, 0] + box("iloc", places))
            let file = box("ftyp", Array("heic\0\0\0\0mif1".utf8)) + meta
            let isRead = HEIFItems(file.span.bytes) != nil
            #expect(!isRead)
            #expect(throws: CodecError.self) { try decode(file) }
        }

        @Test(arguments: ["still.heic", "deep.avif", "sequence.avif"])
        func `decoding a HEIC or AVIF ends at the time limit`(_ name: String) throws {
            let bytes = try Fixture.data("heif/\(name)")
            #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) { try decode(bytes, seconds: 0) }
        }
    }

    struct `HEIF files that are written otherwise` {
        let codec = HEIFCodec()

        private func decode(_ bytes: [UInt8]) throws -> Bitmap {
            try codec.decode(
                bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
        }

        private func info(_ bytes: [UInt8]) throws -> ImageInfo {
            try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
        }

        @Test(arguments: [8, 10])
        func `grey of limited range in an AVIF goes from black to white`(_ depth: Int) throws {
            let bitmap = try decode(Written.limitedGrey(width: 64, height: 8, depth: depth))
            for x in [0, 20, 40, 63] {
                let expected = 255 * (219 * x / 63) / 219
                bitmap.withUnsafeBytes { pixels in
                    for channel in 0..<3 {
                        #expect(abs(Int(pixels[(4 * 64 + x) * 4 + channel]) - expected) <= 2)
                    }
                }
            }
        }

        @Test func `an AVIF's turns may come before its size`() throws {
            var file = try BoxFile(fixture: "turned.avif")
            let plain = try decode(file.bytes)
            let start = try #require(file.bytes.firstRange(of: [6, 1, 2, 0x83, 4, 0x85, 0x86])).lowerBound
            file.put([6, 0x85, 0x86, 1, 2, 0x83, 4], at: start)
            #expect(try info(file.bytes).size == plain.size)
            #expect(try decode(file.bytes).hasSamePixels(as: plain))
        }

        @Test func `the last box of an AVIF may leave its length open`() throws {
            var file = try BoxFile(fixture: "deep.avif")
            let plain = try decode(file.bytes)
            let meta = try file.content(of: "meta") - 8
            let length = file.number(at: meta)
            let place = try file.content(of: "iloc") + 14
            file.put(BoxFile.u32(file.number(at: place) - length), at: place)
            file.put([0, 0, 0, 0], at: meta)
            let moved = file.bytes[meta..<(meta + length)]
            file.bytes = Array(file.bytes[..<meta] + file.bytes[(meta + length)...] + moved)
            #expect(try info(file.bytes).isComplete)
            #expect(try decode(file.bytes).hasSamePixels(as: plain))
        }

        @Test func `depth in an AVIF is not alpha`() throws {
            var file = try BoxFile(fixture: "sequence-alpha.avif")
            #expect(try info(file.bytes).hasAlpha)
            file.replace("auxiliary:alpha", with: "auxiliary:depth")
            #expect(try !info(file.bytes).hasAlpha)
            #expect(try decode(file.bytes).alpha == .opaque)
            var still = try BoxFile(fixture: "alpha.avif")
            still.replace("auxiliary:alpha", with: "auxiliary:depth")
            #expect(try !info(still.bytes).hasAlpha)
            #expect(try decode(still.bytes).alpha == .opaque)
        }

        @Test(arguments: [3, 10, 11, 13, 14, 200])
        func `unknown matrix coefficients of an AVIF are rejected`(_ matrix: UInt8) throws {
            var file = try BoxFile(fixture: "p3.avif")
            let place = try file.content(of: "nclx")
            file.put([matrix], at: place + 5)
            #expect { try decode(file.bytes) } throws: { error in
                guard case CodecError.unsupported(.avif, let reason) = error else { return false }
                return reason.contains("\(matrix)")
            }
        }

        @Test(arguments: ["still.heic", "deep.avif", "alpha.avif", "sequence.avif"])
        func `anything may follow a HEIC or AVIF`(_ name: String) throws {
            let bytes = try Fixture.data("heif/\(name)")
            let plain = try decode(bytes)
            for rest in [
                [0], [1, 2, 3, 4, 5, 6, 7], Array("\0\0\u{1}\0junkjunk".utf8),
                [UInt8](repeating: 255, count: 99),
            ] {
                #expect(try info(bytes + rest) == info(bytes))
                #expect(try decode(bytes + rest).hasSamePixels(as: plain))
            }
        }

        @Test(arguments: ["still.heic", "deep.avif", "sequence.avif"])
        func `nothing may be missing at the end of a HEIC or AVIF`(_ name: String) throws {
            let bytes = try Fixture.data("heif/\(name)")
            for count in [1, 2, 5, 30] {
                let cut = Array(bytes.dropLast(count))
                #expect(throws: CodecError.self) { try decode(cut) }
                #expect((try? info(cut))?.isComplete != true)
            }
        }
    }
#endif
