import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct `What the codecs write` {
    private static let stills: [(any ImageCodec, EncodedFormat)] = [
        (PNGCodec(), .png), (JPEGCodec(), .jpeg), (WebPCodec(), .webp), (GIFCodec(), .gif),
        (BMPCodec(), .bmp),
        (ICOCodec(), .ico),
    ]
    private static let animations: [(any ImageCodec, EncodedFormat)] = [
        (PNGCodec(), .png), (WebPCodec(), .webp), (GIFCodec(), .gif),
    ]

    @Test(arguments: stills.indices, ReadBack.sizes)
    func `the codecs read the images that they write`(_ index: Int, _ size: PixelSize) throws {
        let (codec, format) = Self.stills[index]
        #expect(ReadBack.failures(of: codec, format, size) == [])
    }

    @Test(arguments: animations.indices, ReadBack.sizes)
    func `the codecs read the animations that they write`(_ index: Int, _ size: PixelSize) throws {
        let (codec, format) = Self.animations[index]
        #expect(ReadBack.failures(of: codec, format, size, isAnimated: true) == [])
    }
}
