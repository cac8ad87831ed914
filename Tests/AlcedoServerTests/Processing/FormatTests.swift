import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Formats of results` {
    private var origin: ImageOrigin

    init() throws {
        origin = try ImageOrigin()
        let picture = try Bitmap.coordinates(64, 48)
        for format in [EncodedFormat.png, .jpeg, .webp, .gif] {
            origin.server.serve("/s.\(format.rawValue)", try picture.encoded(as: format))
        }
        let clear = try Bitmap.drawn(16, 16, alpha: .premultiplied) { x, _ in
            x < 8 ? [0, 0, 0, 0] : [9, 9, 9, 255]
        }
        origin.server.serve("/clear.webp", try clear.encoded(as: .webp))
        origin.server.serve("/animated.gif", try Fixture.data("gif/fire.gif"))
        origin.server.serve("/animated.webp", try Fixture.data("made/animated.webp"))
    }

    @Test(arguments: [
        ("/s.png", "w:20", "image/png"), ("/s.jpeg", "w:20", "image/jpeg"),
        ("/s.gif", "w:20", "image/gif"),
        ("/s.webp", "w:20", "image/jpeg"), ("/clear.webp", "w:20", "image/png"),
        ("/clear.webp", "bg:fff", "image/jpeg"), ("/s.webp", "pd:5", "image/png"),
        ("/animated.webp", "w:20", "image/png"), ("/animated.webp", "w:20/maf:10", "image/gif"),
        ("/s.png", "f:jpg", "image/jpeg"), ("/s.png", "f:webp", "image/webp"),
    ])
    func `formats of results follow the source, its alpha and its frames`(
        path: String, options: String, type: String
    )
        async throws
    {
        let response = await origin.get(options, path)
        #expect(response.status == 200, "\(response.reason ?? "")")
        #expect(response.header("Content-Type") == type)
        #expect(response.format?.mediaType == type)
    }

    @Test func `formats of results are negotiated`() async throws {
        var origin = origin
        origin.responses.automaticFormats = [.webp, .jxl]
        let browser = [("Accept", "image/avif,image/webp,image/apng,*/*;q=0.8")]
        let webp = await origin.get("w:20", "/s.png", headers: browser)
        #expect(webp.format == .webp && webp.header("Vary") == "Accept")
        let plain = await origin.get("w:20", "/s.png", headers: [("Accept", "*/*")])
        #expect(plain.format == .png && plain.header("Vary") == "Accept")
        #expect(await origin.get("w:20", "/s.png").format == .png)
        #expect(await origin.get("f:jpg", "/s.png", headers: browser).format == .jpeg)
        origin.responses.enforcedFormats = [.webp]
        #expect(await origin.get("f:jpg", "/s.png", headers: browser).format == .webp)
        #expect(await origin.get("f:jpg", "/s.png").format == .jpeg)
        if CodecRegistry.shared.encodableFormats.contains(.jxl) {
            let best = await origin.get("w:20", "/s.png", headers: [("Accept", "image/jxl,image/png")])
            #expect(best.format == .jxl)
        }
        // A format that nothing writes is not promised.
        (origin.responses.automaticFormats, origin.responses.enforcedFormats) = ([.avif, .webp], [])
        let best = CodecRegistry.shared.encodableFormats.contains(.avif) ? EncodedFormat.avif : .webp
        #expect(await origin.get("w:21", "/s.png", headers: browser).format == best)
    }

    @Test(arguments: [
        ("image/webp;q=0", EncodedFormat.png), ("IMAGE/WEBP", .webp), ("image/webp ; q=0.001", .webp),
        ("image/webp;q=0.000, */*", .png), ("x-image/webp", .png), ("image/webpx", .png),
        ("text/x;y=\"image/webp,image/webp\"", .png), ("image/webp;Q=1.1", .png), ("image/webp;q=x", .png),
        ("image/*", .png), ("image/png, ,image/webp;level=1;q=0.5", .webp),
        ("image/webp;q=0, image/webp", .webp),
    ])
    func `formats of results follow the weights of Accept`(accept: String, format: EncodedFormat) async throws
    {
        var origin = origin
        origin.responses.automaticFormats = [.webp]
        #expect(await origin.get("w:20", "/s.png", headers: [("Accept", accept)]).format == format)
    }

    @Test func `formats of results are those that the client prefers`() {
        var rules = ResponseRules()
        rules.automaticFormats = [.webp, .avif, .jxl]
        let preferred = ResultFormat.accepted(
            by: "image/avif;q=0.5, image/webp;q=0.9, image/jxl;q=0.5", rules: rules)
        #expect(preferred == [.webp, .jxl, .avif])
    }

    @Test func `animations that play 65,535 times become WebP`() async throws {
        var origin = origin
        origin.responses.automaticFormats = [.webp]
        var gif = try Fixture.data("gif/fire.gif")
        let name = try #require(Data(gif).range(of: Data("NETSCAPE2.0".utf8)))
        (gif[name.upperBound + 2], gif[name.upperBound + 3]) = (255, 255)
        origin.server.serve("/loops", gif)
        let response = await origin.get("w:20/maf:3", "/loops", headers: [("Accept", "image/webp")])
        #expect(response.status == 200 && response.format == .webp, "\(response.reason ?? "")")
    }

    @Test func `results have the quality of the options, and at most their bytes`() async throws {
        let noise = try Bitmap.drawn(120, 120) { x, y in
            let value = (x * 7919 + y * 104729 + x * y * 31) % 256
            return [value, (value * 3) % 256, (value * 7) % 256]
        }
        origin.server.serve("/noise", try noise.encoded(as: .png))
        var sizes: [Int] = []
        for quality in [10, 50, 80, 95] {
            sizes.append(await origin.get("q:\(quality)/f:jpg", "/noise").body.count)
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
        #expect(await origin.get("f:jpg", "/noise").body.count == sizes[2])
        #expect(await origin.get("f:jpg/fq:jpg:50", "/noise").body.count == sizes[1])
        #expect(await origin.get("f:jpg/q:95/mb:\(sizes[1])", "/noise").body.count == sizes[1])
        // Where nothing helps, the smallest is sent.
        let smallest = await origin.get("f:jpg/q:95/mb:10", "/noise")
        #expect(smallest.status == 200 && smallest.body.count == sizes[0])
        let png = await origin.get("f:png/mb:10", "/noise")
        #expect(png.format == .png && png.status == 200)
    }

    @Test func `results are the source's own bytes if processing is skipped`() async throws {
        let source = try Fixture.data("gif/fire.gif")
        #expect(await origin.get("w:5/skp:gif", "/animated.gif").body == Data(source))
        #expect(await origin.get("w:5/skp:gif/f:png", "/animated.gif").body != Data(source))
        #expect(await origin.get("w:5/skp:png", "/animated.gif").body != Data(source))
    }

    @Test(arguments: ["gif", "webp", "png"])
    func `animated results keep frames and durations, as many as allowed`(format: String) async throws {
        let source = try Image(decoding: Data(Fixture.data("gif/fire.gif")))
        let info = try #require(source.info)
        let response = await origin.get("w:30/h:0/maf:5", "/animated.gif", format: format)
        let result = try #require(try Image(decoding: response.body).info)
        #expect(result.frameCount == min(5, info.frameCount))
        #expect(result.size.width == 30)
        let all = await origin.get("w:30/maf:1000", "/animated.gif", format: format)
        let durations = try durations(of: all.body)
        let expected = try self.durations(of: Data(Fixture.data("gif/fire.gif")))
        #expect(durations == expected)
        let still = await origin.get("w:30", "/animated.gif", format: format)
        #expect(try Image(decoding: still.body).info?.frameCount == 1)
    }

    private func durations(of data: Data) throws -> [Double] {
        try CodecRegistry.shared.frameDurations(of: data.bytes)
    }

    @Test
    func `results of too many pixels in all frames are rejected, unless each is limited`() async throws {
        var origin = origin
        let info = try #require(try Image(decoding: Data(Fixture.data("gif/fire.gif"))).info)
        let two = Double(info.size.area * 2) / 1_000_000
        origin.responses.maxSourceResolution = two * 1.01
        #expect(await origin.get("w:9/maf:2", "/animated.gif").status == 200)
        #expect(await origin.get("w:9/maf:3", "/animated.gif").status == 422)
        origin.responses.maxAnimationFrameResolution = two
        #expect(await origin.get("w:8/maf:3", "/animated.gif").status == 200)
    }

    @Test func `results lose the colour profile for sRGB`() async throws {
        origin.server.serve("/cmyk", try Fixture.data("made/cmyk-profile.jpg"))
        let bitmap = try await origin.bitmap("q:90", "/cmyk")
        let expected = try Image(decoding: Data(Fixture.data("made/cmyk-profile.jpg"))).bitmap()
        #expect(bitmap.hasSamePixels(as: expected))
        let jpeg = await origin.get("q:90", "/cmyk", format: "jpg").body
        #expect(
            jpeg.range(of: Data("ICC_PROFILE".utf8)) == nil && jpeg.range(of: Data("Exif".utf8)) == nil)
    }
}
