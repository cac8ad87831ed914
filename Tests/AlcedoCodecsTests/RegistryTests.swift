import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct RegistryTests {
    /// Accepts bytes that start with an `x`, and PNGs.
    private struct Fake: ImageCodec {
        func format(of bytes: RawSpan) -> EncodedFormat? {
            let first = bytes.byteCount > 0 ? bytes.unsafeLoad(as: UInt8.self) : 0
            return first == 0x78 || first == 0x89 ? EncodedFormat(rawValue: "fake") : nil
        }
        func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            ImageInfo(format: EncodedFormat(rawValue: "fake"), size: PixelSize(width: 1, height: 2))
        }
        func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
            throw .unknownFormat
        }
        func frames(of bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
            throw .unknownFormat
        }
        func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? { nil }
        var encodableFormats: [EncodedFormat] { [.jpeg] }
    }

    @Test(arguments: [
        ("made/progressive.jpg", EncodedFormat.jpeg), ("made/alpha.png", .png), ("made/lossy.webp", .webp),
        ("gif/fire.gif", .gif),
    ])
    func `the content of a file decides about its format, not its name`(
        _ path: String, _ format: EncodedFormat
    ) throws {
        let bytes = try Fixture.data(path)
        #expect(try Shared.info(bytes).format == format)
        #expect(try Shared.decode(bytes).size == Shared.info(bytes).size)
        #expect(try Shared.frames(bytes).next() != nil)
    }

    @Test(arguments: [[], [0x78], Array("<html>".utf8), [0xFF, 0xD8]])
    func `bytes of no known format are an unknown format`(_ bytes: [UInt8]) {
        #expect(throws: CodecError.unknownFormat) { try Shared.info(bytes) }
        #expect(throws: CodecError.unknownFormat) { try Shared.decode(bytes) }
        #expect(throws: CodecError.unknownFormat) { try Shared.frames(bytes) }
        #expect(Shared.profile(bytes) == nil)
    }

    private static let unread: [(bytes: [UInt8], name: String, advice: String)] = [
        ([0xFF, 0x0A, 0, 0], "JPEG XL", "trait JXL"),
        ([0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 10], "JPEG XL", "trait JXL"),
        ([0, 0, 0, 24] + Array("ftypavif".utf8), "AVIF", "trait HEIF"),
        ([0, 0, 0, 24] + Array("ftypmif1".utf8), "HEIC", "trait HEIF"),
        (Array("<?xml version='1.0'?>\n<svg/>".utf8), "SVG", "trait SVG"),
        (Array("BM".utf8) + [9, 0, 0, 0, 0, 0, 0, 0], "BMP", "no codec"),
        ([0x49, 0x49, 0x2A, 0], "TIFF", "trait TIFF"),
        ([0, 0, 0, 12] + Array("jP  \r\n".utf8) + [0x87, 10], "JPEG 2000", "trait JP2"),
        (Array("8BPS".utf8), "PSD", "no codec"),
    ]

    @Test(arguments: unread)
    func `a format that this build does not read is named, with what to do`(
        _ bytes: [UInt8], _ name: String, _ advice: String
    ) throws {
        let error = try #require(throws: CodecError.self) {
            try CodecRegistry().info(of: bytes.span.bytes)
        }
        #expect(error.description.contains(name) && error.description.contains(advice))
    }

    @Test func `the codec registered last is asked first`() throws {
        let registry = CodecRegistry()
        let png = try Fixture.data("made/alpha.png")
        #expect(try registry.info(of: png.span.bytes).format == .png)
        registry.register(Fake())
        #expect(try registry.info(of: png.span.bytes).format.rawValue == "fake")
        let other: [UInt8] = [0x78]
        #expect(try registry.info(of: other.span.bytes).size == PixelSize(width: 1, height: 2))
        #expect(registry.codec(writing: .jpeg) is Fake)
        #expect(registry.codec(writing: .png) is PNGCodec)
    }

    @Test func `the shared registry writes six formats`() throws {
        let bitmap = try Bitmap.make(2, 2) { _, _ in .max }
        for format in [EncodedFormat.jpeg, .png, .webp, .gif, .bmp, .ico] {
            let bytes = try CodecRegistry.shared.encode(bitmap, as: format)
            #expect(try Shared.info(bytes).format == format)
        }
    }

    @Test(arguments: [
        (EncodedFormat.avif, "trait HEIF"), (.heic, "HEVC encoder"), (.jxl, "trait JXL"),
        (.tiff, "trait TIFF"), (.svg, "no codec"),
    ])
    func `a format that nothing writes is rejected, with what to do`(
        _ format: EncodedFormat, _ advice: String
    )
        throws
    {
        let bitmap = try Bitmap.make(2, 2) { _, _ in .max }
        let error = try #require(throws: CodecError.self) {
            try CodecRegistry().encode(bitmap, as: format)
        }
        #expect(error.description.contains("\(format)") && error.description.contains(advice))
    }
}
