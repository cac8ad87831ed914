import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

struct `Fields of metadata` {
    private func read(exif: [UInt8]? = nil, xmp: String? = nil, iptc: [UInt8]? = nil) -> ImageMetadata {
        ImageMetadata(MetadataBlocks(exif: exif, xmp: xmp.map { Array($0.utf8) }, iptc: iptc))
    }

    private func read(_ change: (inout StructureBuilder) -> Void) -> ImageMetadata {
        var builder = StructureBuilder()
        change(&builder)
        return read(exif: builder.bytes)
    }

    @Test(arguments: [true, false])
    func `EXIF has what the camera wrote, in both byte orders`(isBig: Bool) throws {
        let metadata = read(exif: StructureBuilder.photograph(isBig: isBig).bytes)
        #expect(metadata.cameraMake == "Example" && metadata.cameraModel == "Model 1")
        #expect(metadata.lensModel == "35mm f/2" && metadata.software == "Firmware 2")
        #expect(metadata.exposureTime == 1.0 / 250 && metadata.aperture == 2.8 && metadata.isoSpeed == 400)
        #expect(metadata.focalLength == 35.5 && metadata.focalLengthOnFilm == 53)
        #expect(metadata.flashFired == true && metadata.orientation == .right)
        #expect(
            metadata.caption == "A boat" && metadata.rights == "© 2026 Ada" && metadata.creators == ["Ada"])
        #expect(metadata.date?.description == "2026-11-29T09:28:05.250+01:00")
        let location = try #require(metadata.location)
        #expect(location.latitude == 52 + 31.0 / 60 + 12.0 / 3600)
        #expect(location.longitude == -(13 + 24.0 / 60 + 36.0 / 3600))
        #expect(location.altitude == -34.5)
    }

    @Test(arguments: [
        [(52, 1), (31, 0), (0, 1)], [(52, 0), (31, 1), (0, 1)], [(52, 1), (31, 1), (0, 0)],
        [(91, 1), (0, 1), (0, 1)],
        [(90, 1), (1, 1), (0, 1)], [(52, 1), (31, 1)], [],
    ])
    func `a location in EXIF with a fraction that is no number, or beyond the poles, is none`(
        fractions: [(Int, Int)]
    ) {
        let metadata = read {
            $0.add(1, text: "N", in: 2)
            $0.add(2, fractions: fractions, in: 2)
            $0.add(3, text: "E", in: 2)
            $0.add(4, fractions: [(13, 1), (0, 1), (0, 1)], in: 2)
        }
        #expect(metadata.location == nil)
    }

    @Test func `a location in EXIF without a hemisphere is none, and its altitude may be missing`() {
        func location(_ side: String, _ height: Int) -> ImageMetadata.Location? {
            read {
                $0.add(1, text: side, in: 2)
                $0.add(2, fractions: [(33, 1), (0, 1), (0, 1)], in: 2)
                $0.add(3, text: "E", in: 2)
                $0.add(4, fractions: [(180, 1), (0, 1), (0, 1)], in: 2)
                $0.add(6, fractions: [(5, height)], in: 2)
            }.location
        }
        #expect(location("S", 1) == ImageMetadata.Location(latitude: -33, longitude: 180, altitude: 5))
        #expect(location("S", 0) == ImageMetadata.Location(latitude: -33, longitude: 180))
        #expect(location("X", 1) == nil && location("", 1) == nil)
    }

    @Test(arguments: [
        "0000:00:00 00:00:00", "    :  :     :  :  ", "2026:02:29 00:00:00", "2026:13:01 00:00:00",
        "2026:11:31 00:00:00", "2026:11:29 24:00:00", "2026:11:29 10:60:00", "2026:11:29 10:00:61",
        "2026:11:29",
        "2026:11:29 10:00:0x", "-026:11:29 10:00:00", "yesterday", "",
    ])
    func `an EXIF date that is no date is left out`(text: String) {
        #expect(read { $0.add(0x9003, text: text, in: 1) }.date == nil)
    }

    @Test(arguments: [
        ("+02:00", 120), ("-09:30", -570), ("Z", 0), ("+15:00", nil), ("+2:00", nil), ("+02:60", nil),
        ("+-1:00", nil),
        ("", nil),
    ])
    func `an EXIF date has an offset if the offset is a valid one`(text: String, minutes: Int?) throws {
        let date = try #require(
            read {
                $0.add(0x9003, text: "2024:02:29 23:59:59", in: 1)
                $0.add(0x9011, text: text, in: 1)
                $0.add(0x9291, text: "12x", in: 1)
            }.date)
        #expect(date.offset == minutes && date.fraction == 0 && date.day == 29)
    }

    @Test func `EXIF numbers of 0, or with a denominator of 0, are none`() {
        let metadata = read {
            $0.add(0x829A, fractions: [(1, 0)], in: 1)
            $0.add(0x829D, fractions: [(0, 0)], in: 1)
            $0.add(0x8827, short: 0, in: 1)
            $0.add(0x920A, fractions: [(0, 1)], in: 1)
        }
        #expect(metadata.exposureTime == nil && metadata.aperture == nil && metadata.isoSpeed == nil)
        #expect(metadata.focalLength == nil)
    }

    @Test func `EXIF texts are UTF-8, or else Latin-1`() {
        #expect(read { $0.add(0x8298, 2, [0xA9, 0x20, 0x41, 0]) }.rights == "© A")
        #expect(read { $0.add(0x8298, 2, Array("ジ".utf8)) }.rights == "ジ")
        #expect(read { $0.add(0x8298, 2, [0x20, 0x20, 0x20, 0]) }.rights == nil)
        #expect(read { $0.add(0x8298, 4, [1, 2, 3, 4]) }.rights == nil)
    }

    // MARK: - XMP and IPTC

    private static func document(_ content: String, attributes: String = "") -> String {
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:d="http://purl.org/dc/elements/1.1/">
        <rdf:Description rdf:about="" \(attributes)>\(content)</rdf:Description></rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>
        """
    }

    @Test func `XMP has titles in languages, and lists, under any prefix`() {
        let metadata = read(
            xmp: Self.document(
                """
                <d:title><rdf:Alt><rdf:li xml:lang="de">Boot</rdf:li>
                <rdf:li xml:lang="x-default">Boat &amp; &#x2603;</rdf:li></rdf:Alt></d:title>
                <d:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li/><rdf:li><![CDATA[B<b>]]></rdf:li></rdf:Seq></d:creator>
                <d:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>&unknown;</rdf:li></rdf:Bag></d:subject>
                <d:rights>all</d:rights><other:title>no</other:title><!-- <d:title>no</d:title> -->
                """, attributes: "d:description='it \"is\"'"))
        #expect(
            metadata.title == "Boat & \u{2603}" && metadata.caption == "it \"is\"" && metadata.rights == "all"
        )
        #expect(metadata.creators == ["Ada", "B<b>"] && metadata.keywords == ["sea", "&unknown;"])
    }

    @Test(arguments: [true, false])
    func `XMP may be UTF-16`(isBig: Bool) {
        let units = Array("\u{FEFF}\(Self.document("<d:title>Größe 😀</d:title>"))".utf16)
        let bytes = units.flatMap {
            isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        #expect(ImageMetadata(MetadataBlocks(xmp: bytes)).title == "Größe 😀")
        #expect(ImageMetadata(MetadataBlocks(xmp: bytes + [0])).title == "Größe 😀")
    }

    @Test(arguments: [
        "", "x", "<", "<a", "<a>", "</a>", "<a></b>", "<a/></a>", "<a b></a>", "<a b=c/>", "<a b='c/>",
        "<a><![CDATA[</a>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "<?a", "<!--", "<a//>", "< a/>",
    ])
    func `XMP that is not well-formed is not read, and not written`(xmp: String) {
        #expect(XMPDocument(Array(xmp.utf8)) == nil)
        #expect(MetadataBlocks(xmp: Array(xmp.utf8)).kept(by: .all) == MetadataBlocks())
    }

    @Test func `XMP of too many levels or elements is not read`() {
        func nested(_ count: Int) -> [UInt8] {
            Array((String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)).utf8)
        }
        #expect(XMPDocument(nested(64)) != nil && XMPDocument(nested(65)) == nil)
        #expect(XMPDocument(nested(1 << 16)) == nil)
        #expect(XMPDocument(Array(("<a>" + String(repeating: "<b/>", count: 1 << 17) + "</a>").utf8)) == nil)
        let many = String(repeating: "<rdf:li>k</rdf:li>", count: 5000)
        #expect(
            read(xmp: Self.document("<d:subject><rdf:Bag>\(many)</rdf:Bag></d:subject>")).keywords.count
                == 1024)
    }

    private static func set(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
        [0x1C, 2, number, UInt8(value.count >> 8), UInt8(value.count & 255)] + value
    }

    @Test func `IPTC has texts in UTF-8 or Latin-1, and a length of any width`() {
        let long: [UInt8] = [0x1C, 2, 120, 0x80, 4, 0, 0, 0, 3] + Array("sea".utf8)
        let records =
            Self.set(5, Array("Größe".utf8)) + Self.set(25, [0xE9]) + Self.set(25, Array("b".utf8)) + long
            + Self.set(80, Array("Ada".utf8)) + Self.set(116, Array("©".utf8))
        let metadata = read(exif: StructureBuilder.photograph().bytes, iptc: records)
        #expect(metadata.title == "Größe" && metadata.keywords == ["é", "b"] && metadata.caption == "sea")
        #expect(metadata.creators == ["Ada"] && metadata.rights == "©")
        for count in 0..<records.count {
            let part = read(iptc: Array(records.prefix(count)))
            #expect(part.rights == nil && (part.title == nil || part.title == "Größe"))
        }
        let width: [UInt8] = [0x1C, 2, 5, 0x80, 5, 0, 0, 0, 0, 1, 65]
        #expect(read(iptc: width).title == nil)
    }

    // MARK: - Structures that lie

    @Test func `EXIF directories in a circle are read once`() {
        var builder = StructureBuilder.photograph()
        let start = builder.bytes
        // EXIF's directory is the first one, GPS's is itself.
        for (tag, offset) in [(0x8769, 8), (0x8825, 8)] {
            var bytes = start
            let entry = (10...).first { bytes[$0] == UInt8(tag >> 8) && bytes[$0 + 1] == UInt8(tag & 255) }
            bytes.replaceSubrange((entry ?? 0) + 8..<(entry ?? 0) + 12, with: builder.number(offset, 4))
            let metadata = read(exif: bytes)
            #expect(metadata.cameraMake == "Example")
            #expect(tag == 0x8769 ? metadata.isoSpeed == nil : metadata.location == nil)
        }
        builder.directories[1].append(.init(tag: 0x8769, type: 4, count: 1, value: builder.number(8, 4)))
        #expect(read(exif: builder.bytes).isoSpeed == 400)
    }

    @Test(arguments: [0xFFFF_FFFF, 0x8000_0000, 0x1FFF_FFFF, 1 << 20])
    func `EXIF values that overflow or end beyond the structure are left out`(count: Int) {
        for type in [2, 3, 4, 5, 12, 99] {
            let metadata = read {
                $0.directories[0].append(
                    .init(tag: 0x010F, type: type, count: count, value: $0.number(16, 4)))
                $0.add(0x0110, text: "Model")
            }
            #expect(metadata.cameraMake == nil && metadata.cameraModel == "Model")
        }
    }

    @Test func `EXIF fields that share a value do not multiply it`() throws {
        var builder = StructureBuilder()
        for tag in 0..<2000 {
            builder.directories[1].append(
                .init(tag: 0x1000 + tag, type: 7, count: 50_000, value: builder.number(8, 4)))
        }
        let bytes = builder.bytes + [UInt8](repeating: 65, count: 60_000)
        let structure = try #require(EXIFStructure(bytes))
        #expect(structure.photo.reduce(0) { $0 + $1.value.count } <= 2 * bytes.count)
    }

    @Test func `EXIF that is cut short or damaged at any byte is read`() {
        let bytes = StructureBuilder.photograph().bytes
        for place in bytes.indices {
            _ = read(exif: Array(bytes.prefix(place)))
            for value in [0, 0x7F, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[place] = value
                let metadata = read(exif: damaged)
                #expect(abs(metadata.location?.latitude ?? 0) <= 90)
            }
        }
    }
}
