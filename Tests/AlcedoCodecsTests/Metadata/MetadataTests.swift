import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

struct `Metadata of files` {
    private let formats: [any ImageCodec] = [JPEGCodec(), PNGCodec(), WebPCodec()]
    private let bitmap: Bitmap

    init() throws { bitmap = try Bitmap.make(20, 10) { x, y in 0xFF00_0000 | UInt32(x * 10 << 8 | y * 20) } }

    private static let xmp = Array(
        "<x:xmpmeta tiff:Orientation=\"6\"><tiff:Orientation>8</tiff:Orientation>".utf8)

    private func file(_ codec: any ImageCodec, _ metadata: MetadataBlocks) throws -> [UInt8] {
        let format = codec.encodableFormats[0]
        return metadata.embedded(in: try codec.encode(bitmap, as: format), format: format)
    }

    private func read(_ bytes: [UInt8], _ format: EncodedFormat, limit: Int = 1 << 20) -> MetadataBlocks {
        MetadataBlocks(of: bytes.span.bytes, format: format, limit: limit)
    }

    @Test(arguments: [true, false])
    func `metadata is read back, and the picture with its orientation`(isBig: Bool) throws {
        let all = MetadataBlocks(
            exif: EXIFBuilder.tags(orientation: 6, isBig: isBig), xmp: Self.xmp, iptc: Array("8BIM".utf8))
        for codec in formats {
            let format = codec.encodableFormats[0]
            let bytes = try file(codec, all)
            var expected = all
            if format != .jpeg { expected.iptc = nil }
            #expect(read(bytes, format) == expected, "\(format)")
            #expect(try codec.info(bytes).orientation == .right)
            let plain = try codec.decode(codec.encode(bitmap, as: format))
            #expect(try codec.decode(bytes).bgra == plain.bgra)
            let upright = try file(codec, all.upright)
            #expect(try codec.info(upright).orientation == .up)
            #expect(read(upright, format).exif?.count == all.exif?.count)
        }
    }

    @Test(arguments: [true, false])
    func `metadata has a copyright and an artist, which can be kept alone`(isBig: Bool) throws {
        let exif = EXIFBuilder.tags(
            orientation: 6, artist: "Ada", copyright: "© 2026 Ada Example", isBig: isBig)
        let kept = try #require(MetadataBlocks(exif: exif, xmp: Self.xmp).kept(by: .copyright).exif)
        #expect(kept == EXIFBuilder.tags(artist: "Ada", copyright: "© 2026 Ada Example", isBig: false))
        #expect(
            MetadataBlocks(exif: EXIFBuilder.tags(orientation: 6)).kept(by: .copyright) == MetadataBlocks())
        let artist = MetadataBlocks(exif: EXIFBuilder.tags(artist: "A", isBig: isBig)).kept(by: .copyright)
            .exif
        #expect(artist == EXIFBuilder.tags(artist: "A", isBig: false))
    }

    @Test func `the metadata of a PNG may start with JPEG's marker`() throws {
        let exif = EXIFBuilder.tags(orientation: 6, copyright: "c")
        let bytes = try file(PNGCodec(), MetadataBlocks(exif: Array("Exif\0\0".utf8) + exif))
        #expect(read(bytes, .png).exif == exif)
    }

    @Test(arguments: [true, false])
    func `metadata loses its thumbnail, which shows the picture before it was changed`(isBig: Bool) throws {
        let thumbnail = Array("a picture".utf8)
        let exif = EXIFBuilder.structure(thumbnail, 6, isBig)
        let without = try #require(MetadataBlocks(exif: exif).kept(by: .all).exif)
        #expect(without.count == exif.count && without.firstRange(of: thumbnail) == nil)
        #expect(EXIF.thumbnail(in: without.span.bytes, at: 0..<without.count) == nil)
        #expect(try JPEGCodec().info(file(JPEGCodec(), MetadataBlocks(exif: without))).orientation == .right)
        let plain = EXIFBuilder.tags(orientation: 6)
        #expect(MetadataBlocks(exif: plain).kept(by: .all).exif == plain)
        for count in 0..<exif.count {
            #expect(MetadataBlocks(exif: Array(exif.prefix(count))).kept(by: .all).exif?.count == count)
        }
    }

    @Test func `metadata says upright in XMP too`() {
        let upright = MetadataBlocks(xmp: Self.xmp).upright.xmp
        let expected = "<x:xmpmeta tiff:Orientation=\"1\"><tiff:Orientation>1</tiff:Orientation>"
        #expect(upright == Array(expected.utf8))
        #expect(MetadataBlocks(xmp: Array("tiff:Orientation".utf8)).upright.xmp?.count == 16)
    }

    @Test func `metadata is left out beyond a limit, and where a format has no room`() throws {
        let exif = EXIFBuilder.tags(copyright: String(repeating: "c", count: 70_000))
        for codec in formats {
            let format = codec.encodableFormats[0]
            let bytes = try file(codec, MetadataBlocks(exif: exif))
            #expect(read(bytes, format).exif == (format == .jpeg ? nil : exif))
            #expect(read(bytes, format, limit: exif.count - 1).exif == nil)
            #expect(try codec.decode(bytes).size == bitmap.size)
        }
    }

    @Test func `metadata of truncated and damaged files is nothing, or what is there`() throws {
        let all = MetadataBlocks(exif: EXIFBuilder.tags(orientation: 6, copyright: "c"), xmp: Self.xmp)
        for codec in formats {
            let format = codec.encodableFormats[0]
            let bytes = try file(codec, all)
            for count in 0..<bytes.count {
                let found = read(Array(bytes.prefix(count)), format)
                #expect(found.exif == nil || found.exif == all.exif)
                #expect(found.xmp == nil || found.xmp == all.xmp)
            }
        }
        let exif = try #require(all.exif)
        for place in exif.indices {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var damaged = exif
                damaged[place] = value
                let metadata = MetadataBlocks(exif: damaged)
                #expect(metadata.upright.exif?.count == exif.count)
                #expect((metadata.kept(by: .copyright).exif?.count ?? 0) <= 2 * exif.count + 100)
            }
            let cut = MetadataBlocks(exif: Array(exif.prefix(place)))
            #expect(cut.upright.exif?.count == place)
        }
    }
}
