import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

/// Small pictures are deflated in one go, large ones row by row by libspng: what is in the files must be the same.
struct PNGDeflaterTests {
    private static let alphas: [Bitmap.Alpha] = [.opaque, .premultiplied, .straight]

    @Test(arguments: alphas, [1, 2, 3, 5, 15, 16, 17, 33, 64])
    func `both ways write the same picture`(_ alpha: Bitmap.Alpha, _ width: Int) throws {
        for height in [1, 2, 7] {
            let bitmap = try picture(width, height, alpha)
            let quick = try #require(try PNGDeflater.encode(bitmap))
            let slow = try PNGCodec().encodeRowByRow(bitmap)
            #expect(try pixels(quick) == pixels(slow))
            #expect(quick[0..<33] == slow[0..<33], "signature and header")
            if alpha == .straight { #expect(try pixels(quick) == bitmap.bgra) }
        }
    }

    @Test func `files that it writes are read by libspng as well`() throws {
        let bitmap = try picture(37, 23, .opaque)
        let written = try #require(try PNGDeflater.encode(bitmap))
        // A palette, which is a mere proposal here, makes it a file for libspng.
        var file = PNGChunkWriter()
        file.addCopy(written[8..<33])
        file.add("PLTE", [1, 2, 3])
        file.addCopy(written[33...])
        #expect(try PNGCodec().decode(file.bytes).bgra == bitmap.bgra)
    }

    @Test func `what is too large to be deflated in one go is left to libspng`() throws {
        let wide = try PixelBuilder(size: PixelSize(width: 22_500_000, height: 1), alpha: .opaque)
        #expect(try PNGDeflater.encode(wide.freeze()) == nil)
    }

    private func picture(_ width: Int, _ height: Int, _ alpha: Bitmap.Alpha) throws -> Bitmap {
        try .make(width, height, alpha) { x, y in
            let noise = UInt32(truncatingIfNeeded: (x &+ 1) &* 2_654_435_761 &+ y &* 40_503_001)
            switch alpha {
            case .opaque: return noise | 0xFF00_0000
            case .straight: return noise
            case .premultiplied: return noise & 0xFF00_0000 | (noise >> 24) / 2 * 0x10101
            }
        }
    }

    private func pixels(_ file: [UInt8]) throws -> [UInt8] {
        try PNGCodec().decode(file) { $0.keepsStraightAlpha = true }.bgra
    }
}
