import AlcedoPixels
import Testing

struct BitmapTests {
    /// A codec of still images that knows one picture.
    private struct OnePixel: ImageCodec {
        func format(of bytes: RawSpan) -> EncodedFormat? { .png }
        func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            ImageInfo(format: .png, size: PixelSize(width: 1, height: 1), frameCount: 9, loopCount: 0)
        }
        func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
            var builder = try PixelBuilder(size: PixelSize(width: 1, height: 1), alpha: .opaque)
            builder.withUnsafeMutableBytes { $0.copyBytes(from: [1, 2, 3, 255]) }
            return builder.freeze()
        }
        func frames(of bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
            try StillFrames(of: bytes, with: self, options: options)
        }
        func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? { nil }
    }

    @Test func `what a builder holds becomes the bitmap, where it is`() throws {
        var builder = try PixelBuilder(size: PixelSize(width: 3, height: 2), alpha: .premultiplied)
        #expect(builder.bytesPerRow == 12)
        let address = builder.withUnsafeMutableBytes { buffer in
            for index in buffer.indices { buffer[index] = UInt8(index) }
            return buffer.baseAddress.map { UInt(bitPattern: $0) }
        }
        let bitmap = builder.freeze()
        #expect(bitmap.byteCount == 24)
        #expect(bitmap.alpha == .premultiplied)
        #expect(bitmap.withUnsafeBytes { Array($0) } == Array(0..<24))
        #expect(UInt(bitPattern: bitmap.unsafeBaseAddress) == address)
        #expect(UInt(bitPattern: bitmap.unsafeBaseAddress) % 64 == 0)
    }

    @Test(arguments: [(0, 1), (-1, 1), (.max, .max)])
    func `impossible sizes are refused`(_ width: Int, _ height: Int) {
        #expect(throws: CodecError.self) {
            _ = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
        }
    }

    @Test func `more memory than there can be is an error`() {
        let size = PixelSize(width: 1 << 30, height: 1 << 28)
        #expect(throws: CodecError.outOfMemory(byteCount: 1 << 60)) {
            _ = try PixelBuilder(size: size, alpha: .opaque)
        }
    }

    @Test func `a still image is an animation of one frame, again and again`() throws {
        let none: [UInt8] = []
        let frames = try OnePixel().frames(of: none.span.bytes, options: DecodeOptions())
        #expect(frames.info.frameCount == 1)
        #expect(frames.info.loopCount == 1)
        for _ in 0..<2 {
            #expect(try frames.next()?.bitmap.withUnsafeBytes { Array($0) } == [1, 2, 3, 255])
            #expect(try frames.next() == nil)
            frames.rewind()
        }
    }

    @Test func `a codec that only reads refuses to write`() throws {
        let none: [UInt8] = []
        let bitmap = try OnePixel().decode(none.span.bytes, options: DecodeOptions())
        #expect(OnePixel().encodableFormats.isEmpty)
        #expect(throws: CodecError.unsupported(.png, reason: "it can be read but not written")) {
            try OnePixel().encode(bitmap, as: .png, options: EncodeOptions())
        }
    }
}
