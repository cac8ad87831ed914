import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Bitmaps that views draw` {
    private let bitmaps = Recorder<Bitmap?>()

    private func decode(_ image: Image, _ side: Int) async {
        await MainActor.run {
            image.decode(drawnAt: PixelSize(width: side, height: side)) { [bitmaps] in bitmaps.append($1) }
        }
    }

    @Test func `drawn bitmaps are decoded once for all that wait for a size`() async throws {
        let codec = HeldCodec(name: UUID().uuidString)
        CodecRegistry.shared.register(codec)
        let image = try Image(decoding: Data(codec.bytes))
        for _ in 0..<20 { await decode(image, 4) }
        for _ in 0..<20 { await decode(image, 2) }
        await codec.gate.waitForArrivals(1)
        codec.gate.open()
        let decoded = await bitmaps.waitFor(count: 40).compactMap(\.self)
        #expect(decoded.count == 40 && Set(decoded.map { ObjectIdentifier($0) }).count == 2)
        #expect(codec.decoded.value == 2)
    }

    @Test
    func `drawn bitmaps are shared while one of them is drawn, also of an image that is decoded`() throws {
        let image = Image(bitmap: try Sample.bitmap(64, 64))
        let size = PixelSize(width: 16, height: 16)
        var first: Bitmap? = try image.decodedPixels(drawnAt: size)
        let other = try image.decodedPixels(drawnAt: PixelSize(width: 8, height: 8))
        #expect(try image.decodedPixels(drawnAt: size) === first)
        #expect(image.pixels(drawnAt: size) === first)
        #expect(image.pixels(drawnAt: other.size) === other)
        weak let unused = first
        first = nil
        #expect(unused == nil)
        #expect(image.pixels(drawnAt: size)?.width == 64)
    }

    @Test func `drawn bitmaps of two sizes both stay while they are drawn`() throws {
        let png = try #require(Image(bitmap: Sample.bitmap(64, 64)).kf.pngRepresentation())
        let image = try Image(decoding: png)
        let large = try image.decodedPixels(drawnAt: PixelSize(width: 32, height: 32))
        let small = try image.decodedPixels(drawnAt: PixelSize(width: 8, height: 8))
        #expect(try image.decodedPixels(drawnAt: large.size) === large)
        #expect(try image.decodedPixels(drawnAt: small.size) === small)
    }
}
