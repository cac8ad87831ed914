import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

@Suite struct `A BMP` {
    private let codec = BMPCodec()

    /// BGRA as numbers, top row first.
    private func pixels(_ bytes: [UInt8]) throws -> [UInt32] {
        let bitmap = try codec.decode(bytes)
        return bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
    }

    private static let red: UInt32 = 0xFFFF_0000
    private static let green: UInt32 = 0xFF00_FF00
    private static let blue: UInt32 = 0xFF00_00FF
    private static let white: UInt32 = 0xFFFF_FFFF

    /// Red and green above blue and white.
    private static let expected = [red, green, blue, white]
    private static let palette: [UInt32] = [0xFF0000, 0xFF00, 0xFF, 0xFFFFFF]

    static let files: [(String, BMPBuilder)] = [
        (
            "24 bits",
            BMPBuilder(
                width: 2, height: 2,
                rows: [
                    [255, 0, 0, 255, 255, 255], [0, 0, 255, 0, 255, 0],
                ])
        ),
        (
            "24 bits, top-down",
            BMPBuilder(
                width: 2, height: -2,
                rows: [
                    [0, 0, 255, 0, 255, 0], [255, 0, 0, 255, 255, 255],
                ])
        ),
        (
            "32 bits, fourth byte ignored",
            BMPBuilder(
                width: 2, height: 2, bits: 32,
                rows: [
                    [255, 0, 0, 7, 255, 255, 255, 0], [0, 0, 255, 9, 0, 255, 0, 1],
                ])
        ),
        (
            "16 bits, 5-5-5",
            BMPBuilder(
                width: 2, height: 2, bits: 16,
                rows: [
                    [0x1F, 0, 0xFF, 0x7F], [0, 0x7C, 0xE0, 0x03],
                ])
        ),
        (
            "16 bits, 5-6-5",
            BMPBuilder(
                width: 2, height: 2, bits: 16, compression: 3, masks: [0xF800, 0x7E0, 0x1F],
                rows: [[0x1F, 0, 0xFF, 0xFF], [0, 0xF8, 0xE0, 0x07]])
        ),
        (
            "32 bits, red lowest, version 4",
            BMPBuilder(
                width: 2, height: 2, bits: 32, compression: 3, masks: [0xFF, 0xFF00, 0xFF0000, 0],
                headerSize: 108,
                rows: [[0, 0, 255, 0, 255, 255, 255, 0], [255, 0, 0, 0, 0, 255, 0, 0]])
        ),
        ("8 bits", BMPBuilder(width: 2, height: 2, bits: 8, palette: palette, rows: [[2, 3], [0, 1]])),
        ("4 bits", BMPBuilder(width: 2, height: 2, bits: 4, palette: palette, rows: [[0x23], [0x01]])),
        (
            "OS/2",
            BMPBuilder(
                width: 2, height: 2, bits: 8, palette: palette + [UInt32](repeating: 0, count: 252),
                headerSize: 12,
                rows: [[2, 3], [0, 1]])
        ),
        (
            "runs of 8 bits",
            BMPBuilder(
                width: 2, height: 2, bits: 8, compression: 1, palette: palette,
                rows: [[1, 2, 1, 3, 0, 0, 1, 0, 1, 1, 0, 1]])
        ),
        (
            "literals of 4 bits",
            BMPBuilder(
                width: 2, height: 2, bits: 4, compression: 2, palette: palette,
                rows: [[2, 0x23, 0, 0, 1, 0x00, 1, 0x10, 0, 1]])
        ),
    ]

    @Test(arguments: files.map(\.0)) func `a BMP has the pixels of every layout`(_ name: String) throws {
        let builder = try #require(Self.files.first { $0.0 == name }?.1)
        let info = try codec.info(builder.file)
        #expect(info.size == PixelSize(width: 2, height: 2) && info.isComplete && info.format == .bmp)
        #expect(try pixels(builder.file) == Self.expected)
        #expect(try codec.decode(builder.file).alpha == .opaque)
    }

    @Test func `a BMP of one bit has two colours`() throws {
        let builder = BMPBuilder(
            width: 10, height: 1, bits: 1, palette: [0, 0xFFFFFF], rows: [[0b1010_0000, 0b0100_0000]])
        let (black, white) = (UInt32(0xFF00_0000), Self.white)
        #expect(
            try pixels(builder.file) == [white, black, white] + [
                black, black, black, black, black, black, white,
            ])
    }

    @Test func `a BMP has alpha if its masks say so, unless all of it is 0`() throws {
        var builder = BMPBuilder(
            width: 2, height: 1, bits: 32, compression: 3,
            masks: [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000], headerSize: 124,
            rows: [[255, 0, 0, 128, 0, 255, 0, 255]])
        let bitmap = try codec.decode(builder.file)
        #expect(bitmap.alpha == .premultiplied)
        #expect(try pixels(builder.file) == [0x8000_0080, Self.green])
        let straight = try codec.decode(
            builder.file.span.bytes, options: DecodeOptions(keepsStraightAlpha: true))
        #expect(straight.alpha == .straight)
        builder.rows = [[255, 0, 0, 0, 0, 255, 0, 0]]
        #expect(try pixels(builder.file) == [Self.blue, Self.green])
    }

    @Test func `a BMP is clear where run lengths skip pixels`() throws {
        let builder = BMPBuilder(
            width: 3, height: 2, bits: 8, compression: 1, palette: Self.palette,
            rows: [[1, 2, 0, 2, 1, 1, 1, 0, 0, 1]])
        #expect(try pixels(builder.file) == [0, 0, Self.red, Self.blue, 0, 0])
        #expect(try codec.decode(builder.file).alpha == .premultiplied)
    }

    @Test func `a BMP takes literals, and ignores pixels beyond a row`() throws {
        let builder = BMPBuilder(
            width: 2, height: 1, bits: 8, compression: 1, palette: Self.palette,
            rows: [[0, 3, 0, 1, 2, 0, 200, 3, 0, 1]])
        #expect(try pixels(builder.file) == [Self.red, Self.green])
    }

    @Test(arguments: files.map(\.0)) func `a BMP that is cut short is truncated`(_ name: String) throws {
        let builder = try #require(Self.files.first { $0.0 == name }?.1)
        let file = builder.file
        // The end marker of run lengths may be missing, and the padding of the last row.
        let needed =
            file.count - builder.lastPadding
            - (name.contains("runs") || name.contains("literals") ? 2 : 0)
        for count in 18..<needed {
            #expect(throws: CodecError.truncated(.bmp), "\(count) of \(file.count)") {
                try codec.decode(Array(file[..<count]))
            }
        }
        for count in needed...file.count {
            let cut = Array(file[..<count])
            #expect(try pixels(cut) == Self.expected)
            let isComplete = try codec.info(cut).isComplete
            #expect(isComplete || codec.hasAllPixels(cut))
        }
    }

    @Test(arguments: files.map(\.0)) func `a BMP may lie about sizes, and have more behind it`(_ name: String)
        throws
    {
        let builder = try #require(Self.files.first { $0.0 == name }?.1)
        let isCompressed = builder.compression == 1 || builder.compression == 2
        for value in [0, 1, 54, 0x7FFF_FFFF, 0xFFFF_FFFF] {
            // The bytes of the file, and those of the pixels, which the oldest header does not have.
            for offset in builder.headerSize == 12 ? [2] : [2, 34] {
                var file = builder.file
                file.replaceSubrange(offset..<offset + 4, with: BMPBuilder.bytes(value, 4))
                #expect(try pixels(file) == Self.expected)
                let isComplete = try codec.info(file).isComplete
                #expect(
                    isComplete || isCompressed && codec.hasAllPixels(file))
            }
        }
        let longer = builder.file + Array("TRUEVISION-XFILE.\0".utf8)
        #expect(try pixels(longer) == Self.expected)
        #expect(try codec.info(longer).isComplete)
    }

    @Test func `a BMP with numbers that can't be is corrupt or not supported`() throws {
        let good = BMPBuilder(
            width: 2, height: 2, rows: [[UInt8](repeating: 0, count: 6), [0, 0, 0, 0, 0, 0]]
        ).file
        for (offset, value) in [(18, 0), (22, 0), (28, 7), (30, 4), (30, 9), (10, 3)] {
            var file = good
            file.replaceSubrange(offset..<offset + 4, with: BMPBuilder.bytes(value, 4))
            #expect(throws: CodecError.self, "\(offset)") { try codec.decode(file) }
        }
        var huge = good
        huge.replaceSubrange(18..<26, with: BMPBuilder.bytes(0x7FFF_FFFF, 4) + BMPBuilder.bytes(1 << 31, 4))
        #expect(throws: CodecError.self) { try codec.decode(huge) }
        #expect(throws: CodecError.self) { try codec.info(huge) }
    }

    @Test func `a BMP is limited`() throws {
        let file = BMPBuilder(width: 2, height: 1, rows: [[0, 0, 0, 0, 0, 0]]).file
        #expect(throws: CodecError.limitExceeded(.pixels, value: 2, limit: 1)) {
            try codec.decode(file.span.bytes, options: DecodeOptions(limits: DecodeLimits(pixelsPerFrame: 1)))
        }
    }
}

@Suite struct `An icon` {
    private let codec = ICOCodec()

    private func pixels(_ bytes: [UInt8]) throws -> [UInt32] {
        try codec.decode(bytes).withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
    }

    private let masked = BMPBuilder(width: 2, height: 1, rows: [[255, 0, 0, 0, 0, 255]])
        .iconBitmap(mask: [[0b0100_0000]])

    @Test func `an icon has clear pixels where its mask is set`() throws {
        let file = BMPBuilder.icon([(2, 24, masked)])
        #expect(try codec.info(file).size == PixelSize(width: 2, height: 1))
        #expect(try pixels(file) == [0xFF00_00FF, 0])
        #expect(try codec.decode(file).alpha == .premultiplied)
    }

    @Test func `an icon has the alpha of 32 bits, unless all of it is 0`() throws {
        var builder = BMPBuilder(width: 2, height: 1, bits: 32, rows: [[255, 0, 0, 128, 0, 0, 255, 255]])
        #expect(
            try pixels(.init(BMPBuilder.icon([(2, 32, builder.iconBitmap(mask: [[0]]))]))) == [
                0x8000_0080, 0xFFFF_0000,
            ])
        builder.rows = [[255, 0, 0, 0, 0, 0, 255, 0]]
        let file = BMPBuilder.icon([(2, 32, builder.iconBitmap(mask: [[0b1000_0000]]))])
        #expect(try pixels(file) == [0, 0xFFFF_0000])
    }

    @Test func `an icon of 32 bits may have neither alpha nor a mask`() throws {
        let builder = BMPBuilder(width: 2, height: 1, bits: 32, rows: [[255, 0, 0, 0, 0, 0, 255, 0]])
        let file = BMPBuilder.icon([(2, 32, builder.iconBitmap(mask: []))])
        #expect(try codec.info(file).isComplete)
        #expect(try pixels(file) == [0xFF00_00FF, 0xFFFF_0000])
        let other = BMPBuilder.icon([(2, 24, Array(masked.dropLast(4)))])
        #expect(try !codec.info(other).isComplete)
        #expect(throws: CodecError.truncated(.ico)) { try codec.decode(other) }
    }

    @Test func `an icon is its largest image, which may be a PNG`() throws {
        let square = try PixelBuilder(size: PixelSize(width: 3, height: 3), alpha: .opaque).freeze()
        let png = try PNGCodec().encode(square, as: .png, options: EncodeOptions())
        let file = BMPBuilder.icon([(2, 24, masked), (3, 32, png)])
        #expect(try codec.info(file).size == PixelSize(width: 3, height: 3))
        #expect(try codec.info(file).format == .ico)
        #expect(try codec.decode(file).size == PixelSize(width: 3, height: 3))
        #expect(CodecRegistry().codec(for: file.span.bytes) is ICOCodec)
    }

    @Test(arguments: [1, 2]) func `an icon may lie about the length of its image`(_ kind: UInt8) throws {
        let square = try Bitmap.make(3, 3) { x, y in 0xFF00_0000 | UInt32(x * 80 << 16 | y * 70 << 8 | 9) }
        let png = try PNGCodec().encode(square, as: .png)
        let plain = BMPBuilder(width: 2, height: 1, bits: 32, rows: [[1, 2, 3, 255, 4, 5, 6, 255]])
        for image in [png, masked, plain.iconBitmap(mask: [[0]]), plain.iconBitmap(mask: [])] {
            var file = BMPBuilder.icon([(3, 32, image)])
            file[2] = kind
            let expected = try pixels(file)
            for length in [0, 1, 8, image.count - 1, image.count + 1, 0x7FFF_FFFF, 0xFFFF_FFFF] {
                file.replaceSubrange(14..<18, with: BMPBuilder.bytes(length, 4))
                #expect(try pixels(file) == expected, "\(length) of \(image.count)")
                #expect(try codec.info(file).isComplete)
                #expect(CodecRegistry().codec(for: file.span.bytes) is ICOCodec)
                // Missing bytes are an error, whatever the length says.
                let cut = Array(file[..<(6 + 16 + image.count * 3 / 4)])
                #expect(throws: CodecError.self) { try codec.decode(cut) }
                let isComplete = try? codec.info(cut).isComplete
                #expect(isComplete != true)
            }
        }
    }

    @Test func `an icon with a PNG without its end has all pixels`() throws {
        let square = try Bitmap.make(3, 3) { x, y in 0xFF00_0000 | UInt32(x * 80 << 16 | y * 70 << 8 | 9) }
        let file = BMPBuilder.icon([(3, 32, try PNGCodec().encode(square, as: .png))])
        let cut = Array(file.dropLast(12))
        #expect(try codec.info(cut).isComplete == false)
        #expect(codec.hasAllPixels(cut))
        #expect(try codec.decode(cut).bgra == square.bgra)
        #expect(!codec.hasAllPixels(Array(file.dropLast(30))))
    }

    @Test func `an icon that is cut short or lies is an error`() throws {
        let file = BMPBuilder.icon([(2, 24, masked)])
        // The mask ends with three bytes of padding.
        for count in 22..<file.count - 3 {
            #expect(throws: CodecError.self, "\(count)") { try codec.decode(Array(file[..<count])) }
        }
        for count in file.count - 3...file.count {
            #expect(try codec.info(Array(file[..<count])).isComplete)
            #expect(try pixels(Array(file[..<count])) == [0xFF00_00FF, 0])
        }
        var outside = file
        outside.replaceSubrange(18..<22, with: BMPBuilder.bytes(0x7FFF_FFFF, 4))
        #expect(throws: CodecError.truncated(.ico)) { try codec.decode(outside) }
        // A height without a mask.
        let odd = BMPBuilder.icon([
            (2, 24, BMPBuilder(width: 2, height: 1, rows: [[0, 0, 0, 0, 0, 0]]).headers)
        ])
        #expect(throws: CodecError.corrupt(.ico, reason: "its bitmap has no mask")) { try codec.decode(odd) }
    }
}
