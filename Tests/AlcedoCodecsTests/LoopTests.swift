import AlcedoCodecs
import AlcedoPixels
import Testing

@Suite struct `The plays of an animation` {
    private static let most = 65_535
    private static let forPNG = Int(Int32.max)

    /// The plays of the source, and those of the result.
    private static let plays: [(format: EncodedFormat, source: Int, result: Int)] = [
        (.webp, 0, 0), (.webp, 1, 1), (.webp, 2, 2), (.webp, most - 1, most - 1), (.webp, most, most),
        (.webp, most + 1, most), (.webp, most + 2, most), (.webp, .max, most),
        (.gif, 0, 0), (.gif, 1, 1), (.gif, 2, 2), (.gif, most, most), (.gif, most + 1, most + 1),
        (.gif, most + 2, most + 1), (.gif, .max, most + 1),
        (.png, 0, 0), (.png, 1, 1), (.png, most + 2, most + 2), (.png, forPNG, forPNG),
        (.png, forPNG + 1, forPNG), (.png, .max, forPNG),
    ]

    @Test(arguments: plays)
    func `the plays of an animation are as many as the format has`(
        _ format: EncodedFormat, _ source: Int, _ result: Int
    ) throws {
        let frames = try [0xFFFF_0000, 0xFF00_FF00].map { color in
            AnimationFrame(bitmap: try .make(4, 4) { _, _ in color }, duration: 0.1)
        }
        let list = FrameList(
            frames, info: ImageInfo(format: .gif, size: frames[0].bitmap.size, loopCount: source))
        let codec = CodecRegistry()
        let file = try codec.encode(frames: list, as: format, options: EncodeOptions())
        #expect(try Shared.info(file).loopCount == result)
        #expect(try Shared.info(file).frameCount == 2)
    }

    /// A GIF counts the repeats after the first play.
    @Test func `the plays of a GIF with the most repeats become those of a WebP`() throws {
        var gif = GIFBuilder(width: 1, height: 1, loop: 65_535)
        gif.frame(0, 0, 1, 1, fill: 1)
        gif.frame(0, 0, 1, 1, fill: 2)
        let codec = CodecRegistry()
        let frames = try Shared.frames(gif.bytes)
        #expect(frames.info.loopCount == 65_536)
        let webp = try codec.encode(frames: frames, as: .webp, options: EncodeOptions())
        #expect(try Shared.info(webp).loopCount == 65_535)
    }
}
