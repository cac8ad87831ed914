import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

/// Files that break a rule which no viewer insists on.
struct `A file that breaks a small rule` {
    private let size = PixelSize(width: 3, height: 2)

    private var png: PNGBuilder {
        var random = SeededGenerator(seed: 1)
        let rows = (0..<2).flatMap { _ in [0] + (0..<9).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        return PNGBuilder(width: 3, height: 2, hasAlpha: false, rows: rows)
    }

    /// With chunks behind the header.
    private func png(with chunks: [UInt8]) -> [UInt8] {
        let bytes = png.bytes
        return Array(bytes[..<33]) + chunks + Array(bytes[33...])
    }

    private func chunk(_ name: String, in bytes: [UInt8]) throws -> Range<Int> {
        let start = try #require(bytes.firstRange(of: Array(name.utf8))).lowerBound - 4
        let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        return start..<start + 12 + length
    }

    @Test func `a PNG may have a true colour's transparency before its palette`() throws {
        let pixel = Array(png.rows[1..<4])
        let transparency = PNGBuilder.chunk("tRNS", pixel.flatMap { [0, $0] })
        let palette = PNGBuilder.chunk("PLTE", [1, 2, 3])
        let usual = try Shared.decode(png(with: palette + transparency))
        #expect(usual.bgra[3] == 0)
        let isEqual = try Shared.decode(png(with: transparency + palette)).bgra == usual.bgra
        #expect(isEqual)
    }

    @Test func `a PNG may have a palette's transparency before the palette`() throws {
        let bytes = try Fixture.data("pngsuite/png/tbbn3p08.png")
        let (palette, transparency) = (try chunk("PLTE", in: bytes), try chunk("tRNS", in: bytes))
        let swapped =
            bytes[..<palette.lowerBound] + bytes[transparency]
            + bytes[palette.lowerBound..<transparency.lowerBound]
            + bytes[transparency.upperBound...]
        let isEqual = try Shared.decode([UInt8](swapped)).bgra == Shared.decode(bytes).bgra
        #expect(isEqual)
    }

    @Test func `a PNG may have more colours than a palette holds`() throws {
        let colors = [UInt8](repeating: 7, count: 257 * 3)
        let isEqual =
            try Shared.decode(png(with: PNGBuilder.chunk("PLTE", colors))).bgra
            == Shared.decode(png.bytes).bgra
        #expect(isEqual)

        let bytes = try Fixture.data("pngsuite/png/basn3p08.png")
        let palette = try chunk("PLTE", in: bytes)
        let entries = bytes[palette].dropFirst(8).dropLast(4)
        let long = entries + [UInt8](repeating: 9, count: 771 - entries.count)
        let changed =
            Array(bytes[..<palette.lowerBound]) + PNGBuilder.chunk("PLTE", Array(long))
            + Array(bytes[palette.upperBound...])
        let isSame = try Shared.decode(changed).bgra == Shared.decode(bytes).bgra
        #expect(isSame)
        var damaged = changed
        damaged[palette.lowerBound + 10] ^= 1
        #expect(throws: CodecError.self) { try Shared.decode(damaged) }
    }

    @Test(arguments: [0xFE, 0xE5, 0xE1, 0xE2] as [UInt8], [0, 1] as [UInt8])
    func `a JPEG may have a segment without a length`(marker: UInt8, length: UInt8) throws {
        let bytes = try Fixture.data("made/sampling-420.jpg")
        let odd = Array(bytes[..<2]) + [0xFF, marker, 0, length] + Array(bytes[2...])
        for side in [1, 1000] {
            let size = PixelSize(width: side, height: side)
            let isEqual =
                try Shared.decode(odd) { $0.atLeast = size }.bgra
                == Shared.decode(bytes) { $0.atLeast = size }.bgra
            #expect(isEqual)
        }
    }

    @Test(arguments: [9, 10, 11]) func `a GIF may have codes for more colours than there are`(codeSize: Int)
        throws
    {
        let numbers = [0, 1, 1, 0, 1, 0]
        var (bits, data) = ((value: 0, count: 0), [UInt8]())
        func put(_ code: Int) {
            bits.value |= code << bits.count
            bits.count += codeSize + 1
            while bits.count >= 8 {
                data.append(UInt8(bits.value & 0xFF))
                bits = (bits.value >> 8, bits.count - 8)
            }
        }
        for number in numbers {
            put(1 << codeSize)
            put(number)
        }
        put(1 << codeSize + 1)
        data.append(UInt8(bits.value))
        let start = Array("GIF89a".utf8) + [3, 0, 2, 0, 0x80, 0, 0, 10, 20, 30, 40, 50, 60]
        let frame = [0x2C, 0, 0, 0, 0, 3, 0, 2, 0, 0, UInt8(codeSize), UInt8(data.count)] + data + [0, 0x3B]
        let pixels = try Shared.decode(start + frame).bgra
        #expect(pixels == numbers.flatMap { $0 == 0 ? [30, 20, 10, 255] : [60, 50, 40, 255] })
        let wide = [0x2C, 0, 0, 0, 0, 3, 0, 2, 0, 0, 12, UInt8(data.count)] + data + [0, 0x3B]
        #expect(throws: CodecError.self) { try Shared.decode(start + wide) }
    }

    @Test func `an APNG may have a bad frame beside a good still image`() throws {
        var bytes = try Fixture.data("made/animated-palette.png")
        let control = try chunk("acTL", in: bytes)
        let still = try Shared.decode(Array(bytes[..<control.lowerBound] + bytes[control.upperBound...]))
        let data = try chunk("fdAT", in: bytes)
        bytes[data.upperBound - 1] ^= 1
        let isStill = try Shared.decode(bytes).bgra == still.bgra
        #expect(isStill)
        #expect(throws: CodecError.self) { try Shared.frames(bytes).next() }
    }
}

struct `An orientation` {
    private func png(_ exif: [UInt8]) throws -> [UInt8] {
        let bytes = try Fixture.data("made/alpha.png")
        return Array(bytes[..<33]) + PNGBuilder.chunk("eXIf", exif) + Array(bytes[33...])
    }

    @Test(arguments: [1, 3, 4, 8, 9] as [UInt8])
    func `an orientation in EXIF may be any kind of whole number`(
        kind: UInt8
    ) throws {
        let isShort = kind == 3 || kind == 8
        let little: [UInt8] = [6, 0, 0, 0]
        let big: [UInt8] = kind == 1 ? [6, 0, 0, 0] : isShort ? [0, 6, 0, 0] : [0, 0, 0, 6]
        let intel = Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, kind, 0, 1, 0, 0, 0] + little
        let motorola = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, kind, 0, 0, 0, 1] + big
        #expect(try Shared.info(png(intel)).orientation == .right)
        #expect(try Shared.info(png(motorola)).orientation == .right)
    }

    @Test(arguments: [2, 5, 7, 11, 12] as [UInt8])
    func `an orientation in EXIF is no text, fraction or the like`(
        kind: UInt8
    ) throws {
        let exif = Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, kind, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        #expect(try Shared.info(png(exif)).orientation == .up)
    }

    @Test func `an orientation in EXIF beyond eight is none`() throws {
        let exif = Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 4, 0, 1, 0, 0, 0, 6, 0, 1, 0]
        #expect(try Shared.info(png(exif)).orientation == .up)
    }
}
