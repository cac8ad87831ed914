import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `AVIF and HEIC from the server` {
    private var origin: ImageOrigin
    private let browser = [("Accept", "image/avif,image/webp,image/apng,*/*;q=0.8")]

    init() throws {
        origin = try ImageOrigin()
        origin.responses.automaticFormats = [.webp, .avif]
        let noise = try Bitmap.drawn(120, 120) { x, y in
            let value = (x * 7919 + y * 104729 + x * y * 31) % 256
            return [value, (value * 3) % 256, (value * 7) % 256]
        }
        let clear = try Bitmap.drawn(32, 32, alpha: .premultiplied) { x, _ in
            x < 16 ? [0, 0, 0, 0] : [200, 9, 9, 255]
        }
        origin.server.serve("/noise", try noise.encoded(as: .png))
        origin.server.serve("/s.jpg", try Bitmap.coordinates(64, 48).encoded(as: .jpeg))
        origin.server.serve("/clear", try clear.encoded(as: .png))
        origin.server.serve("/animated", try Fixture.data("gif/fire.gif"))
    }

    @Test func `AVIF goes to clients that accept it`() async throws {
        let avif = await origin.get("w:32", "/s.jpg", headers: browser)
        #expect(avif.format == .avif && avif.header("Content-Type") == "image/avif")
        #expect(avif.header("Vary") == "Accept")
        #expect(avif.header("Content-Disposition") == "inline; filename=\"s.avif\"")
        let other = await origin.get("w:32", "/s.jpg", headers: [("Accept", "image/webp")])
        #expect(other.format == .webp && other.header("Vary") == "Accept")
        let decoded = try Image(decoding: avif.body).bitmap()
        let expected = try await origin.bitmap("w:32", "/s.jpg")
        #expect(decoded.psnr(to: expected) > 34)
    }

    @Test func `AVIF leaves animations and small results to other formats`() async throws {
        let moving = await origin.get("w:32/maf:3", "/animated", headers: browser)
        #expect(moving.format == .webp)
        #expect(await origin.get("w:15", "/s.jpg", headers: browser).format == .jpeg)
        #expect(await origin.get("w:15", "/clear", format: "avif").format == .png)
    }

    @Test(arguments: ["avif", "heic"])
    func `AVIF and HEIC keep alpha`(format: String) async throws {
        let bitmap = try await origin.bitmap("q:90", "/clear", format: format)
        #expect(bitmap.pixel(2, 9)[3] < 8 && bitmap.pixel(29, 9)[3] > 247)
        #expect(abs(bitmap.pixel(29, 9)[0] - 200) < 8)
    }

    @Test func `AVIF and HEIC have the quality of their format`() async throws {
        var origin = origin
        var sizes: [Int] = []
        for quality in [20, 63, 95] {
            sizes.append(await origin.get("q:\(quality)", "/noise", format: "avif").body.count)
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 3)
        #expect(await origin.get("w:120", "/noise", format: "avif").body.count == sizes[1])
        let named = await origin.get("fq:avif:20:webp:90", "/noise", headers: browser)
        #expect(named.format == .avif && named.body.count == sizes[0])
        origin.rules.defaults.formatQuality[.avif] = 95
        #expect(await origin.get("w:120", "/noise", format: "avif").body.count == sizes[2])
        let limited = await origin.get("mb:\(sizes[1])", "/noise", format: "avif").body.count
        #expect(limited <= sizes[1])
    }

    @Test func `HEIC goes to clients that name it`() async throws {
        let response = await origin.get("w:32", "/s.jpg", format: "heic", headers: browser)
        #expect(response.format == .heic && response.header("Content-Type") == "image/heif")
    }
}
