import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

struct `A quantised or interlaced PNG` {
    private func encoded(_ bitmap: Bitmap, _ configure: (inout EncodeOptions) -> Void) throws -> [UInt8] {
        try PNGCodec().encode(bitmap, as: .png, options: EncodeOptions(configure))
    }

    private func colors(_ bitmap: Bitmap) -> Set<UInt32> {
        bitmap.withUnsafeBytes { Set($0.bindMemory(to: UInt32.self)) }
    }

    /// A gradient of colours, with one of alpha below unless it is opaque.
    private func gradient(_ alpha: Bitmap.Alpha) throws -> Bitmap {
        try Bitmap.make(48, 40, alpha) { x, y in
            let opacity = alpha == .opaque ? 255 : UInt32(min(255, y * 8))
            return opacity << 24 | UInt32(x * 5) << 16 | UInt32(y * 6) << 8 | UInt32(255 - x * 5)
        }
    }

    @Test(arguments: [Bitmap.Alpha.opaque, .straight], [2, 3, 16, 200, 256])
    func `a quantised PNG has no more colours than asked for, which are near`(alpha: Bitmap.Alpha, most: Int)
        throws
    {
        let bitmap = try gradient(alpha)
        let file = try encoded(bitmap) { $0.tuning.paletteColors = most }
        let read = try PNGCodec().decode(file) { $0.keepsStraightAlpha = true }
        #expect(colors(read).count <= most && colors(read).count >= most / 2)
        let difference = try PNGCodec().decode(file).meanDifference(to: premultiplied(bitmap))
        #expect(difference < (most >= 200 ? 6 : most == 16 ? 20 : 70), "\(difference)")
    }

    private func premultiplied(_ bitmap: Bitmap) throws -> Bitmap {
        try PNGCodec().decode(encoded(bitmap) { _ in })
    }

    @Test func `a picture of few colours stays as it is in a quantised PNG`() throws {
        let bitmap = try Bitmap.make(20, 20, .straight) { x, y in
            [0xFF11_2233, 0x8044_5566, 0xFFFF_FFFF][(x + y) % 3]
        }
        let plain = try encoded(bitmap) { _ in }
        #expect(try encoded(bitmap) { $0.tuning.paletteColors = 3 } == plain)
        #expect(try encoded(bitmap) { $0.tuning.paletteColors = 2 } != plain)
    }

    @Test func `a picture of 16 bits a channel has few colours in a quantised PNG, too`() throws {
        let file = try encoded(gradient(.opaque).deepened()) { $0.tuning.paletteColors = 16 }
        #expect(try file[24] <= 8 && colors(PNGCodec().decode(file)).count <= 16)
    }

    @Test func `a quantised PNG has no specks in flat areas`() throws {
        let bitmap = try Bitmap.make(60, 60) { x, y in
            x < 30 ? 0xFF20_4060 : 0xFF00_0000 | UInt32(x * 4) << 16 | UInt32(y * 4) << 8 | UInt32(x + y)
        }
        let read = try PNGCodec().decode(encoded(bitmap) { $0.tuning.paletteColors = 64 })
        let flat = try Set(colors(read.cropped(left: 0, width: 28)))
        #expect(flat.count == 1, "\(flat)")
    }

    @Test(arguments: [(1, 1), (2, 3), (5, 4), (9, 9), (31, 17)])
    func `an interlaced PNG that is written has all pixels`(width: Int, height: Int) throws {
        for alpha in [Bitmap.Alpha.opaque, .straight] {
            let bitmap = try Bitmap.make(width, height, alpha) { x, y in
                UInt32(alpha == .opaque ? 255 : 100 + x) << 24 | UInt32(x * 8) << 16 | UInt32(y * 9) << 8
            }
            for effort in [EncodeEffort.normal, .small] {
                let file = try encoded(bitmap) {
                    ($0.tuning.isInterlaced, $0.effort) = (true, effort)
                }
                #expect(file[28] == 1)
                #expect(try PNGCodec().decode(file) { $0.keepsStraightAlpha = true }.bgra == bitmap.bgra)
            }
        }
    }
}

extension Bitmap {
    fileprivate func cropped(left: Int, width: Int) throws -> Bitmap {
        let bytes = bgra
        return try Bitmap.make(width, height) { x, y in
            let place = (y * self.width + left + x) * 4
            return (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
        }
    }
}
