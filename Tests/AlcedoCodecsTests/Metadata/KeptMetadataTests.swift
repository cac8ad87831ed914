import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

/// What a new file keeps, and that nothing else is anywhere in it.
struct `Metadata that is kept` {
    private static let xmp = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/"
        exif:GPSLatitude="52,31.2N" photoshop:City='Berlin-Mitte' xmp:Rating="5"><dc:title>Boat</dc:title>
        <Iptc4xmpExt:LocationShown><rdf:Bag><rdf:li>Berlin-Mitte</rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>
        <dc:rights>XMP rights</dc:rights></rdf:Description></x:xmpmeta>
        """

    private static func set(_ number: UInt8, _ text: String) -> [UInt8] {
        [0x1C, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private let all = MetadataBlocks(
        exif: StructureBuilder.photograph().bytes, xmp: Array(xmp.utf8),
        iptc: set(90, "Berlin-Mitte") + set(25, "sea") + set(27, "Berlin-Mitte"))

    private func bytes(of blocks: MetadataBlocks) -> [UInt8] {
        (blocks.exif ?? []) + (blocks.xmp ?? []) + (blocks.iptc ?? [])
    }

    @Test func `a file that keeps no metadata has none, and one that keeps all has all, upright`() throws {
        #expect(all.kept(by: .none, orientation: .up) == MetadataBlocks())
        let kept = all.kept(by: .all, orientation: .up)
        #expect(ImageMetadata(kept).orientation == .up && kept.exif?.count == all.exif?.count)
        #expect(kept.exif?.firstRange(of: Array("note: Berlin".utf8)) != nil)
        #expect(kept.xmp == all.xmp && kept.iptc == all.iptc)
        #expect(all.kept(by: .all, orientation: .right).exif == all.exif)
    }

    @Test(arguments: [true, false])
    func `metadata kept without the location has the location nowhere`(isBig: Bool) throws {
        var all = all
        all.exif = StructureBuilder.photograph(isBig: isBig).bytes
        let kept = all.kept(by: .allButLocation, orientation: .up)
        let bytes = bytes(of: kept)
        for text in ["Berlin", "GPS", "City", "52,31"] {
            #expect(bytes.firstRange(of: Array(text.utf8)) == nil, "\(text)")
        }
        let metadata = ImageMetadata(kept)
        #expect(metadata.location == nil && metadata.orientation == .up)
        #expect(metadata.cameraMake == "Example" && metadata.isoSpeed == 400 && metadata.date?.offset == 60)
        #expect(metadata.title == "Boat" && metadata.rights == "XMP rights" && metadata.keywords == ["sea"])
        #expect(kept.xmp?.firstRange(of: Array("xmp:Rating=\"5\"".utf8)) != nil)
    }

    @Test func `the copyright that is kept is EXIF's, or XMP's or IPTC's where EXIF has none`() {
        let own = ImageMetadata(all.kept(by: .copyright, orientation: .up))
        #expect(
            own.rights == "© 2026 Ada" && own.creators == ["Ada"] && own.cameraMake == nil && own.xmp == nil)
        #expect(own.orientation == nil)
        var some = all
        some.exif = EXIFBuilder.tags(artist: "Ada")
        let mixed = ImageMetadata(some.kept(by: .copyright, orientation: .up))
        #expect(mixed.rights == "XMP rights" && mixed.creators == ["Ada"])
        some = MetadataBlocks(iptc: Self.set(116, "IPTC ©") + Self.set(80, "A") + Self.set(80, "B"))
        let old = ImageMetadata(some.kept(by: .copyright, orientation: .up))
        #expect(old.rights == "IPTC ©" && old.creators == ["A; B"])
        #expect(MetadataBlocks(xmp: Array("<a/>".utf8)).kept(by: .copyright, orientation: .up).isEmpty)
    }

    @Test(arguments: MetadataPolicy.allCases, ImageOrientation.allCases)
    func `an orientation is kept in metadata where the pixels need it`(
        policy: MetadataPolicy, orientation: ImageOrientation
    ) {
        for exif in [nil, all.exif, EXIFBuilder.tags(copyright: "c", isBig: false), Array("junk".utf8)] {
            let kept = MetadataBlocks(exif: exif).kept(by: policy, orientation: orientation).exif ?? []
            #expect(EXIF.orientation(in: kept.span.bytes, at: 0..<kept.count) == orientation)
        }
    }

    @Test(arguments: [true, false])
    func `the numbers of pixels in EXIF become those of the new file`(isBig: Bool) {
        let old = EXIFBuilder.pixels(4000, 3000, isBig: isBig)
        let blocks = MetadataBlocks(exif: old)
        #expect(
            blocks.sized(PixelSize(width: 300, height: 70_000)).exif
                == EXIFBuilder.pixels(300, 70_000, isBig: isBig))
        // A number for which its field has no room stays.
        #expect(
            blocks.sized(PixelSize(width: 70_000, height: 2)).exif
                == EXIFBuilder.pixels(4000, 2, isBig: isBig))
        for end in 0..<old.count {
            let cut = Array(old[..<end])
            #expect(MetadataBlocks(exif: cut).sized(PixelSize(width: 1, height: 2)).exif?.count == end)
        }
        #expect(all.sized(PixelSize(width: 1, height: 2)) == all)
    }

    @Test(arguments: [true, false])
    func `a thumbnail in EXIF that is not compressed is removed too`(isBig: Bool) throws {
        let pixels = Array("pixels of a thumbnail".utf8)
        var builder = StructureBuilder(isBig: isBig)
        builder.add(0x010F, text: "Example")
        var bytes = builder.bytes
        let second = bytes.count
        // The directory after the first one.
        let next = 8 + 2 + 3 * 12
        bytes.replaceSubrange(next..<next + 4, with: builder.number(second, 4))
        let strip = second + 2 + 2 * 12 + 4
        bytes += builder.number(2, 2)
        for (tag, value) in [(0x0111, strip), (0x0117, pixels.count)] {
            bytes +=
                builder.number(tag, 2) + builder.number(4, 2) + builder.number(1, 4)
                + builder.number(value, 4)
        }
        bytes += builder.number(0, 4) + pixels
        let kept = try #require(MetadataBlocks(exif: bytes).kept(by: .all, orientation: .up).exif)
        #expect(kept.count == bytes.count && kept.firstRange(of: pixels) == nil)
        #expect(ImageMetadata(MetadataBlocks(exif: kept)).cameraMake == "Example")
    }

    // MARK: - What is gone is not announced

    @Test func `XMP that is kept announces no gain map that the new file does not have`() throws {
        let file = try Fixture.data("metadata/gain-map.jpg")
        let blocks = MetadataBlocks(of: file.span.bytes, format: .jpeg, limit: 1 << 20)
        #expect(blocks.xmp?.firstRange(of: Array("GainMap".utf8)) != nil)
        for policy in [MetadataPolicy.all, .allButLocation] {
            let xmp = try #require(blocks.kept(by: policy, orientation: .up).xmp)
            for text in ["GainMap", "hdrgm", "Container", "hdr-gain-map"] {
                #expect(xmp.firstRange(of: Array(text.utf8)) == nil, "\(text)")
            }
            #expect(XMPDocument(xmp) != nil)
        }
    }

    @Test func `XMP that is kept announces no film, depth, thumbnail or extension`() throws {
        let xmp = """
            <x:xmpmeta xmlns:g="http://ns.google.com/photos/1.0/depthmap/" xmlns:n="http://ns.adobe.com/xmp/note/">
            <d n:HasExtendedXMP="AB" GCamera:MicroVideo="1" GCamera:MotionPhotoVersion='1' g:Format="RangeInverse" k="1">
            <xmp:Thumbnails><rdf:Alt><rdf:li xmpGImg:image="abc"/></rdf:Alt></xmp:Thumbnails><g:Data>abc</g:Data><k/></d></x:xmpmeta>
            """
        let kept = MetadataBlocks(xmp: Array(xmp.utf8)).kept(by: .all, orientation: .up).xmp
        let text = String(decoding: kept ?? [], as: UTF8.self)
        #expect(
            text == """
                <x:xmpmeta xmlns:n="http://ns.adobe.com/xmp/note/">
                <d k="1">
                <k/></d></x:xmpmeta>
                """)
    }

    // MARK: - Without decoding

    private func file(_ codec: any ImageCodec, orientation: UInt8) throws -> [UInt8] {
        let bitmap = try Bitmap.make(20, 10) { x, y in 0xFF00_0000 | UInt32(x * 10 << 8 | y * 20) }
        let format = codec.encodableFormats[0]
        var blocks = all
        blocks.exif = EXIFBuilder.tags(orientation: orientation, copyright: "c")
        return blocks.embedded(in: try codec.encode(bitmap, as: format), format: format)
    }

    @Test(arguments: MetadataPolicy.allCases)
    func `a file's metadata is replaced, and its pixels stay`(policy: MetadataPolicy) throws {
        for codec in [JPEGCodec(), PNGCodec(), WebPCodec()] as [any ImageCodec] {
            let format = codec.encodableFormats[0]
            let bytes = try file(codec, orientation: 6)
            let kept = MetadataBlocks(of: bytes.span.bytes, format: format, limit: 1 << 20)
                .kept(by: policy, orientation: .right)
            let new = try #require(kept.replacing(in: bytes, format: format))
            #expect(MetadataBlocks(of: new.span.bytes, format: format, limit: 1 << 20) == kept)
            #expect(try codec.info(new).orientation == .right)
            #expect(try codec.decode(new).bgra == codec.decode(bytes).bgra)
            if policy != .all { #expect(new.firstRange(of: Array("Berlin".utf8)) == nil) }
            for count in 0..<bytes.count {
                let part = kept.replacing(in: Array(bytes.prefix(count)), format: format)
                #expect((part?.count ?? 0) < bytes.count + 2000)
            }
        }
    }

    @Test func `a JPEG loses comments, pictures behind its end and unknown segments, and keeps its profile`()
        throws
    {
        var file = try Fixture.data("metadata/gain-map.jpg")
        let comment: [UInt8] = [0xFF, 0xFE, 0, 6] + Array("note".utf8)
        let profile: [UInt8] = [0xFF, 0xE2, 0, 18] + Array("ICC_PROFILE\0".utf8) + [1, 1, 9, 9]
        file.insert(contentsOf: comment + profile, at: 2)
        let bare = try #require(MetadataBlocks().replacing(in: file, format: .jpeg))
        for text in ["note", "GainMap", "MPF", "hdrgm"] {
            #expect(bare.firstRange(of: Array(text.utf8)) == nil, "\(text)")
        }
        #expect(bare.firstRange(of: profile) != nil && Array(bare.suffix(2)) == [0xFF, 0xD9])
        #expect(try JPEGCodec().decode(bare).bgra == JPEGCodec().decode(file).bgra)
    }
}
