import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

/// Small pictures are deflated in one go, large ones row by row by libspng: the files must have the same content.
struct PNGDeflaterTests {
    private static let alphas: [Bitmap.Alpha] = [.opaque, .premultiplied, .straight]

    @Test(arguments: alphas, [1, 2, 3, 5, 15, 16, 17, 33, 64])
    func `both ways to deflate a PNG write the same picture`(_ alpha: Bitmap.Alpha, _ width: Int) throws {
        for height in [1, 2, 7] {
            let bitmap = try picture(width, height, alpha)
            let colors = PNGColors(bitmap)
            for layout in [colors.plain, colors.packed(alpha), PNGLayout(alpha == .opaque ? .rgb : .rgba)] {
                guard let layout else { continue }
                let quick = try #require(try PNGDeflater.encode(bitmap, layout))
                let slow = try PNGCodec().encodeRowByRow(bitmap, layout)
                #expect(try pixels(quick) == pixels(slow))
                let shared = 33 + layout.chunkBytes
                #expect(quick[0..<shared] == slow[0..<shared], "signature, header and palette")
                if alpha == .straight { #expect(try pixels(quick) == bitmap.bgra) }
            }
        }
    }

    @Test func `PNGs deflated in one go are read by libspng as well`() throws {
        let bitmap = try picture(37, 23, .opaque)
        let written = try #require(try PNGDeflater.encode(bitmap, PNGLayout(.rgb)))
        // A palette, which is a mere proposal here, makes it a file for libspng.
        var file = PNGChunkWriter()
        file.addCopy(written[8..<33])
        file.add("PLTE", [1, 2, 3])
        file.addCopy(written[33...])
        #expect(try PNGCodec().decode(file.bytes).bgra == bitmap.bgra)
    }

    @Test func `a PNG that is not smaller than another is none`() throws {
        for layout in [PNGLayout(.rgb), PNGColors(try picture(9, 9, .opaque)).packed(.opaque)] {
            guard let layout else { continue }
            let file = try #require(try PNGDeflater.encode(try picture(9, 9, .opaque), layout))
            for (bound, expected) in [(file.count + 1, file), (file.count, nil), (1, nil), (0, nil)] {
                #expect(try PNGDeflater.encode(picture(9, 9, .opaque), layout, below: bound) == expected)
            }
        }
    }

    @Test func `a PNG too large to be deflated in one go is left to libspng`() throws {
        let wide = try PixelBuilder(size: PixelSize(width: 22_500_000, height: 1), alpha: .opaque)
        #expect(try PNGDeflater.encode(wide.freeze(), PNGLayout(.rgb)) == nil)
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
