import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Headers of answers` {
    private var origin: ImageOrigin

    init() throws {
        origin = try ImageOrigin()
        let bytes = try Bitmap.coordinates(40, 30).encoded(as: .png)
        origin.server.serve(
            "/a/photo.png", bytes,
            headers: [
                ("ETag", "\"v1\""), ("Last-Modified", "Sat, 01 Nov 2025 10:00:00 GMT"),
                ("Cache-Control", "public, max-age=77"),
            ])
    }

    @Test func `are complete`() async throws {
        let answer = await origin.answer("w:20", "/a/photo.png")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "image/png")
        #expect(answer.header("Content-Disposition") == "inline; filename=\"photo.png\"")
        #expect(answer.header("Cache-Control") == "max-age=31536000, public")
        #expect(answer.header("ETag") == "\"v1\"")
        #expect(answer.header("Last-Modified") == "Sat, 01 Nov 2025 10:00:00 GMT")
        #expect(
            answer.header("Content-Security-Policy")
                == "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox")
        #expect(
            answer.headers.allSatisfy { !["Vary", "Link"].contains($0.name) && !$0.name.hasPrefix("X-") })
        #expect(answer.errorKind == nil && answer.tier == .source)
        #expect(answer.spans.keys.count == 3)
        #expect(answer.resultSize == PixelSize(width: 20, height: 15))
        #expect(answer.originSize == PixelSize(width: 40, height: 30))
    }

    @Test func `follow the settings`() async throws {
        var origin = origin
        origin.answers.passesCacheControl = true
        origin.answers.usesETag = false
        origin.answers.usesLastModified = false
        origin.answers.setsCanonicalLink = true
        origin.answers.sendsDebugHeaders = true
        origin.answers.usesClientHints = true
        origin.answers.automaticFormats = [.webp]
        origin.answers.contentSecurityPolicy = ""
        let answer = await origin.answer("w:20", "/a/photo.png", headers: [("Width", "10")])
        #expect(answer.header("Cache-Control") == "public, max-age=77")
        #expect(answer.header("ETag") == nil && answer.header("Last-Modified") == nil)
        #expect(answer.header("Link") == "<\(origin.server.address("/a/photo.png"))>; rel=\"canonical\"")
        #expect(answer.header("Vary") == "Accept, Sec-Ch-Dpr, Dpr, Sec-Ch-Width, Width")
        #expect(answer.header("X-Origin-Width") == "40" && answer.header("X-Origin-Height") == "30")
        #expect(answer.header("X-Result-Width") == "20" && answer.header("X-Result-Height") == "15")
        #expect(answer.header("X-Origin-Content-Length") == "\(answer.originBytes ?? 0)")
        #expect(answer.header("Content-Security-Policy") == nil)
        let hinted = await origin.answer(
            "q:80", "/a/photo.png", headers: [("Sec-CH-DPR", "2"), ("Sec-CH-Width", "20")])
        #expect(hinted.resultSize == PixelSize(width: 20, height: 15))
    }

    @Test func `fit into a response however long what they are made of is`() async throws {
        var origin = origin
        origin.answers.setsCanonicalLink = true
        let path = "/\(String(repeating: "p", count: 4000)).png"
        origin.server.serve(
            path, try Bitmap.coordinates(4, 3).encoded(as: .png),
            headers: [("ETag", "\"\(String(repeating: "v", count: 5000))\"")])
        let name = String(repeating: "n", count: 4000)
        let answer = await origin.answer("fn:\(name)", path)
        #expect(answer.status == 200)
        #expect(answer.header("ETag") == nil && answer.header("Link") == nil)
        let marks = Data(("a" + String(repeating: "\u{301}", count: 4000)).utf8).base64EncodedString()
        let marked = await origin.answer("fn:\(marks):1", path)
        #expect(
            (marked.header("Content-Disposition")?.utf8.count ?? 0) == "inline; filename=\"\"".utf8.count
                + 255 + ".png".utf8.count)
        let file = String(repeating: "n", count: 255)
        #expect(answer.header("Content-Disposition") == "inline; filename=\"\(file).png\"")
    }

    @Test func `name no source that has credentials`() async throws {
        var origin = origin
        origin.answers.setsCanonicalLink = true
        let host = "127.0.0.1:\(origin.server.port)"
        for base in ["http://user:hunter2@\(host)/", "http://\(host)/a/photo.png?token=hunter2&x="] {
            origin.rules.baseURL = base
            let answer = await origin.responder.answer(
                ServedRequest.patient("/unsafe/w:20/plain/a/photo.png"))
            #expect(answer.status == 200, "\(answer.reason ?? "")")
            #expect(answer.header("Link") == nil)
        }
    }

    @Test func `are not passed on if they are too long, or of no time`() async throws {
        var origin = origin
        origin.answers.passesCacheControl = true
        let long = "max-age=60, x=\(String(repeating: "x", count: 16 << 10))"
        let far = "Sun, 06 Nov 9999999 08:49:37 GMT"
        for (path, name, value) in [("/long", "Cache-Control", long), ("/far", "Expires", far)] {
            origin.server.serve(
                path, try Bitmap.coordinates(4, 3).encoded(as: .png), headers: [(name, value)])
        }
        let answer = await origin.answer("w:2", "/long")
        #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store")
        let raw = await origin.answer("raw:1", "/long")
        #expect(raw.status == 200 && raw.header("Cache-Control") == "no-store")
        #expect(await origin.answer("w:2", "/far").status == 200)
        for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, -1, 2.7] {
            #expect([0, 2, 2_147_483_647].contains(seconds.wholeSeconds))
        }
    }

    @Test(arguments: ["/", "//"]) func `name an image without a name`(path: String) async throws {
        origin.server.serve(path, try Bitmap.coordinates(4, 3).encoded(as: .png))
        let answer = await origin.answer("w:2", path)
        #expect(answer.header("Content-Disposition") == "inline; filename=\"image.png\"")
    }

    @Test(arguments: [
        ("fn:cat", "inline; filename=\"cat.png\""), ("att:1", "attachment; filename=\"photo.png\""),
        ("fn:YSJiDQo:1", "inline; filename=\"a%22b.png\""),
    ])
    func `name the file`(options: String, value: String) async throws {
        let answer = await origin.answer(options, "/a/photo.png")
        #expect(answer.header("Content-Disposition") == value)
    }

    @Test func `are fresh no longer than the URL, and not at all without a TTL`() async throws {
        var origin = origin
        let soon = Int(Date().timeIntervalSince1970) + 1000
        let expiring = await origin.answer("exp:\(soon)", "/a/photo.png").header("Cache-Control")
        let left = min(soon - Int(Date().timeIntervalSince1970), 1000)
        #expect((left...1000).contains { expiring == "max-age=\($0), public" }, "\(expiring ?? "")")
        origin.answers.ttl = 0
        #expect(await origin.answer("w:9", "/a/photo.png").header("Cache-Control") == "no-cache")
        // It is not kept either.
        #expect(await origin.answer("w:9", "/a/photo.png").tier == .source)
        #expect(await origin.answer("exp:100", "/a/photo.png").status == 404)
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

    @Test(arguments: ofPrivacy) func `are public only if the origin's response is`(
        _ privacy: Privacy
    ) async throws {
        var origin = origin
        origin.answers.ttl = 1000
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
                origin.answers.passesCacheControl = passes
                origin.engine = ServerEngine()
                let answer = await origin.responder.answer(
                    .patient("/unsafe/\(options)/plain/\(address)"))
                #expect(answer.status == 200, "\(answer.reason ?? "")")
                // The answer to the redirected request has no field to pass on.
                let passed = privacy.isRedirected ? privacy.header : privacy.passes ?? privacy.header
                #expect(answer.header("Cache-Control") == (passes ? passed : privacy.header))
            }
        }
    }

    @Test func `answer conditions with 304, from the cache and from the origin`() async throws {
        let origin = origin
        origin.server.route("/conditional") { request in
            request.header("If-None-Match") == "\"v1\""
                ? .status(304, headers: [("ETag", "\"v1\"")]) : .status(200)
        }
        let first = await origin.answer("w:20", "/a/photo.png")
        #expect(first.status == 200)
        for header in [
            ("If-None-Match", "\"x\", W/\"v1\""), ("If-Modified-Since", "Sat, 01 Nov 2025 10:00:00 GMT"),
        ] {
            let answer = await origin.answer("w:20", "/a/photo.png", headers: [header])
            #expect(answer.status == 304 && answer.body.isEmpty)
            #expect(answer.header("ETag") == "\"v1\"" && answer.header("Cache-Control") != nil)
        }
        #expect(origin.server.requestCount(path: "/a/photo.png") == 1)
        #expect(
            await origin.answer("w:20", "/a/photo.png", headers: [("If-None-Match", "\"v2\"")]).status
                == 200)
        let passed = await origin.answer("w:20", "/conditional", headers: [("If-None-Match", "\"v1\"")])
        #expect(passed.status == 304 && passed.header("ETag") == "\"v1\"")
    }

    @Test func `have other ETags with a buster`() async throws {
        var origin = origin
        origin.answers.etagBuster = "b2"
        let answer = await origin.answer("w:20", "/a/photo.png")
        let tag = try #require(answer.header("ETag"))
        #expect(tag == "\"b2/InYxIg\"")
        #expect(
            await origin.answer("w:20", "/a/photo.png", headers: [("If-None-Match", tag)]).status == 304)
        // The tag of before the change is not the origin's either.
        let old = await origin.answer("w:20", "/a/photo.png", headers: [("If-None-Match", "\"v1\"")])
        #expect(old.status == 200)
        origin.engine = ServerEngine()
        origin.server.route("/echo") { request in
            .status(request.header("If-None-Match") == "\"v1\"" ? 304 : 404)
        }
        #expect(await origin.answer("w:20", "/echo", headers: [("If-None-Match", tag)]).status == 304)
        #expect(
            await origin.answer("w:20", "/echo", headers: [("If-None-Match", "\"v1\"")]).status == 404)
    }
}
