import Alcedo
import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Sources` {
    private let png: [UInt8]

    init() throws { png = try Bitmap.coordinates(40, 30).encoded(as: .png) }

    @Test(arguments: [
        "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]",
        "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "192.168.0.1", "172.16.0.1", "169.254.169.254",
        "[fe80::1]",
        "[fd00::1]", "127.0.0.1.", "127.0.0.1..", "localhost.", "LOCALHOST.", "a.localhost.",
        "2130706433.",
        "0x7f000001.", "0177.0.0.1.", "127.1.", "10.0.0.1.", "192.168.0.1.", "169.254.169.254.",
        "0.0.0.0.",
        "127.0.0.1%E3%80%82", "127%E3%80%820%E3%80%820%E3%80%821%E3%80%82", "[::1].",
    ])
    func `sources at private addresses are rejected in any notation`(host: String) async throws {
        var origin = try ImageOrigin()
        origin.sources.addressPolicy = .publicOnly
        origin.server.serve("/s", png)
        let target = "/unsafe/w:20/plain/http://\(host):\(origin.server.port)/s"
        let response = await origin.handler.patientResponse(to: HTTPRequest.get(target))
        #expect(response.status == 404 && response.text == "Invalid source URL")
        #expect(response.errorKind == .security)
        #expect(origin.server.requestCount() == 0)
    }

    @Test func `sources follow redirects, a few, and never to another kind of address`() async throws {
        var origin = try ImageOrigin()
        origin.server.serve("/s", png)
        origin.server.serve("/there", Reply.redirect(to: origin.server.address("/s")))
        origin.server.serve("/round", Reply.redirect(to: "/round"))
        origin.server.serve("/private", Reply.redirect(to: "http://10.0.0.1/s"))
        origin.server.serve("/metadata", Reply.redirect(to: "http://169.254.169.254/latest"))
        origin.server.serve("/dot", Reply.redirect(to: "http://10.0.0.1./s"))
        origin.server.serve("/file", Reply.redirect(to: "file:///etc/passwd"))
        #expect(await origin.get("w:20", "/there").status == 200)
        origin.sources.maxRedirects = 3
        let round = await origin.get("w:20", "/round")
        #expect(round.status == 404 && round.text == "Source is unreachable")
        #expect(origin.server.requestCount(path: "/round") == 4)
        for path in ["/private", "/metadata", "/dot"] {
            let response = await origin.get("w:20", path)
            #expect(response.status == 404 && response.text == "Invalid source URL")
        }
        #expect(await origin.get("w:20", "/file").status == 404)
    }

    @Test func `sources are requested with the user agent of the settings`() async throws {
        var origin = try ImageOrigin()
        origin.sources.userAgent = "Pictures/2"
        origin.server.serve("/s", png)
        _ = await origin.get("w:20", "/s", headers: [("Cookie", "a=b"), ("Authorization", "secret")])
        let request = try #require(origin.server.requests(path: "/s").first)
        #expect(request.header("User-Agent") == "Pictures/2")
        #expect(request.header("Cookie") == nil && request.header("Authorization") == nil)
    }

    @Test func `sources in the local root have a validator`() async throws {
        let folder = try TemporaryDirectory()
        var origin = try ImageOrigin()
        origin.sources.localRoot = folder.path
        try Data(png).write(to: folder.file("a.png"))
        let target = "/unsafe/w:20/plain/local:///a.png"
        let response = await origin.handler.patientResponse(to: HTTPRequest.get(target))
        #expect(response.status == 200)
        #expect(response.header("Content-Disposition") == "inline; filename=\"a.png\"")
        let tag = try #require(response.header("ETag"))
        let again = HTTPRequest.get(target, headers: [(name: "If-None-Match", value: tag)])
        #expect(await origin.handler.patientResponse(to: again).status == 304)
        // Also where no result is kept.
        origin.engine = ServerEngine()
        #expect(await origin.handler.patientResponse(to: again).status == 304)
        try Data(png + [0]).write(to: folder.file("a.png"))
        origin.engine = ServerEngine()
        #expect(await origin.handler.patientResponse(to: again).status == 200)
    }

    @Test func `sources outside of the local root don't exist`() async throws {
        let folder = try TemporaryDirectory()
        let outside = try TemporaryDirectory()
        var origin = try ImageOrigin()
        origin.sources.localRoot = folder.path
        let files = FileManager.default
        try Data(png).write(to: outside.file("a.png"))
        try files.createDirectory(at: folder.file("sub"), withIntermediateDirectories: false)
        try Data(png).write(to: folder.file("sub/b.png"))
        try files.createSymbolicLink(
            at: folder.file("out.png"), withDestinationURL: outside.file("a.png"))
        try files.createSymbolicLink(at: folder.file("out"), withDestinationURL: outside.url)
        try files.createSymbolicLink(atPath: folder.file("in.png").path, withDestinationPath: "sub/b.png")
        for path in [
            "out.png", "out/a.png", "../\(outside.url.lastPathComponent)/a.png", "sub", "missing.png",
            "sub/%2e%2e/%2e%2e/\(outside.url.lastPathComponent)/a.png",
        ] {
            let target = "/unsafe/w:20/plain/local:///\(path)"
            let response = await origin.handler.patientResponse(to: HTTPRequest.get(target))
            #expect(response.status == 404, "\(path)")
            #expect(!response.text.contains(folder.path))
        }
        for path in ["in.png", "sub/b.png"] {
            let target = "/unsafe/w:20/plain/local:///\(path)"
            #expect(
                await origin.handler.patientResponse(to: HTTPRequest.get(target)).status == 200, "\(path)")
        }
        origin.sources.localRoot = nil
        let off = HTTPRequest.get("/unsafe/w:21/plain/local:///in.png")
        #expect(await origin.handler.patientResponse(to: off).status == 404)
    }

    @Test func `files in two folders whose names look the same are two sources`() async throws {
        let (composed, decomposed) = ("r\u{e9}", "re\u{301}")
        let folder = try TemporaryDirectory()
        for (index, name) in [composed, decomposed].enumerated() {
            let path = folder.path + "/" + name
            #expect(mkdir(path, 0o700) == 0)
            let descriptor = open(path + "/a.png", O_WRONLY | O_CREAT, 0o600)
            defer { close(descriptor) }
            let bytes = try Bitmap.coordinates(40 + index, 30).encoded(as: .png)
            #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        }
        // A link out of the root leads into a folder whose name Swift finds equal.
        #expect(symlink("../\(decomposed)/a.png", folder.path + "/\(composed)/out.png") == 0)
        var origin = try ImageOrigin()
        origin.sources.localRoot = folder.path + "/" + composed
        origin.responses.sendsDebugHeaders = true
        func get(_ path: String) async -> ServerResponse {
            await origin.handler.patientResponse(to: HTTPRequest.get("/unsafe/f:png/plain/local:///\(path)"))
        }
        #expect(await get("a.png").status == 200)
        #expect(await get("out.png").status == 404)
        // Nor are their results the same.
        origin.sources.localRoot = folder.path
        #expect(await get("r%C3%A9/a.png").header("X-Origin-Width") == "40")
        #expect(await get("re%CC%81/a.png").header("X-Origin-Width") == "41")
    }

    @Test func `sources in settings may have any address, but redirect to no other`() async throws {
        var origin = try ImageOrigin()
        origin.sources.addressPolicy = .publicOnly
        origin.server.serve("/f", png)
        origin.server.serve("/there", Reply.redirect(to: origin.server.address("/f")))
        let target = "/unsafe/w:20/plain/http://10.0.0.1/"
        origin.sources.fallback = .url(origin.server.address("/there"))
        #expect(await origin.handler.patientResponse(to: HTTPRequest.get(target)).status == 404)
        #expect(origin.server.requestCount(path: "/f") == 0)
        origin.sources.fallback = .url(origin.server.address("/f"))
        #expect(await origin.handler.patientResponse(to: HTTPRequest.get(target)).status == 200)
    }

    @Test func `sources are passed on as they are by raw, with ranges and status`() async throws {
        let origin = try ImageOrigin()
        origin.server.route("/s.txt") { request in
            if request.header("If-None-Match") == "\"1\"" { return .status(304) }
            guard request.header("Range") == "bytes=1-2" else {
                return Reply(
                    body: Array("hello".utf8), contentType: "text/plain", headers: [("ETag", "\"1\"")])
            }
            return Reply(status: 206, body: Array("el".utf8), headers: [("Content-Range", "bytes 1-2/5")])
        }
        let whole = await origin.get("raw:1", "/s.txt")
        #expect(whole.status == 200 && whole.text == "hello" && whole.header("ETag") == "\"1\"")
        #expect(whole.header("Content-Type") == "text/plain")
        #expect(whole.header("Content-Disposition") == "inline; filename=\"s.txt\"")
        #expect(whole.header("Content-Security-Policy")?.contains("sandbox") == true)
        let part = await origin.get("raw:1", "/s.txt", headers: [("Range", "bytes=1-2")])
        #expect(part.status == 206 && part.text == "el" && part.header("Content-Range") == "bytes 1-2/5")
        #expect(
            await origin.get("raw:1", "/s.txt", headers: [("If-None-Match", "\"1\"")]).status == 304)
        #expect(await origin.get("raw:1", "/missing").status == 404)
    }
}
