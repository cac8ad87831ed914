import Alcedo
import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `Headers of clients` {
    private var origin: ImageOrigin
    private let wide: [UInt8]
    private let tall: [UInt8]

    init() throws {
        origin = try ImageOrigin()
        origin.sources.passedHeaders = ["X-Tenant", "user-agent", "Cookie"]
        wide = try Bitmap.coordinates(40, 20).encoded(as: .png)
        tall = try Bitmap.coordinates(20, 40).encoded(as: .png)
    }

    @Test(arguments: [false, true])
    func `headers of clients reach the origin, and keep results apart`(keepsOriginals: Bool) async throws {
        var origin = origin
        origin.responses.keepsOriginals = keepsOriginals
        origin.server.serve("/a", Reply(body: wide), Reply(body: tall), Reply(body: wide))
        let one = [("x-tenant", "1"), ("User-Agent", "Browser"), ("X-Other", "no")]
        let first = await origin.get("w:10", "/a", headers: one)
        #expect(first.size == PixelSize(width: 10, height: 5))
        let second = await origin.get("w:10", "/a", headers: [("X-Tenant", "2")])
        #expect(second.size == PixelSize(width: 10, height: 20))
        #expect(await origin.get("w:10", "/a").size == PixelSize(width: 10, height: 5))
        // Of one client, other sizes need its original only.
        let again = await origin.get("w:20", "/a", headers: [("X-Tenant", "2")])
        #expect(!keepsOriginals || again.size == PixelSize(width: 20, height: 40))
        let hit = await origin.get("w:10", "/a", headers: one + [("X-Unnamed", "3")])
        #expect(hit.tier == .memory && hit.body == first.body)
        #expect(first.header("Vary") == "X-Tenant, user-agent, Cookie")
        let requests = origin.server.requests()
        #expect(requests.map { $0.header("X-Tenant") }.prefix(3) == ["1", "2", nil])
        #expect(requests.map { $0.header("User-Agent") }.prefix(3) == ["Browser", "Alcedo", "Alcedo"])
        #expect(requests.count == (keepsOriginals ? 3 : 4))
        #expect(requests.allSatisfy { $0.header("X-Other") == nil && $0.header("X-Unnamed") == nil })
    }

    @Test func `headers of clients go with a source as it is`() async throws {
        origin.server.serve("/a", wide)
        let response = await origin.get("raw:1", "/a", headers: [("Cookie", "a=1"), ("Cookie", "b=2")])
        #expect(response.status == 200 && response.header("Vary") == "X-Tenant, user-agent, Cookie")
        #expect(response.header("Cache-Control")?.contains("private") == true)
        #expect(origin.server.requests().map { $0.header("Cookie") } == ["a=1; b=2"])
        let failure = await origin.get("w:10", "/none")
        #expect(failure.status == 404 && failure.header("Vary") == "X-Tenant, user-agent, Cookie")
    }

    @Test func `a result that a cookie has led to is for its client, and not kept`() async throws {
        origin.server.serve("/a", wide)
        for _ in 1...2 {
            let response = await origin.get("w:10", "/a", headers: [("Cookie", "session=hunter2")])
            #expect(response.header("Cache-Control")?.contains("private") == true)
            #expect(response.tier == .source)
        }
    }

    @Test func `headers of clients follow redirects within the origin, and to no other`() async throws {
        let elsewhere = try LoopbackServer()
        elsewhere.serve("/a", wide)
        origin.server.serve("/a", wide)
        origin.server.serve("/here", Reply.redirect(to: "/a"))
        origin.server.serve("/there", Reply.redirect(to: elsewhere.address("/a")))
        for path in ["/here", "/there"] {
            let own = [("X-Tenant", "hunter2"), ("User-Agent", "Browser")]
            #expect(await origin.get("w:10", path, headers: own).status == 200)
        }
        #expect(
            origin.server.requests().allSatisfy {
                $0.header("X-Tenant") == "hunter2" && $0.header("User-Agent") == "Browser"
            })
        #expect(elsewhere.requests().map { $0.header("X-Tenant") } == [nil])
        #expect(elsewhere.requests().map { $0.header("User-Agent") } == ["Alcedo"])
    }

    @Test func `headers of clients are named in the settings, with the sources that get them`() throws {
        let allowed = ["ALCEDO_ALLOWED_SOURCES": "https://a.test/"]
        func settings(_ names: String) throws -> ServerSettings {
            let text = ["IMGPROXY_REQUEST_HEADERS_PASSTHROUGH": names]
            return try SettingTexts(environment: allowed.merging(text) { $1 }).settings()
        }
        #expect(try settings("Cookie, x-tenant, cookie").sources.passedHeaders == ["Cookie", "x-tenant"])
        for names in ["Host", "a b", "if-none-match", "X-Tenant,Range", "Cookie:"] {
            #expect(throws: SettingFailure.self) { try settings(names) }
        }
        let failure = #expect(throws: SettingFailure.self) {
            try SettingTexts(environment: ["ALCEDO_REQUEST_HEADERS_PASSTHROUGH": "Cookie"]).settings()
        }
        #expect(failure?.text.contains("ALLOWED_SOURCES") == true)
    }
}
