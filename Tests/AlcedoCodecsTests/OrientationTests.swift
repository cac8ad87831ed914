import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

struct OrientationTests {
    @Test(arguments: ["Landscape", "Portrait"], 0...8)
    func `photographs say how they must be turned`(_ name: String, _ value: Int) throws {
        let info = try Shared.info(Fixture.data("exif-orientation/\(name)_\(value).jpg"))
        #expect(info.orientation.rawValue == max(1, value))
        let upright = info.uprightSize
        #expect((upright.width > upright.height) == (name == "Landscape"))
    }

    /// A TIFF structure with one entry, the orientation.
    private func tiff(_ value: UInt8, isBig: Bool, type: UInt8 = 3, directory: UInt8 = 8) -> [UInt8] {
        isBig
            ? [0x4D, 0x4D, 0, 42, 0, 0, 0, directory, 0, 1, 1, 0x12, 0, type, 0, 0, 0, 1, 0, value, 0, 0]
            : [0x49, 0x49, 42, 0, directory, 0, 0, 0, 1, 0, 0x12, 1, type, 0, 1, 0, 0, 0, value, 0, 0, 0]
    }

    private func orientation(_ bytes: [UInt8]) -> ImageOrientation {
        EXIF.orientation(in: bytes.span.bytes, at: 0..<bytes.count)
    }

    @Test(arguments: [true, false], 1...8)
    func `both byte orders of EXIF are read`(_ isBig: Bool, _ value: Int) {
        let bytes = tiff(UInt8(value), isBig: isBig)
        #expect(orientation(bytes).rawValue == value)
        #expect(orientation(Array("Exif\0\0".utf8) + bytes).rawValue == value)
    }

    @Test(arguments: [0, 9, 255] as [UInt8])
    func `orientations that EXIF does not have are upright`(_ value: UInt8) {
        #expect(orientation(tiff(value, isBig: true)) == .up)
    }

    @Test func `malformed EXIF is upright`() {
        let whole = tiff(6, isBig: true)
        #expect(orientation(whole) == .right)
        for count in 0..<20 { #expect(orientation([UInt8](whole.prefix(count))) == .up) }
        #expect(orientation(tiff(6, isBig: true, type: 4)) == .up)
        #expect(orientation(tiff(6, isBig: true, directory: 200)) == .up)
        #expect(orientation([0x4D, 0x4D, 0, 42, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1]) == .up)
        #expect(orientation([UInt8](repeating: 0xFF, count: 64)) == .up)
    }

    // MARK: - Text of a PNG

    /// EXIF as ImageMagick writes it into a text.
    private func profile(_ exif: [UInt8], type: String = "exif", count: Int? = nil) -> [UInt8] {
        let hexadecimal = Array("0123456789abcdef".utf8)
        var digits: [UInt8] = []
        for byte in exif { digits += [hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]] }
        var lines: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 72) {
            lines += digits[start..<min(start + 72, digits.count)] + [0x0A]
        }
        let number = String(count ?? exif.count)
        let padded = String(repeating: " ", count: max(0, 8 - number.count)) + number
        return Array("\n\(type)\n\(padded)\n".utf8) + lines
    }

    /// A PNG of 3 × 2 pixels with chunks before its pixels.
    private func png(_ chunks: (name: String, body: [UInt8])..., atEnd: Bool = false) throws -> [UInt8] {
        let file = try PNGCodec().encode(.make(3, 2) { x, _ in 0xFF00_0000 | UInt32(x) }, as: .png)
        let place = atEnd ? file.count - 12 : 33
        let added: [UInt8] = chunks.flatMap { PNGBuilder.chunk($0.name, $0.body) }
        return Array(file[..<place]) + added + Array(file[place...])
    }

    private func text(_ keyword: String, _ text: [UInt8]) -> (name: String, body: [UInt8]) {
        ("tEXt", Array(keyword.utf8) + [0] + text)
    }

    private func compressed(_ keyword: String, _ text: [UInt8]) -> (name: String, body: [UInt8]) {
        ("zTXt", Array(keyword.utf8) + [0, 0] + PNGBuilder.stored(text))
    }

    @Test(arguments: ["exif", "APP1"], 1...8)
    func `a PNG's text says how it must be turned`(_ type: String, _ value: Int) throws {
        let keyword = "Raw profile type \(type)"
        let plain = tiff(UInt8(value), isBig: value % 2 == 0)
        for exif in [plain, Array("Exif\0\0".utf8) + plain] {
            let profile = profile(exif, type: type)
            let plainText = Array("\(keyword)\0\0\0\0\0".utf8) + profile
            let packedText = Array("\(keyword)\0\u{1}\0en\0Profil\0".utf8) + PNGBuilder.stored(profile)
            let files: [[UInt8]] = [
                try png(text(keyword, profile)), try png(compressed(keyword, profile)),
                try png(compressed(keyword, profile), atEnd: true),
                try png(("iTXt", plainText)), try png(("iTXt", packedText)),
            ]
            for file in files {
                #expect(try Shared.info(file).orientation.rawValue == value)
                #expect(MetadataBlocks(of: file.span.bytes, format: .png, limit: 1 << 20).exif == plain)
                #expect(try Shared.decode(file).size == PixelSize(width: 3, height: 2))
            }
        }
    }

    @Test func `EXIF in a PNG's own chunk counts before that in a text, of which the first counts`() throws {
        let first = text("Raw profile type exif", profile(tiff(6, isBig: true)))
        let second = text("Raw profile type APP1", profile(tiff(8, isBig: true)))
        #expect(try Shared.info(png(first, second)).orientation.rawValue == 6)
        for chunks in [[("eXIf", tiff(3, isBig: true)), first], [first, ("eXIf", tiff(3, isBig: true))]] {
            let file = try png(chunks[0], chunks[1])
            #expect(try Shared.info(file).orientation.rawValue == 3)
            #expect(MetadataBlocks(of: file.span.bytes, format: .png, limit: 99).exif == tiff(3, isBig: true))
        }
        let broken = compressed("Raw profile type exif", [])
        #expect(try Shared.info(png(broken, first)).orientation.rawValue == 6)
        #expect(try Shared.info(png(broken, broken, broken, first)).orientation.rawValue == 6)
        #expect(try Shared.info(png(broken, broken, broken, broken, first)).orientation == .up)
    }

    @Test func `a PNG's text of the type APP1 may be XMP`() throws {
        let xmp = text(
            "Raw profile type APP1",
            profile(Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)))
        let alone = try png(xmp)
        #expect(MetadataBlocks(of: alone.span.bytes, format: .png, limit: 1 << 20).exif == nil)
        let exif = tiff(6, isBig: true)
        let file = try png(xmp, text("Raw profile type exif", profile(exif)))
        #expect(MetadataBlocks(of: file.span.bytes, format: .png, limit: 1 << 20).exif == exif)
        #expect(try Shared.info(file).orientation.rawValue == 6)
    }

    /// As in browsers and ImageMagick, only EXIF turns a picture.
    @Test func `XMP turns no PNG`() throws {
        let xmp = Array("XML:com.adobe.xmp\0\0\0\0\0<x tiff:Orientation=\"6\"/>".utf8)
        #expect(try Shared.info(png(("iTXt", xmp))).orientation == .up)
    }

    @Test func `a damaged profile in a PNG's text, or one that is too long, is none`() throws {
        let keyword = "Raw profile type exif"
        let exif = tiff(6, isBig: true)
        let whole = profile(exif)
        #expect(try Shared.info(png(text(keyword, whole))).orientation == .right)
        for count in 0..<whole.count - 1 {
            let cut = Array(whole[..<count])
            #expect(try Shared.info(png(text(keyword, cut))).orientation == .up)
            let body = Array(compressed(keyword, whole).body[..<(count + 4)])
            #expect(throws: Never.self) { try Shared.info(png(("zTXt", body))) }
            #expect(throws: Never.self) { try Shared.info(png(("iTXt", body))) }
        }
        for count in [-1, 0, exif.count + 1, 65_534, Int.max] {
            #expect(try Shared.info(png(text(keyword, profile(exif, count: count)))).orientation == .up)
        }
        var spoiled = whole
        spoiled[whole.count - 3] = UInt8(ascii: "x")
        #expect(try Shared.info(png(text(keyword, spoiled))).orientation == .up)
        let longest = exif + [UInt8](repeating: 0, count: 65_533 - exif.count)
        for (profile, expected) in [(longest, ImageOrientation.right), (longest + [0], .up)] {
            #expect(try Shared.info(png(text(keyword, self.profile(profile)))).orientation == expected)
            #expect(try Shared.info(png(compressed(keyword, self.profile(profile)))).orientation == expected)
        }
        // Inflates to more than the longest profile has.
        let bomb = whole + [UInt8](repeating: 0x0A, count: 1 << 20)
        #expect(try Shared.info(png(compressed(keyword, bomb))).orientation == .up)
    }
}
