import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct RoundTripTests {
    /// Every alpha with assorted colours, among them colour where alpha is 0.
    private func straight() throws -> Bitmap {
        try .make(256, 5, .straight) { x, y in
            UInt32(x) << 24 | UInt32(truncatingIfNeeded: (x &* 2_654_435 &+ y &* 40_503_001) & 0xFF_FFFF)
        }
    }

    /// Every pair of alpha and a colour that it allows.
    private func premultiplied() throws -> Bitmap {
        try .make(256, 256, .premultiplied) { x, y in
            let value = UInt32(min(x, y))
            return UInt32(y) << 24 | value << 16 | (UInt32(y) - value) << 8 | value / 2
        }
    }

    private static let lossless: [any ImageCodec] = [PNGCodec(), WebPCodec(), BMPCodec(), ICOCodec()]

    @Test(arguments: [EncodedFormat.jpeg, .webp], [Double.nan, .infinity, -.infinity, -1, 2])
    func `a quality out of range is taken for the nearest`(_ format: EncodedFormat, _ quality: Double) throws
    {
        let bitmap = try Bitmap.make(33, 17) { x, y in 0xFF00_0000 | UInt32(x * 7000 + y * 99) & 0xFF_FFFF }
        func encode(_ quality: Double) throws -> [UInt8] {
            try CodecRegistry().encode(bitmap, as: format, options: EncodeOptions(quality: quality))
        }
        #expect(try encode(quality) == encode(quality > 1 ? 1 : 0))
    }

    @Test(arguments: lossless.indices)
    func `straight pixels survive a round trip bit for bit`(_ index: Int) throws {
        let codec = Self.lossless[index]
        let bitmap = try straight()
        let bytes = try codec.encode(bitmap, as: codec.encodableFormats[0]) { $0.isLossless = true }
        let read = try codec.decode(bytes) { $0.keepsStraightAlpha = true }
        #expect(read.alpha == .straight)
        let isExact = read.bgra == bitmap.bgra
        #expect(isExact)
    }

    @Test(arguments: lossless.indices)
    func `premultiplied pixels survive a round trip bit for bit`(_ index: Int) throws {
        let codec = Self.lossless[index]
        let bitmap = try premultiplied()
        let bytes = try codec.encode(bitmap, as: codec.encodableFormats[0]) { $0.isLossless = true }
        let read = try codec.decode(bytes)
        #expect(read.alpha == .premultiplied)
        let isExact = read.bgra == bitmap.bgra
        #expect(isExact)
    }

    @Test(arguments: lossless.indices)
    func `opaque pixels survive a round trip without an alpha channel`(_ index: Int) throws {
        let codec = Self.lossless[index]
        let bitmap = try Bitmap.make(33, 17) { x, y in
            0xFF00_0000 | UInt32(x * 70_000 + y * 9999) & 0xFF_FFFF
        }
        let bytes = try codec.encode(bitmap, as: codec.encodableFormats[0]) { $0.isLossless = true }
        #expect(try codec.info(bytes).hasAlpha == false)
        let read = try codec.decode(bytes)
        #expect(read.alpha == .opaque)
        #expect(read.bgra == bitmap.bgra)
    }

    @Test func `a lossless PNG of a decoded PNG is the same picture`() throws {
        for path in Fixture.list("pngsuite/png").filter({ $0.contains("/basn") || $0.contains("/tb") }) {
            let bitmap = try PNGCodec().decode(Fixture.data(path)) { $0.keepsStraightAlpha = true }
            let written = try PNGCodec().encode(bitmap, as: .png)
            let again = try PNGCodec().decode(written) { $0.keepsStraightAlpha = true }
            #expect(again.alpha == bitmap.alpha)
            #expect(again.bgra == bitmap.bgra, "\(path)")
        }
    }

    @Test(arguments: [false, true])
    func `a JPEG of good quality is close to its original`(_ isProgressive: Bool) throws {
        let bitmap = try PNGCodec().decode(Fixture.data("made/sampling-444.jpg.png"))
        let bytes = try JPEGCodec().encode(bitmap, as: .jpeg) {
            $0.quality = 0.97
            $0.isProgressive = isProgressive
        }
        let difference = try #require(largestDifference(try JPEGCodec().decode(bytes).bgra, bitmap.bgra))
        #expect(difference <= 24)
        #expect((bytes.firstRange(of: [0xFF, 0xC2]) != nil) == isProgressive)
    }

    @Test func `a higher quality never makes a smaller file, and none is out of range`() throws {
        let bitmap = try PNGCodec().decode(Fixture.data("made/scalable.jpg.png"))
        for codec in [JPEGCodec(), WebPCodec()] as [any ImageCodec] {
            let sizes = try [-1.0, 0.5, 0.9, 7].map { quality in
                try codec.encode(bitmap, as: codec.encodableFormats[0]) { $0.quality = quality }.count
            }
            #expect(sizes == sizes.sorted())
            let nothing = try codec.encode(bitmap, as: codec.encodableFormats[0]) { $0.quality = .nan }.count
            #expect(nothing == sizes[0])
        }
    }

    @Test(arguments: [Bitmap.Alpha.straight, .premultiplied])
    func `a JPEG lays transparent pixels over white`(_ alpha: Bitmap.Alpha) throws {
        let red: UInt32 = alpha == .straight ? 0x80FF_0000 : 0x8080_0000
        let bitmap = try Bitmap.make(16, 16, alpha) { x, _ in x < 8 ? red : 0 }
        let read = try JPEGCodec().decode(JPEGCodec().encode(bitmap, as: .jpeg) { $0.quality = 1 }).bgra
        #expect(try #require(largestDifference([UInt8](read.prefix(4)), [127, 127, 255, 255])) <= 2)
        #expect(try #require(largestDifference([UInt8](read.suffix(4)), [255, 255, 255, 255])) <= 2)
    }

    @Test func `a lossy WebP keeps alpha`() throws {
        let bitmap = try Bitmap.make(32, 32, .premultiplied) { x, _ in x < 16 ? 0xFF40_4040 : 0x8020_2020 }
        let read = try WebPCodec().decode(WebPCodec().encode(bitmap, as: .webp))
        #expect(read.alpha == .premultiplied)
        #expect(try #require(largestDifference(read.bgra, bitmap.bgra)) <= 8)
    }

    @Test func `a side too long for a format is rejected`() throws {
        let long = try Bitmap.make(65501, 1) { _, _ in .max }
        #expect(throws: CodecError.self) { try JPEGCodec().encode(long, as: .jpeg) }
        #expect(throws: CodecError.self) { try WebPCodec().encode(long, as: .webp) }
        #expect(throws: CodecError.self) { try ICOCodec().encode(long, as: .ico) }
        for codec in [PNGCodec(), BMPCodec()] as [any ImageCodec] {
            let format = codec.encodableFormats[0]
            #expect(try codec.info(codec.encode(long, as: format)).size == long.size)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 255, 256])
    func `rows of any length survive a round trip`(_ width: Int) throws {
        let bitmap = try Bitmap.make(width, 3) { x, y in
            0xFF00_0000 | UInt32(x * 65_793 + y * 4_660) & 0xFF_FFFF
        }
        for codec in [BMPCodec(), ICOCodec()] as [any ImageCodec] {
            let format = codec.encodableFormats[0]
            let bytes = try codec.encode(bitmap, as: format)
            #expect(try codec.info(bytes) == ImageInfo(format: format, size: bitmap.size))
            #expect(try codec.decode(bytes).bgra == bitmap.bgra)
        }
    }

    @Test func `a codec rejects another's format`() throws {
        let bitmap = try Bitmap.make(1, 1) { _, _ in .max }
        for codec in [JPEGCodec(), PNGCodec(), WebPCodec(), GIFCodec(), BMPCodec(), ICOCodec()]
            as [any ImageCodec]
        {
            #expect(throws: CodecError.self) { try codec.encode(bitmap, as: .heic) }
        }
    }
}
