import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

struct `Alpha of a WebP` {
    private let codec = WebPCodec()

    /// A lossless file that says, or does not, that its alpha is used.
    private func lossless(usesAlpha: Bool) throws -> [UInt8] {
        let bitmap = try Bitmap.make(20, 10, .straight) { x, y in UInt32(x * 12) << 24 | 0x40_80C0 + UInt32(y)
        }
        var bytes = try codec.encode(bitmap, as: .webp) { $0.isLossless = true }
        let start = try #require(bytes.firstRange(of: Array("VP8L".utf8))).upperBound + 4
        #expect(bytes[start] == 0x2F && bytes[start + 4] & 0x10 != 0)
        if !usesAlpha { bytes[start + 4] &= ~0x10 }
        return bytes
    }

    /// The same in an extended file with a flag for alpha.
    private func extended(_ bytes: [UInt8], isFlagged: Bool) -> [UInt8] {
        let canvas: [UInt8] = [isFlagged ? 0x10 : 0, 0, 0, 0, 19, 0, 0, 9, 0, 0]
        let chunks = Array("WEBPVP8X".utf8) + [10, 0, 0, 0] + canvas + Array(bytes[12...])
        return Array("RIFF".utf8) + [UInt8(chunks.count & 255), UInt8(chunks.count >> 8), 0, 0] + chunks
    }

    @Test func `a WebP's alpha is 255 where a lossless file does not use it`() throws {
        let bytes = try lossless(usesAlpha: false)
        let used = try codec.decode(lossless(usesAlpha: true)) { $0.keepsStraightAlpha = true }
        #expect(used.alpha == .straight)
        for file in [bytes, extended(bytes, isFlagged: true), extended(bytes, isFlagged: false)] {
            #expect(try !codec.info(file).hasAlpha)
            for straight in [false, true] {
                let bitmap = try codec.decode(file) { $0.keepsStraightAlpha = straight }
                #expect(bitmap.alpha == .opaque)
                let isEqual =
                    bitmap.bgra == used.bgra.enumerated().map { $0.offset % 4 == 3 ? 255 : $0.element }
                #expect(isEqual)
            }
            let small = try codec.decode(file) { $0.atLeast = PixelSize(width: 7, height: 3) }
            #expect(
                small.alpha == .opaque
                    && small.bgra.enumerated().allSatisfy { $0.offset % 4 < 3 || $0.element == 255 })
        }
    }

    @Test func `a WebP's alpha hides colours, also of a file that is scaled`() throws {
        let bytes = try Fixture.data("made/hidden-colours.webp")
        for size in [
            PixelSize(width: 20, height: 14), PixelSize(width: 48, height: 32),
            PixelSize(width: 96, height: 64),
        ] {
            let bitmap = try codec.decode(bytes) { $0.atLeast = size }
            #expect(bitmap.width >= size.width && bitmap.height >= size.height)
            let reds = stride(from: 2, to: bitmap.byteCount, by: 4).map { bitmap.bgra[$0] }
            #expect(reds.max() ?? 255 <= 4)
        }
    }
}
