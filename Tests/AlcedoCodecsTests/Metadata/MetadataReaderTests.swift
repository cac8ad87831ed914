import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

/// Files made by hand, byte by byte, as their standards say.
struct `Metadata in files` {
    private static let exif = StructureBuilder.photograph().bytes
    private static let digits = String(repeating: "A", count: 32)
    private static let xmp = Array(
        #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><d dc:title="Boat" n:HasExtendedXMP="\#(digits)"/></x:xmpmeta>"#
            .utf8)
    private static let records: [UInt8] = [0x1C, 2, 25, 0, 3] + Array("sea".utf8)

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

    private static func box(_ name: String, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        return big(content.count + 8, 4) + Array(name.utf8) + content
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count, 4) + Array(name.utf8) + content + [0, 0, 0, 0]
    }

    private static func segment(_ marker: UInt8, _ mark: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(mark.utf8) + content
        return [0xFF, marker] + big(body.count + 2, 2) + body
    }

    /// A zlib stream of one stored block.
    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        [0x78, 0x01, 1] + little(bytes.count, 2) + little(~bytes.count & 0xFFFF, 2) + bytes + [0, 0, 0, 0]
    }

    private static func hex(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        var text = Array("\n\(name)\n    \(bytes.count)\n".utf8)
        for (index, byte) in bytes.enumerated() {
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            if index % 36 == 35 { text.append(UInt8(ascii: "\n")) }
        }
        return text
    }

    private static let resources: [UInt8] = {
        let other: [UInt8] = Array("8BIM".utf8) + [4, 9, 3] + Array("abc".utf8) + [0, 0, 0, 1, 7, 0]
        let head: [UInt8] = Array("8BIM".utf8) + [4, 4, 0, 0]
        return other + head + big(records.count, 4) + records
    }()

    private static let profile: [UInt8] = {
        var builder = ProfileBuilder.matrix()
        builder.add("desc", Array("desc".utf8) + [0, 0, 0, 0] + big(8, 4) + Array("Display\0".utf8))
        return builder.bytes
    }()

    private static func read(_ bytes: [UInt8]) -> ImageMetadata? { ImageMetadata(of: bytes.span.bytes) }

    // MARK: - Files

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let header = chunk("IHDR", big(1, 4) + big(1, 4) + [8, 0, 0, 0, 0])

    private static func jpeg(_ parts: [UInt8]...) -> [UInt8] {
        [0xFF, 0xD8] + parts.flatMap(\.self) + [0xFF, 0xDA, 0, 2, 1, 2, 0xFF, 0xD9]
    }

    private static func png(_ parts: [UInt8]...) -> [UInt8] {
        signature + header + parts.flatMap(\.self) + chunk("IEND", [])
    }

    private static func extended(_ offset: Int, _ part: String, of count: Int) -> [UInt8] {
        segment(
            0xE1, "http://ns.adobe.com/xmp/extension/\0" + String(repeating: "A", count: 32),
            big(count, 4) + big(offset, 4) + Array(part.utf8))
    }

    private static func heif(version: Int, isInside: Bool = false) -> [UInt8] {
        let item = Array("\0\0\0\u{6}Exif\0\0".utf8) + exif
        func file(_ start: Int) -> [UInt8] {
            let (wide, place) = (version == 2 ? 4 : 2, isInside ? 0 : start)
            func entry(_ number: Int, _ offset: Int, _ length: Int) -> [UInt8] {
                big(number, wide) + (version > 0 ? [0, isInside ? 1 : 0] : []) + [0, 0] + big(1, 2)
                    + big(place + offset, 4) + big(length, 4)
            }
            let names =
                [0, 0, 0, 0] + big(2, 2)
                + box("infe", [2, 0, 0, 0], big(7, 2), [0, 0], Array("Exif\0".utf8))
                + box("infe", [3, 0, 0, 0], big(8, 4), [0, 0], Array("mimeXMP\0application/rdf+xml\0".utf8))
            let places =
                [UInt8(version), 0, 0, 0, 0x44, 0] + big(2, wide) + entry(7, 0, item.count)
                + entry(8, item.count, xmp.count)
            let meta = box(
                "meta", [0, 0, 0, 0], box("iinf", names), box("iloc", places),
                isInside ? box("idat", item, xmp) : [])
            return box("ftyp", Array("heic\0\0\0\0mif1heic".utf8)) + meta
                + (isInside ? [] : box("mdat", item, xmp))
        }
        return file(file(0).count - item.count - xmp.count)
    }

    private static func jxl(_ parts: [UInt8]...) -> [UInt8] {
        box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
            + parts.flatMap(\.self)
    }

    private static func webp(_ parts: [UInt8]) -> [UInt8] {
        let chunks = Array("VP8X".utf8) + little(10, 4) + [12, 0, 0, 0, 0, 0, 0, 0, 0, 0] + parts
        return Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }

    private static func riff(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(content.count, 4) + content
            + [UInt8](repeating: 0, count: content.count % 2)
    }

    private static let files: [(name: String, bytes: [UInt8])] = {
        let text = Array("XML:com.adobe.xmp\0".utf8)
        return [
            (
                "JPEG",
                jpeg(segment(0xE1, "Exif\0\0", exif), segment(0xE1, "http://ns.adobe.com/xap/1.0/\0", xmp))
            ),
            ("PNG", png(chunk("eXIf", exif), chunk("iTXt", text + [0, 0, 0, 0] + xmp))),
            (
                "PNG compressed",
                png(
                    chunk("iTXt", text + [1, 0] + Array("en\0a\0".utf8) + deflated(xmp)), chunk("eXIf", exif))
            ),
            (
                "PNG of ImageMagick",
                png(
                    chunk(
                        "zTXt",
                        Array("Raw profile type exif\0\0".utf8)
                            + deflated(hex("exif", Array("Exif\0\0".utf8) + exif))),
                    chunk("tEXt", Array("Raw profile type xmp\0".utf8) + hex("xmp", xmp)))
            ),
            (
                "PNG with APP1",
                png(
                    chunk(
                        "tEXt",
                        Array("Raw profile type APP1\0".utf8)
                            + hex("generic profile", Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp)),
                    chunk(
                        "tEXt",
                        Array("Raw profile type APP1\0".utf8)
                            + hex("generic profile", Array("Exif\0\0".utf8) + exif)))
            ),
            ("WebP", webp(riff("EXIF", exif) + riff("XMP ", xmp))),
            ("HEIC 0", heif(version: 0)), ("HEIC 1", heif(version: 1)), ("HEIC 2", heif(version: 2)),
            ("HEIC inside", heif(version: 1, isInside: true)),
            (
                "JPEG XL",
                jxl(box("Exif", [0, 0, 0, 0], exif), box("xml ", xmp), box("brob", Array("xml x".utf8)))
            ),
        ]
    }()

    @Test(arguments: files.map(\.name))
    func `metadata is read from each format, and in parts`(name: String) throws {
        let bytes = try #require(Self.files.first { $0.name == name }?.bytes)
        let metadata = try #require(Self.read(bytes))
        #expect(metadata.exif == Self.exif)
        #expect(metadata.xmp == Self.xmp)
        #expect(metadata.title == "Boat" && metadata.isoSpeed == 400)
        #expect(ImageMetadata(reading: MetadataSource(bytes), limits: DecodeLimits()) == metadata)
        // Beyond the limit.
        let limited = ImageMetadata(of: bytes.span.bytes, limits: DecodeLimits(metadataBytes: 10))
        #expect(limited?.exif == nil && limited?.xmp == nil)
    }

    @Test(arguments: files.map(\.name))
    func `metadata of a file that ends early is what is there`(name: String) throws {
        let bytes = try #require(Self.files.first { $0.name == name }?.bytes)
        for count in 0..<bytes.count {
            let metadata = ImageMetadata(of: bytes.span.extracting(0..<count).bytes)
            #expect(metadata?.exif == nil || metadata?.exif == Self.exif)
            #expect(metadata?.xmp == nil || metadata?.xmp == Self.xmp)
        }
        for place in bytes.indices {
            for value in [0, 1, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[place] = value
                _ = Self.read(damaged)
            }
        }
    }

    @Test(arguments: [
        "all.jpg", "chunks.png", "texts.png", "chunks.webp", "items.heic", "boxes.jxl", "directories.tiff",
    ])
    func `metadata that another program has written is read`(name: String) throws {
        let metadata = try #require(Self.read(Fixture.data("metadata/\(name)")))
        #expect(
            metadata.cameraModel == "Model 1" && metadata.date?.description == "2026-11-29T09:28:05.250+01:00"
        )
        #expect(metadata.exposureTime == 1.0 / 250 && metadata.location?.altitude == -34.5)
        #expect(metadata.title == (name == "directories.tiff" ? nil : "Boat & sea"))
        #expect(metadata.keywords == (["all.jpg", "texts.png"].contains(name) ? ["sea"] : []))
        let rights = ["all.jpg": "all", "texts.png": "2026 Ada"][name] ?? "© 2026 Ada"
        #expect(metadata.rights == rights && metadata.creators == ["Ada"])
    }

    @Test func `a JPEG has XMP beyond a segment, whose parts may be in any order, and IPTC in several`() {
        let main = Self.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0", Self.xmp)
        let rest = #"<r dc:rights="all"/>"#
        let parts = [
            Self.extended(8, String(rest.dropFirst(8)), of: rest.utf8.count),
            Self.extended(0, String(rest.prefix(8)), of: rest.utf8.count),
        ]
        let half = Self.resources.count / 2
        let iptc = [Self.resources[..<half], Self.resources[half...]].flatMap {
            Self.segment(0xED, "Photoshop 3.0\0", Array($0))
        }
        let metadata = Self.read(Self.jpeg(main, parts[0], iptc, parts[1]))
        #expect(metadata?.xmpExtension == Array(rest.utf8) && metadata?.rights == "all")
        #expect(metadata?.iptc == Self.records && metadata?.keywords == ["sea"])
        // A part is missing, is there twice, or claims to be another length.
        for wrong in [
            [parts[0]], [parts[1]], parts + [parts[0]], [Self.extended(0, rest, of: 1 << 30)],
            [Self.extended(0, rest, of: 3)], [Self.extended(1 << 31, rest, of: rest.utf8.count)],
        ] {
            let metadata = Self.read(Self.jpeg(main, wrong.flatMap(\.self)))
            #expect(metadata?.xmpExtension == nil && metadata?.title == "Boat")
        }
    }

    @Test func `a PNG has IPTC in texts, and a profile with a name`() {
        for (name, content) in [("iptc", Self.resources), ("8bim", Self.resources), ("iptc", Self.records)] {
            let bytes = Self.png(
                Self.chunk("tEXt", Array("Raw profile type \(name)\0".utf8) + Self.hex(name, content)))
            #expect(Self.read(bytes)?.keywords == ["sea"])
        }
        let profile = Array("icc\0\0".utf8) + Self.deflated(Self.profile)
        #expect(Self.read(Self.png(Self.chunk("iCCP", profile)))?.profileName == "Display")
        let icc = Array("ICC_PROFILE\0".utf8)
        let pieces = [2, 1].flatMap { number -> [UInt8] in
            let named = Self.profile
            let part = number == 1 ? named.prefix(150) : named.dropFirst(150)
            return Self.segment(0xE2, "", icc + [UInt8(number), 2] + part)
        }
        #expect(Self.read(Self.jpeg(pieces))?.profileName == "Display")
    }

    @Test(arguments: [true, false])
    func `a TIFF's metadata is all in its directories but the places of its pixels`(isBig: Bool) throws {
        var builder = StructureBuilder.photograph(isBig: isBig)
        builder.add(0x0100, short: 640)
        builder.add(0x0111, 4, [UInt8](repeating: 0, count: 400_000))
        builder.add(0x02BC, 1, Self.xmp)
        builder.add(0x83BB, 7, Self.records)
        let bytes = builder.bytes
        let metadata = try #require(Self.read(bytes))
        #expect(
            metadata.cameraMake == "Example" && metadata.isoSpeed == 400
                && metadata.location?.altitude == -34.5)
        #expect(metadata.title == "Boat" && metadata.keywords == ["sea"])
        let exif = try #require(metadata.exif)
        #expect(exif.count < 2000)
        // A maker note's offsets would be wrong.
        #expect(exif.firstRange(of: Array("note".utf8)) == nil)
        let again = ImageMetadata(MetadataBlocks(exif: exif, xmp: metadata.xmp, iptc: metadata.iptc))
        #expect(again == metadata)
        let structure = try #require(EXIFStructure(exif))
        #expect(structure.converted(isBig: !isBig).converted(isBig: isBig) == structure)
        let swapped = try #require(structure.converted(isBig: !isBig).serialized())
        #expect(ImageMetadata(MetadataBlocks(exif: swapped)).location == metadata.location)
    }

    @Test func `a BigTIFF's metadata is read like a TIFF's`() {
        let little = Self.little
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            little(tag, 2) + little(type, 2) + little(count, 8) + value
                + [UInt8](repeating: 0, count: 8 - value.count)
        }
        let directory =
            little(2, 8) + entry(0x010F, 2, 5, Array("Make\0".utf8)) + entry(0x0110, 2, 9, little(72, 8))
        let header: [UInt8] = Array("II+\0".utf8) + little(8, 2) + [0, 0] + little(16, 8)
        let bytes = header + directory + little(0, 8)
        let early = Self.read(bytes + Array("Model 1\0".utf8))
        #expect(early?.cameraMake == "Make" && early?.cameraModel == nil)
        #expect(Self.read(bytes + Array("Model 10\0".utf8))?.cameraModel == "Model 10")
    }

    @Test func `metadata of a HEIC is that of its primary picture`() {
        func file(_ described: Int) -> [UInt8] {
            let items = [Self.exif, StructureBuilder().bytes]
            let (first, second) = (items[0].count + 4, items[1].count + 4)
            func bytes(_ start: Int) -> [UInt8] {
                var (names, places): ([UInt8], [UInt8]) = ([], [])
                for (number, offset, count) in [(7, 0, first), (8, first, second)] {
                    names += Self.box(
                        "infe", [2, 0, 0, 0], Self.big(number, 2), [0, 0], Array("Exif\0".utf8))
                    places +=
                        Self.big(number, 2) + [0, 0, 0, 1] + Self.big(start + offset, 4) + Self.big(count, 4)
                }
                let reference = Self.box("cdsc", Self.big(described, 2), [0, 1, 0, 1])
                let meta = Self.box(
                    "meta", [0, 0, 0, 0], Self.box("pitm", [0, 0, 0, 0, 0, 1]),
                    Self.box("iinf", [0, 0, 0, 0, 0, 2], names),
                    Self.box("iloc", [0, 0, 0, 0, 0x44, 0, 0, 2], places),
                    Self.box("iref", [0, 0, 0, 0], reference))
                let content = [0, 0, 0, 0] + items[0] + [0, 0, 0, 0] + items[1]
                return Self.box("ftyp", Array("avif\0\0\0\0".utf8)) + meta + Self.box("mdat", content)
            }
            return bytes(bytes(0).count - first - second)
        }
        #expect(Self.read(file(7))?.isoSpeed == 400)
        #expect(Self.read(file(8))?.isoSpeed == nil)
        #expect(Self.read(file(9))?.isoSpeed == 400)
    }

    @Test func `bytes in no format with metadata have no metadata`() {
        for bytes in [
            [], [0xFF], Array("GIF89a".utf8), Array("<svg/>".utf8), [UInt8](repeating: 0xFF, count: 100_000),
        ] {
            #expect(Self.read(bytes)?.exif == nil)
        }
    }

    @Test func `metadata is looked for up to a limit in a file of nothing but parts`() {
        let chunks = [UInt8](repeating: 0, count: 12 * 100_000)
        let png = Self.signature + Self.header + chunks + Self.chunk("eXIf", Self.exif)
        #expect(Self.read(png)?.exif == nil)
        let garbage =
            [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 1, count: 1 << 20)
            + Self.segment(0xE1, "Exif\0\0", Self.exif)
        #expect(Self.read(garbage)?.exif == nil)
    }
}
