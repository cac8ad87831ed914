import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `What the HTTP cache keeps` {
    let caching: Caching
    var server: LoopbackServer { caching.server }

    init() throws {
        caching = try Caching()
    }

    private static let fresh = [("Cache-Control", "max-age=3600")]
    private static let old = [("Last-Modified", "Tue, 14 Nov 2000 22:00:00 GMT")]

    private static func image(_ headers: [(String, String)] = fresh, width: Int = 4) throws -> Reply {
        Reply(body: try Sample.png(width, 4), contentType: "image/png", headers: headers)
    }

    /// Answers that are no image, but may be kept by RFC 9111.
    static func failures() throws -> [Reply] {
        let image = try Sample.png(40, 40)
        return [
            Reply(body: Array("<html>".utf8), contentType: "image/png", headers: fresh),
            Reply(contentType: "image/png", headers: fresh),
            Reply(body: Array(image.prefix(image.count / 2)), contentType: "image/png", headers: fresh)
                .withoutLength(),
            Reply(status: 203, body: [1, 2, 3], headers: fresh),
            .status(204, headers: fresh),
            Reply(status: 404, body: image, contentType: "image/png", headers: old),
            Reply(status: 410, body: image, contentType: "image/png", headers: old),
        ]
    }

    @Test(arguments: 0..<7)
    func `an HTTP cache does not keep what failed to become an image`(index: Int) async throws {
        server.serve("/a", try Self.failures()[index], try Self.image())
        #expect(await caching.width("/a", by: caching.downloader()) == nil)
        let later = caching.reopened()
        #expect(await caching.width("/a", by: caching.downloader(later)) == 4)
        #expect(server.requestCount() == 2)
    }

    @Test func `an HTTP cache does not keep what failed for the same downloader either`() async throws {
        server.serve(
            "/a", Reply(body: Array("<html>".utf8), contentType: "image/png", headers: Self.fresh),
            try Self.image())
        let downloader = caching.downloader()
        #expect(await caching.width("/a", by: downloader) == nil)
        #expect(await caching.width("/a", by: downloader) == 4)
        #expect(await caching.width("/a", by: downloader) == 4)
        #expect(server.requestCount() == 2)
    }

    @Test func `an HTTP cache keeps an image that a processor rejects`() async throws {
        server.serve("/a", try Self.image())
        let downloader = caching.downloader()
        let refusing = [Caching.policy(), .processor(RefusingProcessor())]
        #expect(await caching.width("/a", by: downloader, refusing) == nil)
        #expect(await caching.width("/a", by: downloader) == 4)
        #expect(server.requestCount() == 1)
    }

    @Test func `an HTTP cache keeps what only a processor can read`() async throws {
        server.serve("/a", Reply(body: [1, 2, 3], headers: Self.fresh))
        let downloader = caching.downloader()
        let reading = [Caching.policy(), .processor(ReadingProcessor(image: try sample(7)))]
        #expect(await caching.width("/a", by: downloader, reading) == 7)
        #expect(await caching.width("/a", by: caching.downloader(caching.reopened()), reading) == 7)
        #expect(server.requestCount() == 1)
    }

    @Test func `an HTTP cache keeps no cookies on disk`() async throws {
        server.serve("/a", try Self.image(Self.fresh + [("Set-Cookie", "session=topsecret; Path=/")]))
        #expect(await caching.width("/a", by: caching.downloader()) == 4)
        caching.cache.responses.waitForDisk()
        let files = try FileManager.default.contentsOfDirectory(
            at: caching.folder.url, includingPropertiesForKeys: nil)
        let contents = try files.filter { !$0.lastPathComponent.hasPrefix(".") }.map {
            try Data(contentsOf: $0)
        }
        #expect(contents.contains { $0.range(of: Data("max-age=3600".utf8)) != nil })
        #expect(!contents.contains { $0.range(of: Data("topsecret".utf8)) != nil })
    }

    @Test func `an HTTP cache keeps what came with a credential only if that is public`() async throws {
        let image = try Sample.png(4, 4)
        for (path, control) in [("/own", "max-age=3600"), ("/all", "public, max-age=3600")] {
            server.route(path) { request in
                request.header("Authorization") == nil
                    ? .status(401, headers: [("WWW-Authenticate", #"Basic realm="x""#)])
                    : Reply(body: image, headers: [("Cache-Control", control)])
            }
        }
        let downloader = caching.downloader()
        let responder = KnowingResponder()
        downloader.authenticationChallengeResponder = responder
        for path in ["/own", "/own", "/all", "/all"] {
            #expect(await caching.width(path, by: downloader) == 4)
        }
        #expect(server.requestCount(path: "/own") == 4)
        #expect(server.requestCount(path: "/all") == 2)
    }

    @Test func `an HTTP cache counts headers for its capacity`() async throws {
        let caching = try Caching(memoryCapacity: 1 << 20, diskCapacity: 0)
        let headers = Self.fresh + (0..<15).map { ("X-\($0)", String(repeating: "x", count: 1000)) }
        let image = try Self.image(headers)
        let paths = (0..<300).map { "/\($0)" }
        for path in paths { caching.server.serve(path, image) }
        let downloader = caching.downloader()
        for path in paths + paths { #expect(await caching.width(path, by: downloader) == 4) }
        #expect(caching.server.requestCount() == 600)
    }

    @Test func `an HTTP cache keeps no image with headers out of proportion`() async throws {
        let headers = Self.fresh + (0..<24).map { ("X-\($0)", String(repeating: "x", count: 10_000)) }
        server.serve("/a", try Self.image(headers))
        let downloader = caching.downloader()
        for _ in 0..<2 { #expect(await caching.width("/a", by: downloader) == 4) }
        #expect(server.requestCount() == 2)
    }

    @Test func `an HTTP cache keeps no response that was requested before it was emptied`() async throws {
        let gate = Gate()
        server.serve("/a", try Self.image().hold(.body, until: gate))
        let downloader = caching.downloader()
        async let first = caching.width("/a", by: downloader)
        await server.waitForRequests(1)
        caching.cache.removeAllCachedResponses()
        gate.open()
        #expect(await first == 4)
        #expect(await caching.width("/a", by: downloader) == 4)
        #expect(server.requestCount() == 2)
    }

    @Test func `an HTTP cache keeps no response that was requested before a POST to its URL`() async throws {
        let (gate, image) = (Gate(), try Self.image())
        server.route("/a") { $0.method == "POST" ? image : image.hold(.body, until: gate) }
        let downloader = caching.downloader()
        async let first = caching.width("/a", by: downloader)
        await server.waitForRequests(1)
        #expect(await caching.width("/a", by: caching.downloader(), [Caching.policy(method: "POST")]) == 4)
        gate.open()
        #expect(await first == 4)
        #expect(await caching.width("/a", by: downloader) == 4)
        #expect(server.requestCount() == 3)
    }

    @Test func `an HTTP cache removes a response when the server says 404`() async throws {
        server.serve("/a", try Self.image(), .status(404, headers: Self.fresh), try Self.image(width: 6))
        let downloader = caching.downloader()
        #expect(await caching.width("/a", by: downloader) == 4)
        #expect(
            await caching.width("/a", by: downloader, [Caching.policy(.reloadIgnoringLocalCacheData)]) == nil)
        #expect(await caching.width("/a", by: downloader) == 6)
    }

    private func sample(_ width: Int) throws -> Image {
        try #require(Image(data: Data(try Sample.png(width, 4))))
    }
}

/// Makes one image of whatever it is.
private struct ReadingProcessor: ImageProcessor {
    let identifier = "reading"
    let image: Image

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? { image }
}

/// Knows a password.
private final class KnowingResponder: AuthenticationChallengeResponsible {
    func downloader(
        _ downloader: ImageDownloader, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.useCredential, URLCredential(user: "me", password: "secret", persistence: .none))
    }
}
