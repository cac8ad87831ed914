#if TIFF
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    @testable import AlcedoTIFF

    /// A little-endian file of 64 × 64 grey pixels.
    private struct Written {
        struct Field {
            var tag: Int
            var type = 4
            var count = 1
            /// Nil for where the pixels are.
            var value: Int?
        }

        var compression = 1
        var fields: [Field] = []
        var pixels = [UInt8](repeating: 7, count: 4096)

        var bytes: [UInt8] {
            var all = [(256, 64), (257, 64), (258, 8), (259, compression), (262, 1), (277, 1), (278, 64)]
                .map { Field(tag: $0.0, value: $0.1) }
            all += [Field(tag: 273), Field(tag: 279, value: pixels.count)] + fields
            all.sort { $0.tag < $1.tag }
            let start = 8 + 2 + 12 * all.count + 4
            var bytes: [UInt8] = Array("II*\0".utf8) + u32(8) + u16(all.count)
            for field in all {
                bytes += u16(field.tag) + u16(field.type) + u32(field.count) + u32(field.value ?? start)
            }
            return bytes + u32(0) + pixels
        }

        private func u16(_ number: Int) -> [UInt8] { Array(u32(number).prefix(2)) }
        private func u32(_ number: Int) -> [UInt8] {
            [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    struct `Hostile TIFF` {
        private func decode(_ file: Written, with codec: TIFFCodec = TIFFCodec()) throws -> Bitmap {
            try codec.decode(file.bytes.span.bytes, options: DecodeOptions())
        }

        private func reason(_ file: Written, with codec: TIFFCodec = TIFFCodec()) -> String {
            do {
                _ = try decode(file, with: codec)
                return "decoded"
            } catch {
                return "\(error)"
            }
        }

        @Test(arguments: [(34_661, "JBIG"), (6, "old JPEG"), (34_887, "LERC")])
        func `a TIFF in a compression whose decoder may end the process is rejected, but not in a worker`(
            _ compression: Int, _ name: String
        ) throws {
            let expected = "\(name) compression is decoded in worker processes only"
            // All zeros are an error for each of these decoders.
            let file = Written(compression: compression, pixels: [UInt8](repeating: 0, count: 4096))
            #expect(reason(file).contains(expected))
            let error = #expect(throws: CodecError.self) {
                try TIFFCodec().info(of: file.bytes.span.bytes, limits: DecodeLimits())
            }
            #expect("\(try #require(error))".contains(expected))
            #expect(!reason(file, with: TIFFCodec(isInWorker: true)).contains("worker"))
        }

        @Test func `a TIFF of very many fields with the same bytes is rejected`() throws {
            var file = Written()
            file.pixels = [UInt8](repeating: 7, count: 1 << 20)
            #expect(try decode(file).size == PixelSize(width: 64, height: 64))
            file.fields = [Written.Field(tag: 40_000, type: 7, count: 1 << 20)]
            #expect(try decode(file).size == PixelSize(width: 64, height: 64))
            file.fields += (1..<3500).map { Written.Field(tag: 40_000 + $0, type: 7, count: 1 << 20) }
            #expect(reason(file).contains("the fields of its directory have"))
            #expect(throws: CodecError.self) {
                try TIFFCodec().info(of: file.bytes.span.bytes, limits: DecodeLimits())
            }
        }

        @Test func `fields of a TIFF with counts beyond its end are ignored`() throws {
            var file = Written()
            file.fields = (0..<9).map { Written.Field(tag: 40_000 + $0, type: 12, count: 0xFFFF_FFFF) }
            #expect(try decode(file).size == PixelSize(width: 64, height: 64))
            #expect(TIFFDirectory(file.bytes.span.bytes)?.valueBytes == 0)
        }

        @Test func `a TIFF's estimate of memory has the size of a strip or a tile`() throws {
            for name in ["strips", "tiled", "planes", "tiled-planes", "big-endian", "bigtiff", "grey16"] {
                let bytes = try Fixture.data("tiff/\(name).tiff")
                let found = TIFFDirectory(bytes.span.bytes)
                let directory = try #require(found)
                let file = try bytes.withUnsafeBytes {
                    try TIFFFile($0, limits: DecodeLimits(), isInWorker: false).bytesPerBlock
                }
                #expect(directory.blockBytes >= file, "\(name)")
                #expect(directory.blockBytes <= file * 4, "\(name)")
                #expect(directory.valueBytes < bytes.count, "\(name)")
            }
        }

        @Test func `a truncated or changed TIFF's estimate of memory is one that a decoded file may have`()
            throws
        {
            let info = ImageInfo(format: .tiff, size: PixelSize(width: 61, height: 47))
            func estimate(_ bytes: RawSpan) -> Int {
                TIFFCodec().memory(of: bytes, info: info, options: DecodeOptions()).beside
            }
            let most = TIFFDirectory.mostPlanes * TIFFFile.mostBlockBytes(of: info.size)
            for name in ["plain", "bigtiff", "big-endian", "tiled"] {
                let bytes = try Fixture.data("tiff/\(name).tiff")
                for length in stride(from: 0, to: bytes.count, by: 7) {
                    #expect(
                        (0...most + 5 * length).contains(estimate(bytes.span.bytes.extracting(first: length)))
                    )
                }
                for offset in bytes.indices.dropFirst(4) {
                    var changed = bytes
                    changed[offset] = 0xFF
                    #expect((0...most + 5 * bytes.count).contains(estimate(changed.span.bytes)))
                }
            }
        }

        @Test(arguments: [
            SampleTIFF(bits: 12, extras: [2], isPlanar: true),
            SampleTIFF(photometric: 3, bits: 4, extras: [1]),
            SampleTIFF(bits: 32, number: .float, extras: [1], blocks: .tiles(width: 16, height: 16)),
            SampleTIFF(photometric: 5, bits: 16, extras: [0, 2], isBigEndian: true, compression: .lzw),
        ])
        func `a TIFF with a changed byte in its directory is an error or a picture`(_ file: SampleTIFF) {
            let bytes = file.bytes
            for offset in 8..<220 {
                for value: UInt8 in [0, 1, 2, 0x3F, 0xFF] {
                    var changed = bytes
                    changed[offset] = value
                    do { _ = try TIFFCodec().decode(changed.span.bytes, options: DecodeOptions()) } catch {
                        if case .outOfMemory = error { Issue.record("it was allocated: \(offset) \(value)") }
                    }
                }
            }
        }
    }
#endif
