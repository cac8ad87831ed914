import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct GIFWritingTests {
    let codec = GIFCodec()

    private func frames(_ bytes: [UInt8]) throws -> [AnimationFrame] {
        let decoder = try codec.frames(bytes)
        var frames: [AnimationFrame] = []
        while let frame = try decoder.next() { frames.append(frame) }
        return frames
    }

    private func written(
        _ frames: [AnimationFrame],
        loopCount: Int = 0,
        _ configure: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> [UInt8] {
        let size = try #require(frames.first).bitmap.size
        let list = FrameList(frames, info: ImageInfo(format: .gif, size: size, loopCount: loopCount))
        return try codec.encode(frames: list, as: .gif, options: EncodeOptions(configure))
    }

    /// The mean square of differences between the colours of two pictures.
    private func error(_ one: Bitmap, _ other: Bitmap) -> Double {
        let pairs = zip(one.bgra, other.bgra)
        return pairs.reduce(0) { $0 + Double((Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1))) }
            / Double(one.byteCount * 3 / 4)
    }

    @Test(arguments: [1, 2, 3, 200, 255, 256])
    func `a written GIF keeps up to 256 colours as they are`(count: Int) throws {
        let bitmap = try Bitmap.make(32, 16) { x, y in
            0xFF00_0000 | UInt32((y * 32 + x) % count) * 0x01_02_03 ^ 0x55_0000
        }
        let read = try codec.decode(codec.encode(bitmap, as: .gif))
        #expect(read.bgra == bitmap.bgra)
        #expect(read.alpha == .opaque)
    }

    @Test func `pixels less than half opaque are clear in a written GIF, and the rest opaque`() throws {
        let bitmap = try Bitmap.make(256, 2, .straight) { x, y in UInt32(x) << 24 | UInt32(y) * 0x80_4020 }
        let read = try codec.decode(codec.encode(bitmap, as: .gif))
        for x in 0..<256 {
            #expect(read.bgra[(256 + x) * 4 + 3] == (x < 128 ? 0 : 255))
            #expect(read.bgra[(256 + x) * 4 + 1] == (x < 128 ? 0 : 0x40))
        }
    }

    @Test func `a written GIF has well chosen colours of a photograph`() throws {
        let photograph = try Shared.decode(Fixture.data("jpeg/testorig.jpg"))
        let plain = try codec.decode(codec.encode(photograph, as: .gif) { $0.isDithered = false })
        // Pillow's median cut, which refines no palette, comes to 22.9 on this picture.
        let plainError = error(plain, photograph)
        #expect(plainError < 18, "\(plainError)")
        let dithered = try codec.decode(codec.encode(photograph, as: .gif))
        let ditheredError = error(dithered, photograph)
        #expect(ditheredError > plainError && ditheredError < 2.5 * plainError, "\(ditheredError)")
    }

    @Test func `dithering of a GIF keeps the mean of a colour between two others`() throws {
        // A ramp of 512 greys and blues has no room in 256 colours.
        let ramp = try Bitmap.make(512, 64) { x, _ in 0xFF00_0000 | UInt32(x / 2) * 0x01_0101 | UInt32(x % 2)
        }
        let read = try codec.decode(codec.encode(ramp, as: .gif))
        func mean(_ bitmap: Bitmap) -> Double {
            Double(bitmap.bgra.reduce(0) { $0 + Int($1) }) / Double(bitmap.byteCount)
        }
        #expect(abs(mean(read) - mean(ramp)) < 0.1)
    }

    @Test(arguments: ["gif/fire.gif", "gif/welcome2.gif"])
    func `a GIF's animation written anew is the same animation`(path: String) throws {
        let bytes = try Fixture.data(path)
        let again = try codec.encode(frames: codec.frames(bytes), as: .gif, options: EncodeOptions())
        let (old, new) = (try frames(bytes), try frames(again))
        #expect(new.map(\.duration) == old.map(\.duration))
        let areEqual = new.map(\.bitmap.bgra) == old.map(\.bitmap.bgra)
        #expect(areEqual)
        #expect(try codec.info(again).loopCount == codec.info(bytes).loopCount)
        #expect(again.count < bytes.count * 3 / 2)
    }

    @Test func `a written GIF's frames with clear parts that come and go are right`() throws {
        let frames = try (0..<6).map { index in
            AnimationFrame(
                bitmap: try .make(9, 7, .premultiplied) { x, y in
                    (x + y + index) % 3 == 0 ? 0 : index % 2 == 0 ? 0xFFFF_0000 : 0xFF00_0000 | UInt32(x)
                },
                duration: 0.1
            )
        }
        let read = try self.frames(written(frames))
        #expect(read.map(\.bitmap.bgra) == frames.map(\.bitmap.bgra))
    }

    @Test func `a written GIF keeps a frame that changes nothing for its time`() throws {
        let bitmap = try Bitmap.make(5, 5) { x, _ in 0xFF00_0000 | UInt32(x) }
        let frames = [0.1, 0.2, 0.3].map { AnimationFrame(bitmap: bitmap, duration: $0) }
        let read = try self.frames(written(frames))
        #expect(read.map(\.duration) == [0.1, 0.2, 0.3])
        #expect(read.allSatisfy { $0.bitmap.bgra == bitmap.bgra })
    }

    @Test func `rounding of a written GIF's durations does not add up`() throws {
        let bitmap = try Bitmap.make(2, 2) { _, _ in .max }
        let frames = (0..<30).map { _ in AnimationFrame(bitmap: bitmap, duration: 1.0 / 30) }
        let read = try self.frames(written(frames))
        #expect(abs(read.reduce(0) { $0 + $1.duration } - 1) < 0.001)
        let odd = [-1, .nan, .infinity, 0].map { AnimationFrame(bitmap: bitmap, duration: $0) }
        #expect(try self.frames(written(odd)).map(\.duration) == [0, 0, 655.35, 0])
    }

    @Test(arguments: [0, 1, 2, 5])
    func `a written GIF plays as often as it should`(count: Int) throws {
        let frames = try [UInt32(0xFF00_0000), .max].map { color in
            AnimationFrame(bitmap: try .make(2, 2) { _, _ in color }, duration: 0.1)
        }
        #expect(try codec.info(written(frames, loopCount: count)).loopCount == count)
    }

    @Test func `the GIF codec rejects no frames, frames of two sizes and other formats`() throws {
        let frames = try [2, 3].map { AnimationFrame(bitmap: try .make($0, 2) { _, _ in .max }, duration: 0) }
        #expect(throws: CodecError.self) { try written(frames) }
        let none = FrameList([], info: ImageInfo(format: .gif, size: PixelSize(width: 1, height: 1)))
        #expect(throws: CodecError.self) {
            try codec.encode(frames: none, as: .gif, options: EncodeOptions())
        }
        #expect(throws: CodecError.self) { try codec.encode(frames[0].bitmap, as: .png) }
        let long = try Bitmap.make(65_536, 1) { _, _ in .max }
        #expect(throws: CodecError.self) { try codec.encode(long, as: .gif) }
    }
}
