import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

@Suite struct `The layout of a written PNG` {
    private let codec = PNGCodec()

    /// Colour type and depth of what has these colours in no order.
    private static let kinds: [(name: String, color: PNGHeader.Color, depth: Int, colors: [UInt32])] = [
        ("black and white", .grey, 1, [0, 255].map(grey)),
        ("black", .grey, 1, [grey(0)]),
        ("4 greys", .grey, 2, [0, 85, 170, 255].map(grey)),
        ("16 greys", .grey, 4, (0..<16).map { grey($0 * 17) }),
        ("8 of 16 greys", .grey, 4, (0..<8).map { grey($0 * 17) }),
        ("3 other greys", .palette, 2, [1, 85, 255].map(grey)),
        ("17 greys", .grey, 8, (0..<17).map { grey($0 * 15) }),
        ("256 greys", .grey, 8, (0..<256).map(grey)),
        ("256 greys with alpha", .greyAlpha, 8, (0..<256).flatMap { [grey($0), grey($0) & 0x80FF_FFFF] }),
        ("2 colours", .palette, 1, colors(2)), ("3 colours", .palette, 2, colors(3)),
        ("5 colours", .palette, 4, colors(5)), ("16 colours", .palette, 4, colors(16)),
        ("17 colours", .palette, 8, colors(17)), ("256 colours", .palette, 8, colors(256)),
        ("257 colours", .rgb, 8, colors(257)),
        ("4 colours with alpha", .palette, 2, [0, 0xFFFF_0000, 0x8000_FF00, 0x0100_00FF]),
        ("100 with alpha", .palette, 8, (0..<100).map { $0 * 0x0201_0304 }),
        ("300 with alpha", .rgba, 8, (0..<300).map { $0 &* 0x0201_0305 }),
    ]

    private static func grey(_ value: Int) -> UInt32 { 0xFF00_0000 | UInt32(value) * 0x01_0101 }

    private static func colors(_ count: Int) -> [UInt32] {
        (0..<count).map { 0xFF00_0000 | UInt32(truncatingIfNeeded: $0 &* 2_654_435 &+ 77) & 0xFF_FFFF }
    }

    private func noise(
        _ colors: [UInt32], _ side: Int, _ alpha: Bitmap.Alpha = .straight
    ) throws -> Bitmap {
        var random = SeededGenerator(seed: UInt64(colors.count))
        var all = colors
        all += (all.count..<side * side).map { _ in colors[.random(in: colors.indices, using: &random)] }
        all.shuffle(using: &random)
        return try .make(side, side, alpha) { x, y in all[y * side + x] }
    }

    private func header(_ file: [UInt8]) -> (color: Int, depth: Int) { (Int(file[25]), Int(file[24])) }

    @Test(arguments: kinds.indices) func `a written PNG's layout is the smallest that has all its colours`(
        _ index: Int
    ) throws {
        let (name, color, depth, colors) = Self.kinds[index]
        for side in [61, 64] {
            let bitmap = try noise(colors, side)
            let file = try codec.encode(bitmap, as: .png)
            #expect(header(file).color == color.rawValue && header(file).depth == depth, "\(name)")
            let read = try codec.decode(file) { $0.keepsStraightAlpha = true }
            let isExact = read.bgra == bitmap.bgra
            #expect(isExact)
            let isOpaque = colors.allSatisfy { $0 >= 0xFF00_0000 }
            #expect(read.alpha == (isOpaque ? .opaque : .straight))
            #expect(try codec.info(file).hasAlpha == !isOpaque)
            let whole = try codec.encode(bitmap, PNGLayout(isOpaque ? .rgb : .rgba))
            #expect(file.count <= whole.count)
        }
    }

    @Test(arguments: kinds.indices) func `a written PNG keeps premultiplied pixels`(_ index: Int) throws {
        let straight = try noise(Self.kinds[index].colors, 64)
        let file = try codec.encode(straight, as: .png)
        let bitmap = try codec.decode(file)
        let again = try codec.encode(bitmap, as: .png)
        let isExact = try codec.decode(again).bgra == bitmap.bgra
        #expect(isExact)
    }

    @Test func `a written PNG has no alpha if its bitmap is opaque, whatever the fourth byte is`() throws {
        let bitmap = try Bitmap.make(40, 40) { x, y in UInt32(x * 40 + y) << 24 | 0x10_2030 &+ UInt32(x % 3) }
        let file = try codec.encode(bitmap, as: .png)
        #expect(header(file) == (PNGHeader.Color.palette.rawValue, 2))
        let read = try codec.decode(file)
        #expect(read.alpha == .opaque && read.bgra[0..<3] == bitmap.bgra[0..<3])
    }

    /// Colours above their alpha, which some other library's pixels may have.
    @Test func `a written PNG takes premultiplied pixels that can't exist`() throws {
        let bitmap = try Bitmap.make(64, 64, .premultiplied) { x, y in
            [0x10FF_0000, 0x1080_0000, 0x1011_0000, 0xFF00_FF00, 0x1000_0000][(x * 7 + y * 3) % 5]
        }
        let expected = try codec.decode(codec.encode(bitmap, PNGLayout(.rgba))) {
            $0.keepsStraightAlpha = true
        }
        let read = try codec.decode(codec.encode(bitmap, as: .png)) { $0.keepsStraightAlpha = true }
        #expect(read.bgra == expected.bgra)
    }

    @Test func `a written PNG's layout has no palette where differences are smaller`() throws {
        let gradient = try Bitmap.make(256, 256) { _, y in 0xFF00_0000 | UInt32(y) * 0x01_0100 }
        #expect(header(try codec.encode(gradient, as: .png)) == (PNGHeader.Color.rgb.rawValue, 8))
        let dot = try Bitmap.make(1, 1) { _, _ in 0xFF12_3456 }
        #expect(header(try codec.encode(dot, as: .png)) == (PNGHeader.Color.rgb.rawValue, 8))
    }

    @Test func `a written PNG's layout is true colour for an icon`() throws {
        let file = try ICOCodec().encode(noise(Self.colors(2), 16, .opaque), as: .ico)
        #expect(header(Array(file[22...])) == (PNGHeader.Color.rgb.rawValue, 8))
    }

    @Test func `a written PNG's layout stays that of a palette with metadata in front`() throws {
        let bitmap = try noise(Self.colors(9), 64)
        let metadata = MetadataBlocks(exif: EXIFBuilder.tags(orientation: 6), xmp: Array("<x/>".utf8))
        let file = metadata.embedded(in: try codec.encode(bitmap, as: .png), format: .png)
        #expect(header(file) == (PNGHeader.Color.palette.rawValue, 4))
        #expect(try codec.decode(file).bgra == bitmap.bgra)
        #expect(try codec.info(file).orientation == .right)
        #expect(codec.profile(file) == nil)
    }

    // MARK: - Animations

    @Test(arguments: kinds.indices)
    func `a written PNG's layout has the colours of all frames of an animation`(_ index: Int) throws {
        let (_, color, depth, colors) = Self.kinds[index]
        let half = (colors.count + 1) / 2
        // The second frame differs from the first in a part, and the third is the second.
        let first = try noise(Array(colors[..<half]), 48).bgra
        let second = try noise(colors, 48).bgra
        let part = 48 * 20 * 4
        let pictures: [[UInt8]] = [first, Array(first[..<part]) + Array(second[part...]), second, second]
        let frames = try pictures.enumerated().map { index, pixels in
            AnimationFrame(
                bitmap: try .make(48, 48, .straight) { x, y in
                    let start = (y * 48 + x) * 4
                    return (0..<4).reduce(0) { $0 | UInt32(pixels[start + $1]) << UInt32(8 * $1) }
                }, duration: Double(index + 1))
        }
        let list = FrameList(
            frames, info: ImageInfo(format: .png, size: frames[0].bitmap.size, loopCount: 2))
        let file = try codec.encode(frames: list, as: .png, options: EncodeOptions())
        #expect(header(file).color == color.rawValue && header(file).depth == depth)
        let info = try codec.info(file)
        #expect(info.frameCount == 4 && info.loopCount == 2)
        let decoder = try codec.frames(file) { $0.keepsStraightAlpha = true }
        for frame in frames {
            let read = try #require(try decoder.next())
            let isExact = read.bitmap.bgra == frame.bitmap.bgra && read.duration == frame.duration
            #expect(isExact)
        }
    }
}
