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
                let small = try #require(try PNGDeflater.encode(bitmap, layout, .small))
                // For multiplied pixels, it has other colours that look the same.
                if alpha == .premultiplied {
                    #expect(try PNGCodec().decode(small).bgra == PNGCodec().decode(slow).bgra)
                } else {
                    #expect(try pixels(small) == pixels(slow))
                }
                #expect(small.count <= quick.count)
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

    @Test func `a PNG is not written if it is not smaller than another`() throws {
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

    /// Each of the four filters that subtract is the best one for some rows.
    @Test func `PNGs that are to be small are filtered row by row, and have the same pixels`() throws {
        var filters: Set<UInt8> = []
        for alpha in [Bitmap.Alpha.opaque, .straight] {
            var values = [[Int]](repeating: [Int](repeating: 0, count: 70), count: 90)
            for y in 0..<90 {
                for x in 0..<70 {
                    let noise = (x &* 2_654_435_761 &+ y &* 2_246_822_519) >> 11 & 0xFFFF
                    let left = x > 0 ? values[y][x - 1] : 0
                    let above = y > 0 ? values[y - 1][x] : 0
                    let corner = x > 0 && y > 0 ? values[y - 1][x - 1] : 0
                    let next =
                        switch y / 18 {
                        case 0: x % 9 == 0 ? 255 : 0
                        case 1: left + 1 + noise % 3
                        case 2: above + 1 + noise % 3
                        case 3: (left + above) / 2 + 3 + noise % 3
                        default: left + above - corner + noise % 2
                        }
                    values[y][x] = next & 255
                }
            }
            let bitmap = try Bitmap.make(70, 90, alpha) { x, y in
                let value = UInt32(values[y][x])
                return (alpha == .opaque ? 0xFF00_0000 : UInt32(x) * 3 << 24) | value * 0x1_0100 | value / 2
            }
            let layout = PNGLayout(alpha == .opaque ? .rgb : .rgba)
            let small = try #require(try PNGDeflater.encode(bitmap, layout, .small))
            #expect(try pixels(small) == bitmap.bgra)
            let fast = try #require(try PNGDeflater.encode(bitmap, layout))
            #expect(small.count < fast.count)
            filters.formUnion(try rowFilters(small, rowBytes: layout.rowBytes(70)))
        }
        #expect(filters.isSuperset(of: [1, 2, 3, 4]))
    }

    /// Each level of each alpha, beside others.
    @Test(arguments: [false, true])
    func `colours that are chosen for small PNGs are the same once they are multiplied`(isInterlaced: Bool)
        throws
    {
        let bitmap = try Bitmap.make(256, 256, .premultiplied) { x, y in
            let levels = [min(x, y), min((x &* 37) & 255, y), min(255 - x, y)].map { UInt32($0) }
            return UInt32(y) << 24 | levels[0] << 16 | levels[1] << 8 | levels[2]
        }
        var layout = PNGLayout(.rgba)
        layout.isInterlaced = isInterlaced
        let small = try #require(try PNGDeflater.encode(bitmap, layout, .small))
        #expect(try PNGCodec().decode(small).bgra == bitmap.bgra)
    }

    @Test(arguments: [PNGHeader.Color.rgba, .greyAlpha])
    func `a shadow in one colour has that colour in a small PNG`(color: PNGHeader.Color) throws {
        let straight: [UInt32] = color == .rgba ? [200, 120, 40] : [120, 120, 120]
        let bitmap = try Bitmap.make(120, 90, .premultiplied) { x, y in
            let distance = (x - 60) * (x - 60) + (y - 45) * (y - 45)
            let alpha = UInt32(max(255 - distance / 20, 0))
            let levels = straight.map { ($0 * alpha + 127) / 255 }
            return alpha << 24 | levels[0] << 16 | levels[1] << 8 | levels[2]
        }
        let small = try #require(try PNGDeflater.encode(bitmap, PNGLayout(color), .small))
        #expect(try PNGCodec().decode(small).bgra == bitmap.bgra)
        let fast = try #require(try PNGDeflater.encode(bitmap, PNGLayout(color)))
        #expect(small.count * 3 < fast.count * 2, "\(small.count), \(fast.count)")
    }

    @Test func `PNGs that are to be small stay unfiltered where that is smaller`() throws {
        // Few samples in no order.
        var state: UInt32 = 1
        let values = (0..<64 * 64).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return state >> 29
        }
        let bitmap = try Bitmap.make(64, 64, .opaque) { x, y in
            let value = values[y * 64 + x]
            return 0xFF00_0000 | (value & 1) * 0xFF_0000 | (value >> 1 & 1) * 0xB000 | (value >> 2) * 0x7F
        }
        let small = try #require(try PNGDeflater.encode(bitmap, PNGLayout(.rgb), .small))
        #expect(try rowFilters(small, rowBytes: 192) == [0])
        #expect(try pixels(small) == bitmap.bgra)
        let file = try PNGCodec().encode(bitmap, as: .png, options: EncodeOptions { $0.effort = .small })
        #expect(try file.count <= PNGCodec().encode(bitmap, as: .png, options: EncodeOptions()).count)
    }

    /// Their way is chosen by samples.
    @Test(arguments: [(512, 300), (300, 96), (20, 900), (6_000, 3)])
    func `large PNGs that are to be small are filtered if they are smooth, and not if they are drawn`(
        width: Int, height: Int
    ) throws {
        let smooth = try Bitmap.make(width, height, .opaque) { x, y in
            let noise = UInt32(truncatingIfNeeded: (x &* 2_654_435_761 &+ y &* 2_246_822_519) >> 11) & 3
            return 0xFF00_0000 | UInt32((x + 2 * y) & 255) << 16 | (UInt32(3 * x / 2 + y) & 127 + noise) << 8
                | noise
        }
        var state: UInt32 = 1
        let tiles = (0..<64).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return 0xFF00_0000 | state >> 8
        }
        let drawn = try Bitmap.make(width, height, .opaque) { x, y in tiles[(x * 7 / 5 ^ y * 3 / 4) & 63] }
        for (bitmap, isFiltered) in [(smooth, true), (drawn, false)] {
            let small = try #require(try PNGDeflater.encode(bitmap, PNGLayout(.rgb), .small))
            #expect(try pixels(small) == bitmap.bgra)
            #expect(try rowFilters(small, rowBytes: 3 * width).isSubset(of: [0]) != isFiltered)
            let fast = try #require(try PNGDeflater.encode(bitmap, PNGLayout(.rgb)))
            #expect(small.count < fast.count)
        }
    }

    /// The filters of the rows of a file with one `IDAT` behind the header.
    private func rowFilters(_ file: [UInt8], rowBytes: Int) throws -> Set<UInt8> {
        let start = try #require(file.firstRange(of: Array("IDAT".utf8))?.upperBound)
        let end = try #require(file.firstRange(of: Array("IEND".utf8))?.lowerBound) - 8
        let body = Array(file[start..<end])
        let height = Int(file[22]) << 8 | Int(file[23])
        let rows = try #require(TextInflater.inflated(body, limit: (rowBytes + 1) * height))
        return Set((0..<height).map { rows[$0 * (rowBytes + 1)] })
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
