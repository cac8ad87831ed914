import Alcedo
import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Error responses` {
    private let origin: ImageOrigin
    private let png: [UInt8]

    init() throws {
        origin = try ImageOrigin()
        png = try Bitmap.coordinates(40, 30).encoded(as: .png)
    }

    @Test(arguments: [(400, 400), (403, 403), (404, 404), (410, 410), (500, 502), (503, 502), (204, 404)])
    func `error responses have the origin's status where it is the client's`(status: Int, expected: Int)
        async throws
    {
        origin.server.serve("/s", Reply.status(status))
        let response = await origin.get("w:20", "/s")
        #expect(response.status == expected)
        #expect(response.text == "Source is unreachable")
        #expect(response.errorKind == .download)
        #expect(response.header("Cache-Control") == nil)
        #expect(response.header("Content-Type") == "text/plain")
        #expect(response.reason?.contains("\(status)") == true)
    }

    @Test func `error responses tell broken, cut and foreign sources apart`() async throws {
        origin.server.serve("/text", Array("hello".utf8))
        origin.server.serve("/broken", Array(png.prefix(png.count / 2)))
        origin.server.serve("/cut", Reply(body: png).cut(after: png.count / 2))
        let foreign = await origin.get("w:20", "/text")
        #expect(foreign.status == 422 && foreign.text == "Invalid source image")
        let broken = await origin.get("w:20", "/broken")
        #expect(broken.status == 422 && broken.text == "Broken or unsupported image")
        #expect(broken.errorKind == .processing)
        let cut = await origin.get("w:20", "/cut")
        #expect(cut.status == 422 && cut.text == "Source response is incomplete")
    }

    @Test(arguments: [EncodedFormat.png, .jpeg, .webp])
    func `cut sources are shown as far as they go if the settings allow, or else rejected`(
        format: EncodedFormat
    ) async throws {
        var origin = origin
        let whole = try Bitmap.drawn(200, 200) { x, y in
            [x, y, (x &* 2_654_435_761 &+ y &* 40_503_001) >> 9 & 255]
        }
        let bytes = try whole.encoded(as: format)
        origin.server.serve("/cut", Array(bytes.prefix(bytes.count * 2 / 3)))
        origin.server.serve("/head", Array(bytes.prefix(40)))
        #expect(await origin.get("w:200", "/cut", format: "png").status == 422)
        origin.responses.showsTruncatedSources = true
        let shown = try await origin.bitmap("w:200", "/cut")
        #expect(shown.size == whole.size)
        let expected = try Image(decoding: Data(bytes)).bitmap()
        for x in 0..<200 { #expect(shown.pixel(x, 2) == expected.pixel(x, 2)) }
        #expect(shown.pixel(5, 199) == [0, 0, 0, 0])
        #expect(await origin.get("w:200", "/head", format: "png").status == 422)
        // A format without alpha has the missing part in white.
        let white = await origin.get("w:200", "/cut", format: "jpg")
        #expect(try Image(decoding: white.body).bitmap().pixel(5, 196).allSatisfy { $0 > 250 })
    }

    @Test func `error responses limit pixels, bytes and frames`() async throws {
        var origin = origin
        origin.server.serve("/s", png)
        origin.responses.maxSourceResolution = 0.001
        let pixels = await origin.get("w:20", "/s")
        #expect(pixels.status == 422 && pixels.text == "Invalid source image")
        #expect(await origin.get("w:20/msr:1", "/s").status == 200)
        origin.responses.maxSourceResolution = 50
        origin.sources.maxFileSize = png.count - 1
        let bytes = await origin.get("w:21", "/s")
        #expect(bytes.status == 422 && bytes.text == "Invalid source image")
        #expect(await origin.get("w:22/msfs:\(png.count)", "/s").status == 200)
        let huge = await origin.get("rs:force:20000:20000:1/msfs:0", "/s")
        #expect(huge.status == 422 && huge.text == "Invalid URL")
    }

    @Test func `error responses are short, and say why in development only`() async throws {
        var origin = origin
        let closed = try ClosedPort()
        let target = "/unsafe/w:20/plain/http://127.0.0.1:\(closed.number)/secret.png"
        let response = await origin.handler.patientResponse(to: HTTPRequest.get(target))
        #expect(response.status == 404 && response.text == "Source is unreachable")
        origin.responses.isDevelopment = true
        let verbose = await origin.handler.patientResponse(to: HTTPRequest.get(target))
        #expect(
            verbose.text.hasPrefix("Source is unreachable\n\n") && verbose.text.contains("secret.png"))
    }

    @Test func `error responses of the download's time and of all time differ`() async throws {
        var origin = origin
        let gate = Gate()
        origin.server.serve("/s", Reply(body: png).hold(.head, until: gate))
        origin.sources.downloadTimeout = 0.2
        let download = await origin.get("w:20", "/s")
        #expect(download.status == 504 && download.text == "Source is unreachable")
        #expect(download.header("Retry-After") == "1")
        #expect(download.errorKind == .timeout)
        origin.sources.downloadTimeout = 600
        let all = await origin.get("w:20", "/s", within: .milliseconds(200))
        #expect(all.status == 503 && all.text == "Timeout" && all.errorKind == .timeout)
        gate.open()
    }

    @Test func `error responses are 499 for a client that has disconnected, whose download ends`()
        async throws
    {
        let gate = Gate()
        let origin = origin
        origin.server.serve("/s", Reply(body: png).hold(.byte(10), until: gate))
        let task = Task { await origin.get("w:20", "/s") }
        await origin.server.waitForRequests(1)
        task.cancel()
        let response = await task.value
        #expect(response.status == 499 && response.text == "Cancelled")
        await origin.server.waitForAbandonedReplies(1)
        gate.open()
    }

    @Test(arguments: ["avif", "heic", "bmp", "ico", "tiff", "svg"])
    func `error responses of formats that nothing writes are 422`(format: String) async throws {
        origin.server.serve("/s", png)
        let response = await origin.get("w:20", "/s", format: format)
        // Afterwards: the first image registers the codecs.
        let encodable = CodecRegistry.shared.encodableFormats.contains(EncodedFormat(rawValue: format))
        #expect(response.status == (encodable ? 200 : 422))
        if !encodable { #expect(response.text == "Invalid URL") }
    }

    @Test func `error responses of URLs come without a download`() async throws {
        var origin = origin
        origin.rules.allowsSecurityOptions = false
        origin.server.serve("/s", png)
        for (target, status, kind) in [
            ("/unsafe/nonsense:1/plain/http://a/b", 404, ErrorKind.pathParsing),
            (origin.target("msr:1", "/s"), 403, .security),
            ("/unsafe/w:1/plain/ftp://a/b", 404, .download),
        ] {
            let request = HTTPRequest.get(target)
            let response = try #require(origin.handler.immediateResponse(to: request))
            #expect(response.status == status && response.errorKind == kind)
        }
        #expect(origin.server.requestCount() == 0)
    }

    @Test func `error responses give way to the fallback image`() async throws {
        var origin = origin
        origin.sources.fallback = .data(Data(try Bitmap.coordinates(20, 20).encoded(as: .png)))
        origin.sources.fallbackTTL = 60
        let response = await origin.get("w:10", "/missing")
        #expect(response.status == 200 && response.size == PixelSize(width: 10, height: 10))
        #expect(response.header("Cache-Control") == "max-age=60, public")
        #expect(response.errorKind == .download)
        origin.server.serve("/text", Array("hello".utf8))
        #expect(await origin.get("w:10", "/text").status == 200)
        origin.sources.fallbackStatus = 0
        let missing = await origin.get("w:10", "/missing")
        #expect(missing.status == 404 && missing.header("Content-Type") == "image/png")
        #expect(missing.header("Cache-Control") == nil)
        // It is not kept under the source's name.
        origin.server.serve("/missing", png)
        #expect(await origin.get("w:10", "/missing").size == PixelSize(width: 10, height: 8))
    }
}
