import Alcedo
import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Headers of responses` {
    private var origin: ImageOrigin
    private let byteCount: Int

    init() throws {
        origin = try ImageOrigin()
        let bytes = try Bitmap.coordinates(40, 30).encoded(as: .png)
        byteCount = bytes.count
        origin.server.serve(
            "/a/photo.png", bytes,
            headers: [
                ("ETag", "\"v1\""), ("Last-Modified", "Sat, 01 Nov 2025 10:00:00 GMT"),
                ("Cache-Control", "public, max-age=77"),
            ])
    }

    @Test func `headers of responses are complete`() async throws {
        let response = await origin.get("w:20", "/a/photo.png")
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "image/png")
        #expect(response.header("Content-Disposition") == "inline; filename=\"photo.png\"")
        #expect(response.header("Cache-Control") == "max-age=31536000, public")
        #expect(response.header("ETag") == "\"v1\"")
        #expect(response.header("Last-Modified") == "Sat, 01 Nov 2025 10:00:00 GMT")
        #expect(
            response.header("Content-Security-Policy")
                == "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox")
        #expect(
            response.http.headers.fields.allSatisfy {
                !["Vary", "Link"].contains($0.name) && !$0.name.hasPrefix("X-")
            })
        #expect(response.errorKind == nil && response.tier == .source)
        #expect(response.spans.keys.count == 3)
        #expect(response.size == PixelSize(width: 20, height: 15))
    }

    @Test func `headers of responses follow the settings`() async throws {
        var origin = origin
        origin.responses.passesCacheControl = true
        origin.responses.usesETag = false
        origin.responses.usesLastModified = false
        origin.responses.setsCanonicalLink = true
        origin.responses.sendsDebugHeaders = true
        origin.responses.usesClientHints = true
        origin.responses.automaticFormats = [.webp]
        origin.responses.contentSecurityPolicy = ""
        let response = await origin.get("w:20", "/a/photo.png", headers: [("Width", "10")])
        #expect(response.header("Cache-Control") == "public, max-age=77")
        #expect(response.header("ETag") == nil && response.header("Last-Modified") == nil)
        #expect(response.header("Link") == "<\(origin.server.address("/a/photo.png"))>; rel=\"canonical\"")
        #expect(response.header("Vary") == "Accept, Sec-Ch-Dpr, Dpr, Sec-Ch-Width, Width")
        #expect(response.header("X-Origin-Width") == "40" && response.header("X-Origin-Height") == "30")
        #expect(response.header("X-Result-Width") == "20" && response.header("X-Result-Height") == "15")
        #expect(response.header("X-Origin-Content-Length") == "\(byteCount)")
        #expect(response.header("Content-Security-Policy") == nil)
        let hinted = await origin.get(
            "q:80", "/a/photo.png", headers: [("Sec-CH-DPR", "2"), ("Sec-CH-Width", "20")])
        #expect(hinted.size == PixelSize(width: 20, height: 15))
    }

    @Test func `headers of responses fit into a response, however long URLs and sources are`() async throws {
        var origin = origin
        origin.responses.setsCanonicalLink = true
        let path = "/\(String(repeating: "p", count: 4000)).png"
        origin.server.serve(
            path, try Bitmap.coordinates(4, 3).encoded(as: .png),
            headers: [("ETag", "\"\(String(repeating: "v", count: 5000))\"")])
        let name = String(repeating: "n", count: 4000)
        let response = await origin.get("fn:\(name)", path)
        #expect(response.status == 200)
        #expect(response.header("ETag") == nil && response.header("Link") == nil)
        let marks = Data(("a" + String(repeating: "\u{301}", count: 4000)).utf8).base64EncodedString()
        let marked = await origin.get("fn:\(marks):1", path)
        // An a with 127 marks: a character, and 254 bytes that are escaped.
        #expect(
            marked.header("Content-Disposition") == "inline; filename=\"_.png\"; filename*=UTF-8''a"
                + String(repeating: "%CC%81", count: 127) + ".png")
        let file = String(repeating: "n", count: 255)
        #expect(response.header("Content-Disposition") == "inline; filename=\"\(file).png\"")
    }

    @Test func `headers of responses contain no source that has credentials`() async throws {
        var origin = origin
        origin.responses.setsCanonicalLink = true
        let host = "127.0.0.1:\(origin.server.port)"
        for base in ["http://user:hunter2@\(host)/", "http://\(host)/a/photo.png?token=hunter2&x="] {
            origin.rules.baseURL = base
            let response = await origin.handler.patientResponse(
                to:
                    HTTPRequest.get("/unsafe/w:20/plain/a/photo.png"))
            #expect(response.status == 200, "\(response.reason ?? "")")
            #expect(response.header("Link") == nil)
        }
    }

    @Test func `headers of responses are not passed on if they are too long, or of no time`() async throws {
        var origin = origin
        origin.responses.passesCacheControl = true
        let long = "max-age=60, x=\(String(repeating: "x", count: 16 << 10))"
        let far = "Sun, 06 Nov 9999999 08:49:37 GMT"
        for (path, name, value) in [("/long", "Cache-Control", long), ("/far", "Expires", far)] {
            origin.server.serve(
                path, try Bitmap.coordinates(4, 3).encoded(as: .png), headers: [(name, value)])
        }
        let response = await origin.get("w:2", "/long")
        #expect(response.status == 200 && response.header("Cache-Control") == "no-store")
        let raw = await origin.get("raw:1", "/long")
        #expect(raw.status == 200 && raw.header("Cache-Control") == "no-store")
        #expect(await origin.get("w:2", "/far").status == 200)
        for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, -1, 2.7] {
            #expect([0, 2, 2_147_483_647].contains(seconds.wholeSeconds))
        }
    }

    @Test(arguments: ["/", "//"]) func `headers of responses give an image without a name one`(path: String)
        async throws
    {
        origin.server.serve(path, try Bitmap.coordinates(4, 3).encoded(as: .png))
        let response = await origin.get("w:2", path)
        #expect(response.header("Content-Disposition") == "inline; filename=\"image.png\"")
    }

    @Test(arguments: [
        ("fn:cat", "inline; filename=\"cat.png\""), ("att:1", "attachment; filename=\"photo.png\""),
        ("fn:YSJiDQo:1", "inline; filename=\"a%22b.png\""),
    ])
    func `headers of responses name the file`(options: String, value: String) async throws {
        let response = await origin.get(options, "/a/photo.png")
        #expect(response.header("Content-Disposition") == value)
    }

    @Test func `headers of responses are fresh no longer than the URL, and not at all without a TTL`()
        async throws
    {
        var origin = origin
        let soon = Int(Date().timeIntervalSince1970) + 1000
        let expiring = await origin.get("exp:\(soon)", "/a/photo.png").header("Cache-Control")
        let left = min(soon - Int(Date().timeIntervalSince1970), 1000)
        #expect((left...1000).contains { expiring == "max-age=\($0), public" }, "\(expiring ?? "")")
        origin.responses.ttl = 0
        #expect(await origin.get("w:9", "/a/photo.png").header("Cache-Control") == "no-cache")
        // It is not kept either.
        #expect(await origin.get("w:9", "/a/photo.png").tier == .source)
        #expect(await origin.get("exp:100", "/a/photo.png").status == 404)
    }

    struct Privacy: Sendable {
        /// The fields of the origin.
        let fields: [(String, String)]
        let header: String
        var passes: String?
        var isRedirected = false
        var user = ""
    }

    static let ofPrivacy = [
        Privacy(
            fields: [("Cache-Control", "private, max-age=9")], header: "max-age=1000, private",
            passes: "private, max-age=9"),
        Privacy(
            fields: [("Cache-Control", "max-age=9"), ("Cache-Control", "private")],
            header: "max-age=1000, private", passes: "max-age=9, private"),
        Privacy(
            fields: [("Cache-Control", "max-age=9, NO-STORE")], header: "no-store",
            passes: "max-age=9, NO-STORE"),
        Privacy(
            fields: [("Cache-Control", "private"), ("Cache-Control", "no-store")], header: "no-store"),
        Privacy(
            fields: [("Cache-Control", "private")], header: "max-age=1000, private",
            isRedirected: true),
        Privacy(
            fields: [("Cache-Control", "no-store")], header: "no-store", isRedirected: true),
        Privacy(
            fields: [("Cache-Control", "max-age=9")], header: "max-age=1000, private",
            passes: "max-age=9, private", user: "anna:secret%40"),
        Privacy(
            fields: [("Cache-Control", "public, max-age=9")], header: "max-age=1000, public",
            passes: "public, max-age=9", user: "anna:secret%40"),
    ]

    @Test(arguments: ofPrivacy) func `headers of responses are public only if the origin's response is`(
        _ privacy: Privacy
    ) async throws {
        var origin = origin
        origin.responses.ttl = 1000
        let reply = Reply(body: try Bitmap.coordinates(4, 3).encoded(as: .png))
        func add(_ fields: [(String, String)], to reply: Reply) -> Reply {
            fields.reduce(reply) { $0.header($1.0, $1.1) }
        }
        origin.server.serve("/s", privacy.isRedirected ? reply : add(privacy.fields, to: reply))
        origin.server.serve("/r", add(privacy.fields, to: Reply.redirect(to: "/s")))
        let address = origin.server.address(privacy.isRedirected ? "/r" : "/s")
            .replacing("http://", with: "http://\(privacy.user)")
        for options in ["w:2", "raw:1"] {
            for passes in [false, true] {
                origin.responses.passesCacheControl = passes
                origin.engine = ServerEngine()
                let response = await origin.handler.patientResponse(
                    to:
                        .get("/unsafe/\(options)/plain/\(address)"))
                #expect(response.status == 200, "\(response.reason ?? "")")
                // The response to the redirected request has no field to pass on.
                let passed = privacy.isRedirected ? privacy.header : privacy.passes ?? privacy.header
                #expect(response.header("Cache-Control") == (passes ? passed : privacy.header))
            }
        }
    }

    @Test func `responses to conditional requests that match are 304, from the cache and from the origin`()
        async throws
    {
        let origin = origin
        origin.server.route("/conditional") { request in
            request.header("If-None-Match") == "\"v1\""
                ? .status(304, headers: [("ETag", "\"v1\"")]) : .status(200)
        }
        let first = await origin.get("w:20", "/a/photo.png")
        #expect(first.status == 200)
        for header in [
            ("If-None-Match", "\"x\", W/\"v1\""), ("If-Modified-Since", "Sat, 01 Nov 2025 10:00:00 GMT"),
        ] {
            let response = await origin.get("w:20", "/a/photo.png", headers: [header])
            #expect(response.status == 304 && response.body.isEmpty)
            #expect(response.header("ETag") == "\"v1\"" && response.header("Cache-Control") != nil)
        }
        #expect(origin.server.requestCount(path: "/a/photo.png") == 1)
        #expect(
            await origin.get("w:20", "/a/photo.png", headers: [("If-None-Match", "\"v2\"")]).status
                == 200)
        let passed = await origin.get("w:20", "/conditional", headers: [("If-None-Match", "\"v1\"")])
        #expect(passed.status == 304 && passed.header("ETag") == "\"v1\"")
    }

    @Test func `responses have no date before the earliest, of which older copies are not current`()
        async throws
    {
        var origin = origin
        origin.responses.earliestModified = Date(timeIntervalSince1970: 1_767_225_600)
        let earliest = "Thu, 01 Jan 2026 00:00:00 GMT"
        #expect(await origin.get("w:20", "/a/photo.png").header("Last-Modified") == earliest)
        for (date, status) in [("Sat, 01 Nov 2025 10:00:00 GMT", 200), (earliest, 304)] {
            let response = await origin.get("w:20", "/a/photo.png", headers: [("If-Modified-Since", date)])
            #expect(response.status == status)
            #expect(response.header("Last-Modified") == earliest)
        }
    }

    @Test(arguments: [
        ("fn:caf%C3%A9%20%22x%22", "caf%C3%A9%20%22x%22.png"), ("fn:6Zuq:1", "%E9%9B%AA.png"),
    ])
    func `file names beyond ASCII are sent twice, for old clients in ASCII`(option: String, name: String)
        async throws
    {
        let text =
            option.hasPrefix("fn:caf") ? "fn:\(Data("café \"x\"".utf8).base64EncodedString()):1" : option
        let response = await origin.get(text, "/a/photo.png")
        let plain = option.hasPrefix("fn:caf") ? "caf_ %22x%22.png" : "_.png"
        #expect(
            response.header("Content-Disposition")
                == "inline; filename=\"\(plain)\"; filename*=UTF-8''\(name)")
    }

    @Test func `each representation of a URL has an ETag of its own`() async throws {
        var origin = origin
        (origin.responses.automaticFormats, origin.responses.usesClientHints) = ([.webp], true)
        let webp = [("Accept", "image/webp")]
        let clients = [[], webp, webp + [("DPR", "0.5")]]
        var tags: [String] = []
        for headers in clients {
            let response = await origin.get("w:20", "/a/photo.png", headers: headers)
            tags.append(try #require(response.header("ETag")))
        }
        #expect(Set(tags).count == 3 && tags.allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") })
        for (index, headers) in clients.enumerated() {
            for (other, tag) in tags.enumerated() {
                let response = await origin.get(
                    "w:20", "/a/photo.png", headers: headers + [("If-None-Match", "\"a,b\", W/\(tag)")])
                #expect(response.status == (index == other ? 304 : 200))
                if index == other { #expect(response.header("ETag") == tag) }
            }
        }
        origin.server.serve(
            "/weak", try Bitmap.coordinates(4, 3).encoded(as: .png), headers: [("ETag", "W/\"1\"")])
        #expect(await origin.get("w:2", "/weak").header("ETag")?.hasPrefix("W/\"") == true)
    }

    @Test func `headers of responses have other ETags with a buster`() async throws {
        var origin = origin
        origin.responses.etagBuster = "b2"
        let response = await origin.get("w:20", "/a/photo.png")
        let tag = try #require(response.header("ETag"))
        #expect(tag == "\"b2/InYxIg\"")
        #expect(
            await origin.get("w:20", "/a/photo.png", headers: [("If-None-Match", tag)]).status == 304)
        // The tag of before the change is not the origin's either.
        let old = await origin.get("w:20", "/a/photo.png", headers: [("If-None-Match", "\"v1\"")])
        #expect(old.status == 200)
        origin.engine = ServerEngine()
        origin.server.route("/echo") { request in
            .status(request.header("If-None-Match") == "\"v1\"" ? 304 : 404)
        }
        #expect(await origin.get("w:20", "/echo", headers: [("If-None-Match", tag)]).status == 304)
        #expect(
            await origin.get("w:20", "/echo", headers: [("If-None-Match", "\"v1\"")]).status == 404)
    }
}
