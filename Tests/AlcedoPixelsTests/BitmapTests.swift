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
        func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? { nil }
    }

    @Test func `the pixels of a builder become the bitmap's, without a copy`() throws {
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
    func `a bitmap of an impossible size is rejected`(_ width: Int, _ height: Int) {
        #expect(throws: CodecError.self) {
            _ = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
        }
    }

    @Test func `a bitmap of more memory than there can be is an error`() {
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

    @Test func `a codec that only reads rejects writing`() throws {
        let none: [UInt8] = []
        let bitmap = try OnePixel().decode(none.span.bytes, options: DecodeOptions())
        #expect(OnePixel().encodableFormats.isEmpty)
        #expect(throws: CodecError.unsupported(.png, reason: "it can be read but not written")) {
            try OnePixel().encode(bitmap, as: .png, options: EncodeOptions())
        }
    }
}

struct `Changing pixels` {
    private func bitmap() throws -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: 2, height: 1), alpha: .premultiplied)
        builder.withUnsafeMutableBytes { $0.copyBytes(from: [1, 2, 3, 255, 4, 5, 6, 255]) }
        return builder.freeze()
    }

    private func brightened(_ bitmap: consuming Bitmap) throws -> Bitmap {
        try bitmap.rewriting(alpha: .opaque) { source, target in
            for index in 0..<8 {
                let byte = source.load(fromByteOffset: index, as: UInt8.self)
                target.storeBytes(of: byte | 128, toByteOffset: index, as: UInt8.self)
            }
        }
    }

    @Test func `changing pixels that nobody else has takes no memory`() throws {
        let bitmap = try bitmap()
        let address = bitmap.unsafeBaseAddress
        let result = try brightened(consume bitmap)
        #expect(result.unsafeBaseAddress == address && result.alpha == .opaque)
        #expect(result.withUnsafeBytes { Array($0) } == [129, 130, 131, 255, 132, 133, 134, 255])
    }

    @Test func `changing pixels that somebody else has makes a copy`() throws {
        let bitmap = try bitmap()
        let result = try brightened(bitmap)
        let edited = try bitmap.editing(alpha: .premultiplied) { $0[0] = 9 }
        #expect(bitmap.withUnsafeBytes { Array($0) } == [1, 2, 3, 255, 4, 5, 6, 255])
        #expect(result.withUnsafeBytes { $0[0] } == 129)
        #expect(edited.withUnsafeBytes { Array($0) } == [9, 2, 3, 255, 4, 5, 6, 255])
    }

    @Test func `changing pixels fails with the block's error, and leaves the bitmap as it is`() throws {
        let bitmap = try bitmap()
        #expect(throws: CodecError.unknownFormat) {
            _ = try bitmap.editing(alpha: .opaque) { pixels throws(CodecError) in
                pixels[0] = 9
                throw .unknownFormat
            }
        }
        #expect(bitmap.withUnsafeBytes { Array($0) } == [1, 2, 3, 255, 4, 5, 6, 255])
    }
}
