import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

/// QOI, PNM and TGA; `scripts/make-plain-fixtures.py` writes the files.
struct `Plain formats` {
    private static let size = PixelSize(width: 13, height: 7)
    private static let files = [
        "rgb.qoi", "rgba.qoi", "deep.ppm", "rgba.pam", "grey-alpha.pam", "text.pbm", "text.pgm", "text.ppm",
        "bytes.pbm", "bytes.pgm", "bytes.ppm", "rgb.tga", "rgba.tga", "five-bits.tga", "mirrored.tga",
        "palette.tga", "grey.tga", "runs.tga", "runs-rgba.tga", "runs-palette.tga", "runs-grey.tga",
    ]

    /// The samples of `scripts/make-plain-fixtures.py`, as the file keeps them.
    private static func expected(_ name: String, _ x: Int, _ y: Int) -> [UInt8] {
        let isFlat = (4...6).contains(x)
        let color = isFlat ? [200, 100, 50] : [x * 19, y * 36, x * y * 7 % 256]
        let alpha = 255 - 20 * y
        if name.hasSuffix(".pbm") {
            let level: UInt8 = color[0] < 128 ? 0 : 255
            return [level, level, level, 255]
        }
        if name == "five-bits.tga" {
            return color.map { UInt8(($0 >> 3) << 3 | $0 >> 5) } + [alpha > 200 ? 255 : 0]
        }
        let isGrey = name.contains("grey") || name.hasSuffix(".pgm")
        let levels = (isGrey ? [color[1], color[1], color[1]] : color).map { UInt8($0) }
        return levels + [name.contains("rgba") || name.contains("alpha") ? UInt8(alpha) : 255]
    }

    @Test(arguments: files) func `a QOI, PNM or TGA has the pixels that it was made of`(_ name: String) throws
    {
        let bytes = try Fixture.data("plain/\(name)")
        let info = try Shared.info(bytes)
        #expect(info.size == Self.size && info.isComplete && info.frameCount == 1)
        let hasAlpha = ["rgba", "alpha", "five"].contains { name.contains($0) }
        #expect(info.hasAlpha == hasAlpha)
        let expected = (0..<7).flatMap { y in (0..<13).flatMap { x in Self.expected(name, x, y) } }
        let straight = try Shared.decode(bytes) { $0.keepsStraightAlpha = true }
        #expect(straight.rgba == expected)
        #expect(straight.alpha == (hasAlpha ? .straight : .opaque))
        let bitmap = try Shared.decode(bytes)
        #expect(bitmap.alpha == (hasAlpha ? .premultiplied : .opaque))
        #expect(
            bitmap.bytes(in: PixelLayout(.rgba, .premultiplied))
                == straight.bytes(in: PixelLayout(.rgba, .premultiplied)))
    }

    @Test func `QOI, PNM and TGA are recognised by content`() throws {
        for (name, format) in [("rgb.qoi", EncodedFormat.qoi), ("bytes.ppm", .pnm), ("grey.tga", .tga)] {
            let bytes = try Fixture.data("plain/\(name)")
            #expect(CodecRegistry.shared.codec(for: bytes.span.bytes)?.format(of: bytes.span.bytes) == format)
        }
        // Icons and cursors, texts, boxes of other formats.
        for text in ["P6", "P6x", "P6 word", "P8 1 1", "P7 332\n", "P0 1 1 ", "qoi", "\0\0\u{2}"] {
            let bytes = Array(text.utf8)
            #expect(
                PNMCodec().format(of: bytes.span.bytes) == nil
                    && TGACodec().format(of: bytes.span.bytes) == nil)
        }
        for path in Fixture.list("bmp") + Fixture.list("gif") + Fixture.list("heif") {
            let bytes = try Fixture.data(path)
            #expect(TGACodec().format(of: bytes.span.bytes) == nil, "\(path)")
        }
    }

    @Test(arguments: files) func `a truncated QOI, PNM or TGA is rejected`(_ name: String) throws {
        let bytes = try Fixture.data("plain/\(name)")
        // The end of a QOI is no pixel, nor is the last space of a text.
        let spare = name.hasSuffix(".qoi") ? 8 : name.hasPrefix("text") ? 3 : 0
        for count in 0..<bytes.count - spare {
            let cut = Array(bytes.prefix(count))
            #expect(throws: CodecError.self) { try Shared.decode(cut) }
            guard
                EncodedFormat.pnm
                    == CodecRegistry.shared.codec(for: cut.span.bytes)?.format(of: cut.span.bytes)
            else { continue }
            #expect((try? Shared.info(cut).isComplete) != true, "\(count) bytes")
        }
        if name.hasSuffix(".qoi") {
            let whole = Array(bytes.dropLast(8))
            #expect(try !Shared.info(whole).isComplete && QOICodec().hasAllPixels(whole))
        }
    }

    @Test func `sizes that a QOI, PNM or TGA cannot have are rejected before memory is reserved`() throws {
        var qoi = try Fixture.data("plain/rgb.qoi")
        qoi.replaceSubrange(4..<12, with: [0, 0, 0x1B, 0x58, 0, 0, 0x1B, 0x58])
        #expect(throws: CodecError.truncated(.qoi)) { try Shared.decode(qoi) }
        qoi.replaceSubrange(4..<12, with: [UInt8](repeating: 0xFF, count: 8))
        #expect(throws: CodecError.self) { try Shared.info(qoi) }
        var tga = try Fixture.data("plain/runs.tga")
        tga.replaceSubrange(12..<16, with: [0x58, 0x1B, 0x58, 0x1B])
        #expect(throws: CodecError.truncated(.tga)) { try Shared.decode(tga) }
        for text in ["P5 7000 7000 255\nabc", "P2 7000 7000 255\n1 2", "P1 7000 7000\n1"] {
            #expect(throws: CodecError.truncated(.pnm)) { try Shared.decode(Array(text.utf8)) }
        }
        let limits = DecodeLimits { $0.pixelsPerFrame = 13 * 7 - 1 }
        for name in Self.files {
            #expect(throws: CodecError.limitExceeded(.pixels, value: 91, limit: 90)) {
                try Shared.decode(Fixture.data("plain/\(name)")) { $0.limits = limits }
            }
        }
    }

    @Test(arguments: [
        ("P3 1 1 255\n1 2 x", "no number"), ("P5 0 1 255\n", "no width"), ("P5 1 1 0\na", "largest sample"),
        ("P5 1 1 65536\na", "largest sample"), ("P5 1 99999999999 255\n", "no width"),
        ("P1 1 1\n2", "no number"),
        ("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\nabcde", "5 samples"),
    ])
    func `a damaged PNM says what is wrong`(_ text: String, _ reason: String) {
        let error = #expect(throws: CodecError.self) { try Shared.decode(Array(text.utf8)) }
        #expect(error?.description.contains(reason) == true, "\(error as Any)")
    }

    @Test func `a PNM's samples are scaled, and comments are skipped`() throws {
        let bitmap = try Shared.decode(Array("P3 #a\n 3#b\n1\n7 0 7 3  1 2 9\n4 5 6".utf8))
        // 9 is more than the largest sample.
        #expect(bitmap.rgba == [0, 255, 109, 255, 36, 73, 255, 255, 146, 182, 219, 255])
    }

    @Test func `a PNM keeps samples of up to 16 bits, if they are asked for`() throws {
        func bytes(_ samples: [Int]) -> [UInt8] { samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
        func deep(_ header: String, _ rest: [UInt8]) throws -> Bitmap {
            try Shared.decode(Array(header.utf8) + rest) { $0.colorRetention = .full }
        }
        let colors = [0, 1, 65_535, 300, 20_000, 40_000]
        let rgb = try deep("P6 2 1 65535\n", bytes(colors))
        #expect(
            rgb.withDeepSamples { Array($0) } == [0, 1, 65_535, 65_535, 300, 20_000, 40_000, 65_535])
        #expect(rgb.colorSpace == .sRGB && rgb.alpha == .opaque)
        let text = try deep("P2 3 1 1023\n", Array("0 512 2000".utf8))
        let grey = text.withDeepSamples { Array($0) }
        #expect(
            grey == [0, 0, 0, 65_535, 32_800, 32_800, 32_800, 65_535] + [65_535, 65_535, 65_535, 65_535])
        let pam = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 65535\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n"
        #expect(
            try deep(pam, bytes([60_000, 32_768])).withDeepSamples { Array($0) } == [
                30_000, 30_000, 30_000, 32_768,
            ])
        #expect(throws: CodecError.truncated(.pnm)) { try deep("P2 3 1 1023\n", Array("0 512 ".utf8)) }
        #expect(throws: CodecError.truncated(.pnm)) { try deep("P6 2 1 65535\n", bytes([1, 2])) }
        // 8 bits have all of it.
        #expect(try deep("P6 1 1 255\n", [1, 2, 3]).withDeepSamples { Array($0) } == nil)
        for (header, bits) in [("P6 1 1 65535\n", 16), ("P5 1 1 1023\n", 10), ("P5 1 1 255\n", 8)] {
            let file = Array(header.utf8) + [0, 0, 0, 0, 0, 0]
            #expect(
                PNMCodec().colors(of: file.span.bytes, limits: DecodeLimits()) == StoredColors(bits: bits))
        }
    }

    @Test func `a PAM's header of many lines is rejected`() throws {
        let bytes = Array("P7\n".utf8) + [UInt8](repeating: 0x0A, count: 100)
        #expect(throws: CodecError.corrupt(.pnm, reason: "its header has more than 64 lines")) {
            try Shared.info(bytes)
        }
    }

    @Test func `a colour that a TGA's palette lacks is an error, and a palette without pixels is cut short`()
        throws
    {
        var bytes = try Fixture.data("plain/palette.tga")
        bytes[bytes.count - 1] = 2
        #expect(throws: CodecError.self) { try Shared.decode(bytes) }
        #expect(throws: CodecError.truncated(.tga)) { try Shared.decode(Array(bytes.prefix(30))) }
    }
}
