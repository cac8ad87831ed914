import Alcedo
import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Metadata of results` {
    private let origin: ImageOrigin
    private let exif = EXIFBuilder.tags(orientation: 6, artist: "Ada", copyright: "2026 Ada")
    private let xmp = Array("<x:xmpmeta tiff:Orientation=\"6\"/>".utf8)

    init() throws {
        origin = try ImageOrigin()
        let metadata = MetadataBlocks(exif: exif, xmp: xmp, iptc: Array("8BIM".utf8))
        let picture = try Bitmap.coordinates(64, 48)
        for format in [EncodedFormat.jpeg, .png, .webp, .avif, .jxl, .tiff, .heic]
        where codecs.codec(writing: format) != nil {
            origin.server.serve(
                "/s.\(format.rawValue)",
                metadata.embedded(in: try picture.encoded(as: format), format: format))
        }
    }

    private func metadata(_ options: String, _ path: String, _ format: String) async throws
        -> (metadata: MetadataBlocks, info: ImageInfo)
    {
        let response = await origin.get(options, path, format: format)
        try #require(response.status == 200, "\(response.reason ?? "")")
        let info = try #require(try Image(decoding: response.body).info)
        return (MetadataBlocks(of: response.body.bytes, format: info.format, limit: 1 << 20), info)
    }

    @Test(arguments: ["/s.jpeg", "/s.png", "/s.webp"], ["jpg", "png", "webp"])
    func `metadata of results is the copyright and the artist by default`(path: String, format: String)
        async throws
    {
        let (kept, info) = try await metadata("w:24", path, format)
        let expected = EXIFBuilder.tags(artist: "Ada", copyright: "2026 Ada", isBig: false)
        #expect(kept == MetadataBlocks(exif: expected))
        #expect(info.size == PixelSize(width: 24, height: 32) && info.orientation == .up)
        let none = try await metadata("w:24/kcr:0", path, format)
        #expect(none.metadata == MetadataBlocks())
    }

    @Test(arguments: ["/s.jpeg", "/s.png", "/s.webp"], ["jpg", "png", "webp"])
    func `metadata of results is all of it with sm:0, upright where the image was turned`(
        path: String, format: String
    )
        async throws
    {
        let (all, info) = try await metadata("w:24/sm:0", path, format)
        #expect(all.exif == EXIFBuilder.tags(orientation: 1, artist: "Ada", copyright: "2026 Ada"))
        #expect(all.xmp == Array("<x:xmpmeta tiff:Orientation=\"1\"/>".utf8))
        #expect((all.iptc != nil) == (path == "/s.jpeg" && format == "jpg"))
        #expect(info.size == PixelSize(width: 24, height: 32) && info.orientation == .up)
        // Not turned here, so it is turned where it is shown.
        let (stored, unturned) = try await metadata("w:32/sm:0/ar:0", path, format)
        #expect(stored.exif == exif && stored.xmp == xmp)
        #expect(unturned.size == PixelSize(width: 32, height: 24) && unturned.orientation == .right)
    }

    @Test(arguments: [("avif", EncodedFormat.avif), ("heic", .heic), ("jxl", .jxl), ("tiff", .tiff)])
    func `metadata of AVIF, HEIC, JPEG XL and TIFF is kept as that of others is`(
        name: String, format: EncodedFormat
    ) async throws {
        guard codecs.codec(writing: format) != nil else { return }
        for (path, result) in [("/s.jpeg", name), ("/s.\(name)", "jpg"), ("/s.\(name)", name)] {
            let kept = try await metadata("w:24", path, result)
            let copyright = ImageMetadata(kept.metadata)
            #expect(copyright.rights == "2026 Ada" && copyright.creators == ["Ada"] && copyright.xmp == nil)
            #expect(copyright.orientation == nil && kept.info.orientation == .up)
            #expect(try await metadata("w:24/kcr:0", path, result).metadata == MetadataBlocks())
            let all = try await metadata("w:24/sm:0", path, result)
            #expect(ImageMetadata(all.metadata).orientation == .up && all.info.orientation == .up)
            #expect(all.metadata.xmp == Array("<x:xmpmeta tiff:Orientation=\"1\"/>".utf8))
        }
    }

    @Test func `metadata of results says how many pixels they have`() async throws {
        let blocks = MetadataBlocks(exif: EXIFBuilder.pixels(64, 48, orientation: 6))
        let picture = try Bitmap.coordinates(64, 48).encoded(as: .jpeg)
        origin.server.serve("/p.jpeg", blocks.embedded(in: picture, format: .jpeg))
        #expect(try await metadata("w:24/sm:0", "/p.jpeg", "jpg").metadata.exif == EXIFBuilder.pixels(24, 32))
        let stored = try await metadata("w:32/sm:0/ar:0", "/p.jpeg", "jpg").metadata.exif
        #expect(stored == EXIFBuilder.pixels(32, 24, orientation: 6))
    }

    @Test func `metadata of results counts for max_bytes, and is none in other formats`() async throws {
        let size = await origin.get("w:24", "/s.jpeg", format: "jpg").body.count
        let limited = await origin.get("w:24/mb:\(size - 1)", "/s.jpeg", format: "jpg").body.count
        #expect(limited < size)
        #expect(await origin.get("w:24/sm:0", "/s.jpeg", format: "gif").status == 200)
    }
}
