#if TIFF
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    @testable import AlcedoTIFF

    struct `The block size of a TIFF` {
        /// Subsampled chroma makes JPEG's smaller than the estimate.
        @Test(
            arguments: Fixture.list("tiff").filter {
                $0.hasSuffix(".tiff") && !$0.hasSuffix("jpeg.tiff") && !$0.hasSuffix("float.tiff")
            })
        func `is the one that libtiff finds`(_ path: String) throws {
            let bytes = try Fixture.data(path)
            let expected = try bytes.withUnsafeBytes { buffer in
                let file = try TIFFFile(buffer, limits: DecodeLimits())
                return (size: file.size, bytes: try file.blocks().bytes)
            }
            let found = TIFFBlocks(bytes.span.bytes)?.byteCount(in: expected.size)
            // libtiff splits one large strip of plain bytes; its four planes are counted even where there are three.
            switch path.split(separator: "/").last {
            case "plain.tiff", "cmyk.tiff", "wide-gamut.tiff": #expect(found ?? 0 > expected.bytes)
            case "planes.tiff", "tiled-planes.tiff": #expect(found == expected.bytes / 4 * 3)
            default: #expect(found == expected.bytes)
            }
        }

        @Test func `of cut and changed bytes is within that of a block that is decoded`() throws {
            let size = PixelSize(width: 61, height: 47)
            for name in ["plain", "bigtiff", "big-endian", "tiled"] {
                let bytes = try Fixture.data("tiff/\(name).tiff")
                for length in stride(from: 0, to: bytes.count, by: 7) {
                    let cut = TIFFBlocks(bytes.span.bytes.extracting(first: length))
                    #expect(cut?.byteCount(in: size) ?? 0 <= size.area * 32 + 4 << 20)
                }
                for offset in bytes.indices.dropFirst(4) {
                    var changed = bytes
                    changed[offset] = 0xFF
                    let found = TIFFBlocks(changed.span.bytes)?.byteCount(in: size) ?? 0
                    #expect((0...size.area * 32 + 4 << 20).contains(found))
                }
            }
        }
    }
#endif
