import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

/// A PNG of 16 bits a channel.
struct DeepPNG {
    var width: Int
    var height: Int
    /// Grey, grey and alpha, RGB or RGBA.
    var channels = 3
    var isInterlaced = false
    /// The chunks before the pixels.
    var chunks: [UInt8] = []
    var sample: (_ x: Int, _ y: Int, _ channel: Int) -> Int

    static func profile(_ profile: [UInt8]) -> [UInt8] {
        PNGBuilder.chunk("iCCP", [0x61, 0, 0] + PNGBuilder.stored(profile))
    }

    static func codePoints(_ primaries: UInt8, _ transfer: UInt8) -> [UInt8] {
        PNGBuilder.chunk("cICP", [primaries, transfer, 0, 1])
    }

    var bytes: [UInt8] {
        let color: UInt8 = [0, 0, 4, 2, 6][channels]
        let sizes = ProfileBuilder.u32(width) + ProfileBuilder.u32(height)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + PNGBuilder.chunk("IHDR", sizes + [16, color, 0, 0, isInterlaced ? 1 : 0]) + chunks
            + PNGBuilder.chunk("IDAT", PNGBuilder.stored(rows)) + PNGBuilder.chunk("IEND", [])
    }

    /// First column and step, first row and step of each pass.
    private static let passes = [
        (0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2),
    ]

    private var rows: [UInt8] {
        var rows: [UInt8] = []
        for pass in isInterlaced ? Self.passes : [(0, 1, 0, 1)] where pass.0 < width {
            for y in stride(from: pass.2, to: height, by: pass.3) {
                rows.append(0)
                for x in stride(from: pass.0, to: width, by: pass.1) {
                    for channel in 0..<channels { rows += ProfileBuilder.u16(sample(x, y, channel)) }
                }
            }
        }
        return rows
    }
}

struct `Colours of more than 8 bits` {
    private static let encodings: [ExactColor] = [
        .linear, .displayP3, .adobeRGB, .proPhoto, .pq, .hlg,
    ]

    /// A ramp in each channel and in all of them.
    private static func ramps(_ x: Int, _ y: Int, _ channel: Int) -> Int {
        let level = x * 65535 / 1023
        return y % 4 == 3 || y % 4 == channel ? level : [0, 9000, 40000][(channel + y) % 3]
    }

    private func decode(_ bytes: [UInt8], isDithered: Bool = false) throws -> Bitmap {
        try Shared.decode(bytes) {
            $0.keepsStraightAlpha = true
            $0.limits.isDithered = isDithered
        }
    }

    /// The largest difference to exact levels.
    private func difference(
        _ bitmap: Bitmap, _ exact: (_ x: Int, _ y: Int) -> [Double]
    ) -> Double {
        let pixels = bitmap.rgba
        var largest = 0.0
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width {
                for (channel, level) in exact(x, y).enumerated() {
                    largest = max(largest, abs(Double(pixels[(y * bitmap.width + x) * 4 + channel]) - level))
                }
            }
        }
        return largest
    }

    private func levels(_ bitmap: Bitmap) -> Int {
        Set(stride(from: 0, to: bitmap.byteCount, by: 4).map { bitmap.bgra[$0] }).count
    }

    @Test(arguments: encodings) func `colours of more than 8 bits are converted exactly by their profile`(
        _ encoding: ExactColor
    ) throws {
        let png = DeepPNG(
            width: 1024, height: 4, chunks: DeepPNG.profile(ProfileBuilder.matrix(encoding).bytes),
            sample: Self.ramps)
        let exact = { (x: Int, y: Int) in encoding.sRGB((0..<3).map { Double(Self.ramps(x, y, $0)) / 65535 })
        }
        let rounded = try difference(decode(png.bytes), exact)
        let dithered = try difference(decode(png.bytes, isDithered: true), exact)
        // A profile's curves and matrix have 16 bits.
        #expect(rounded < 0.8 && dithered < 1.3, "\(rounded) and \(dithered)")
    }

    @Test(
        arguments: [(12, 13, .displayP3), (9, 16, .pq), (9, 18, .hlg), (1, 8, .linear)]
            as [(UInt8, UInt8, ExactColor)])
    func `colours of code points in 16 bits are exact, whether a chunk or a profile names them`(
        _ primaries: UInt8, _ transfer: UInt8, _ encoding: ExactColor
    ) throws {
        var png = DeepPNG(
            width: 1024, height: 4, chunks: DeepPNG.codePoints(primaries, transfer), sample: Self.ramps)
        let exact = { (x: Int, y: Int) in encoding.sRGB((0..<3).map { Double(Self.ramps(x, y, $0)) / 65535 })
        }
        let bitmap = try decode(png.bytes)
        let difference = difference(bitmap, exact)
        #expect(difference < 0.55, "\(difference)")
        var profile = ProfileBuilder.matrix(gamma: 1.4)
        profile.addCodePoints(primaries, transfer)
        png.chunks = DeepPNG.profile(profile.bytes)
        #expect(try decode(png.bytes).hasSamePixels(as: bitmap))
    }

    @Test func `colours of code points in a profile apply to 8 bits too, unless they are unknown`() throws {
        let bytes = try Fixture.data("pngsuite/png/basn2c08.png")
        func decode(_ chunk: [UInt8]) throws -> [UInt8] {
            try Shared.decode(Array(bytes[..<33]) + chunk + Array(bytes[33...])).bgra
        }
        var profile = ProfileBuilder.matrix(gamma: 1.4)
        let plain = try decode(DeepPNG.profile(profile.bytes))
        profile.addCodePoints(9, 16)
        let isHDR = try decode(DeepPNG.profile(profile.bytes)) == decode(DeepPNG.codePoints(9, 16))
        profile.addCodePoints(9, 2)
        let isUnknown = try decode(DeepPNG.profile(profile.bytes)) == plain
        #expect(isHDR && isUnknown)
    }

    @Test func `a dark ramp of 16 bits has all levels`() throws {
        let sample = { (x: Int, _: Int, _: Int) in x * 16 }
        let png = DeepPNG(
            width: 256, height: 1, chunks: DeepPNG.profile(ProfileBuilder.matrix(.linear).bytes),
            sample: sample)
        let bitmap = try decode(png.bytes)
        let exact = Set((0..<256).map { ExactColor.level(Double($0 * 16) / 65535).rounded() })
        #expect(exact.count == 72)
        #expect(levels(bitmap) == 72)
    }

    @Test(arguments: [1.0, 1.8, 2.6]) func `grey is converted exactly by its profile in 8 and in 16 bits`(
        _ gamma: Double
    ) throws {
        let profile = ProfileBuilder.grey(.gamma(gamma)).bytes
        let exact = { (x: Int, _: Int) in
            let level = ExactColor.level(ExactColor.Transfer.gamma(gamma).light(Double(x) / 255))
            return [level, level, level]
        }
        let png = DeepPNG(width: 256, height: 1, channels: 1, chunks: DeepPNG.profile(profile)) { x, _, _ in
            x * 257
        }
        #expect(try difference(decode(png.bytes), exact) < 0.65)
        let transform = try #require(ColorTransform.toSRGB(from: profile, layout: .grey))
        var builder = try PixelBuilder(size: PixelSize(width: 256, height: 1), alpha: .opaque)
        builder.withUnsafeMutableBytes { bytes in
            for x in 0..<1024 { bytes[x] = x % 4 == 3 ? 255 : UInt8(x / 4) }
            transform.apply(to: PixelRows(bytes, PixelSize(width: 256, height: 1)))
        }
        #expect(difference(builder.freeze(), exact) < 0.65)
    }

    // MARK: - Tables

    /// L*a*b* that depends on each channel linearly, so that a table of two points has it exactly.
    private static func lab(inks: [Double]) -> [Double] {
        let (cyan, magenta, yellow, black) = (inks[0], inks[1], inks[2], inks[3])
        return [
            100 - 20 * (cyan + magenta) - 10 * yellow - 50 * black, 40 * (magenta - cyan),
            40 * (yellow - (cyan + magenta) / 2),
        ]
    }

    private static func lab(rgb: [Double]) -> [Double] {
        [30 * rgb[0] + 60 * rgb[1] + 10 * rgb[2], 50 * (rgb[0] - rgb[1]), 40 * (rgb[1] - rgb[2])]
    }

    @Test func `colours are converted exactly by a profile's table in 8 and in 16 bits`() throws {
        let profile = ProfileBuilder.corners("RGB ", Self.lab(rgb:)).bytes
        let png = DeepPNG(width: 1024, height: 4, chunks: DeepPNG.profile(profile), sample: Self.ramps)
        let deep = try difference(decode(png.bytes)) { x, y in
            ExactColor.sRGB(lab: Self.lab(rgb: (0..<3).map { Double(Self.ramps(x, y, $0)) / 65535 }))
        }
        let transform = try #require(ColorTransform.toSRGB(from: profile, layout: .rgba))
        let size = PixelSize(width: 256, height: 4)
        let sample = { (x: Int, y: Int, channel: Int) in Self.ramps(x * 4, y, channel) >> 8 }
        var builder = try PixelBuilder(size: size, alpha: .opaque)
        builder.withUnsafeMutableBytes { bytes in
            for index in 0..<size.area {
                for channel in 0..<3 {
                    bytes[index * 4 + channel] = UInt8(sample(index % 256, index / 256, channel))
                }
                bytes[index * 4 + 3] = 255
            }
            transform.apply(to: PixelRows(bytes, size))
        }
        let shallow = difference(builder.freeze()) { x, y in
            ExactColor.sRGB(lab: Self.lab(rgb: (0..<3).map { Double(sample(x, y, $0)) / 255 }))
        }
        #expect(deep < 0.6 && shallow < 0.6, "\(deep) and \(shallow)")
    }

    /// What JPEG, TIFF and JPEG 2000 convert CMYK with.
    @Test func `inks are converted exactly by their profile in 8 and in 16 bits`() throws {
        let source = ColorSource(
            profile: ProfileBuilder.corners("CMYK", Self.lab(inks:)).bytes, layout: .invertedCMYK)
        let (transform, deep) = (try #require(source.transform), try #require(source.deepTransform))
        var random = SeededGenerator(seed: 40)
        let size = PixelSize(width: 64, height: 64)
        let inks = (0..<size.area).map { _ in (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) } }
        let exact = { (x: Int, y: Int) in
            ExactColor.sRGB(lab: Self.lab(inks: inks[y * 64 + x].map { Double($0) / 255 }))
        }
        var shallow = try PixelBuilder(size: size, alpha: .opaque)
        shallow.withUnsafeMutableBytes { bytes in
            for (index, ink) in inks.joined().enumerated() { bytes[index] = 255 - ink }
            transform.apply(to: PixelRows(bytes, size))
        }
        var pixels = inks.map { ink in SIMD4(ink.map { 65535 - UInt16($0) * 257 }) }
        var rounded = try PixelBuilder(size: size, alpha: .opaque)
        let convert = DeepConverter(
            nil, alpha: .none, options: DecodeOptions { $0.limits.isDithered = false })
        rounded.withUnsafeMutableBytes { bytes in
            let target = bytes.bindMemory(to: UInt32.self)
            pixels.withUnsafeMutableBufferPointer { pixels in
                DeepTransform.convert(inks: pixels, by: deep)
                if let start = target.baseAddress { _ = convert(pixels, to: start, at: (0, 0)) }
            }
        }
        let differences = [shallow.freeze(), rounded.freeze()].map { difference($0, exact) }
        #expect(differences.allSatisfy { $0 < 0.6 }, "\(differences)")
    }

    // MARK: - Cutting

    @Test func `a level of 8 bits in a PNG of 16 bits stays as it is, dithered or not, with any alpha`()
        throws
    {
        let size = (width: 256, height: 24)
        let png = DeepPNG(width: size.width, height: size.height, channels: 4) { x, y, channel in
            257 * (channel == 3 ? 255 - y * 11 : (x + channel * 50) % 256)
        }
        var expected: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                for channel in 0..<3 { expected.append(UInt8((x + channel * 50) % 256)) }
                expected.append(UInt8(255 - y * 11))
            }
        }
        for isDithered in [false, true] {
            let isSame = try decode(png.bytes, isDithered: isDithered).rgba == expected
            #expect(isSame)
        }
    }

    @Test func `dithering is right on average over squares, below one level, and the same in all channels`()
        throws
    {
        // 72 levels of grey, each over 8 × 8 pixels.
        let png = DeepPNG(width: 8 * 72, height: 8) { x, _, _ in 20000 + x / 8 * 11 }
        let bitmap = try decode(png.bytes, isDithered: true)
        let pixels = bitmap.rgba
        for square in 0..<72 {
            let exact = Double(20000 + square * 11) / 257
            var sum = 0.0
            for y in 0..<8 {
                for x in 0..<8 {
                    let start = (y * bitmap.width + square * 8 + x) * 4
                    #expect(pixels[start] == pixels[start + 1] && pixels[start] == pixels[start + 2])
                    #expect(abs(Double(pixels[start]) - exact) < 1)
                    sum += Double(pixels[start])
                }
            }
            #expect(abs(sum / 64 - exact) <= 1 / 64.0)
        }
        let isRounded = try decode(png.bytes).hasSamePixels(as: bitmap)
        #expect(!isRounded)
    }

    @Test func `premultiplied colours of a PNG of 16 bits don't exceed their alpha`() throws {
        let png = DeepPNG(width: 256, height: 64, channels: 4) { x, y, channel in
            channel == 3 ? (x * 64 + y) * 4 : [65535, 65000, x * 257][channel]
        }
        let bitmap = try Shared.decode(png.bytes)
        #expect(bitmap.alpha == .premultiplied)
        let pixels = bitmap.bgra
        let isBelow = pixels.indices.allSatisfy { pixels[$0] <= pixels[$0 | 3] }
        #expect(isBelow)
    }

    @Test(arguments: [3, 4])
    func `interlaced, banded and truncated rows of a PNG of 16 bits become the same pixels`(
        _ channels: Int
    ) throws {
        var png = DeepPNG(
            width: 61, height: 83, channels: channels, chunks: DeepPNG.codePoints(9, 16)
        ) { x, y, channel in (x * 601 + y * 407 + channel * 9001) % 65536 }
        let bytes = png.bytes
        let whole = try Shared.decode(bytes)

        let bands = try PNGCodec().frames(
            of: EncodedBytes(copying: bytes.span.bytes),
            options: DecodeOptions {
                $0.inBands = true
                $0.limits.pixelsPerFrame = 61 * 50
                $0.limits.storedPixelsPerFrame = 1 << 20
            })
        var rows: [UInt8] = []
        while let band = try bands.next() { rows += band.bitmap.bgra }
        #expect(rows == whole.bgra)

        let truncated = try Shared.decode(Array(png.bytes.dropLast(61 * channels * 2 * 20))) {
            $0.allowsTruncation = true
        }
        let isStart = truncated.bgra.prefix(61 * 4 * 50) == whole.bgra.prefix(61 * 4 * 50)
        #expect(isStart)

        png.isInterlaced = true
        #expect(try Shared.decode(png.bytes).hasSamePixels(as: whole))
    }
}
