import AlcedoHTTPServer
import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Kept results of sources that change` {
    private let old: [UInt8]
    private let new: [UInt8]

    /// Seconds after the start of the test, for kept results.
    private let time = Clock()

    private final class Clock: Sendable {
        let seconds = Lock(0.0)
    }

    init() throws {
        old = try Bitmap.coordinates(40, 30).encoded(as: .png)
        new = try Bitmap.coordinates(40, 20).encoded(as: .png)
    }

    private func origin(_ change: (inout ImageOrigin) -> Void = { _ in }) throws -> ImageOrigin {
        let start = Date()
        let time = time
        return try ImageOrigin { origin in
            origin.engine = ServerEngine { start.addingTimeInterval(time.seconds.withLock { $0 }) }
            change(&origin)
        }
    }

    private func advance(to seconds: Double) { time.seconds.withLock { $0 = seconds } }

    /// Serves the old image at first, and `later` to requests that come after that.
    private func serve(
        _ headers: [(String, String)], then later: Reply, at path: String = "/s", by origin: ImageOrigin
    ) {
        origin.server.serve(path, Reply(body: old, headers: headers), later)
    }

    private func conditions(_ origin: ImageOrigin) -> [String?] {
        origin.server.requests().map { $0.header("If-None-Match") }
    }

    @Test func `kept results are used until their source says, and then confirmed by one condition`()
        async throws
    {
        let origin = try origin()
        let headers = [("ETag", "\"1\""), ("Cache-Control", "max-age=60")]
        serve(headers, then: .status(304, headers: headers), by: origin)
        let first = await origin.get("w:20", "/s")
        advance(to: 59)
        #expect(await origin.get("w:20", "/s").tier == .memory)
        #expect(conditions(origin) == [nil])
        advance(to: 61)
        let second = await origin.get("w:20", "/s")
        #expect(second.tier == .memory && second.body == first.body)
        #expect(conditions(origin) == [nil, "\"1\""])
        advance(to: 120)
        #expect(await origin.get("w:20", "/s").tier == .memory)
        #expect(conditions(origin).count == 2)
    }

    @Test(arguments: [
        ("max-age=60", 61.0), ("no-cache", 0), ("max-age=1000, s-maxage=60", 61), ("max-age=100000", 3601),
        ("", 3601),
    ])
    func `kept results are replaced when their source has changed`(control: String, seconds: Double)
        async throws
    {
        let origin = try origin()
        serve(control.isEmpty ? [] : [("Cache-Control", control)], then: Reply(body: new), by: origin)
        #expect(await origin.get("w:20", "/s").size?.height == 15)
        if seconds > 1 {
            advance(to: seconds - 2)
            #expect(await origin.get("w:20", "/s").size?.height == 15)
        }
        advance(to: seconds)
        #expect(await origin.get("w:20", "/s").size?.height == 10)
    }

    @Test func `kept results go when their source is gone`() async throws {
        let origin = try origin()
        serve([], then: .status(404), by: origin)
        #expect(await origin.get("w:20", "/s").status == 200)
        advance(to: 4000)
        #expect(await origin.get("w:20", "/s").status == 404)
        advance(to: 10)
        #expect(await origin.get("w:20", "/s").status == 404)
    }

    @Test(arguments: [("max-age=60", 200), ("max-age=60, must-revalidate", 502), ("s-maxage=60", 502)])
    func `kept results are used while their origin fails, unless that is forbidden`(
        control: String, status: Int
    ) async throws {
        let origin = try origin()
        serve([("Cache-Control", control)], then: .status(503), by: origin)
        #expect(await origin.get("w:20", "/s").status == 200)
        advance(to: 100)
        #expect(await origin.get("w:20", "/s").status == status)
    }

    @Test func `kept results are used while they are renewed, for as long as their source allows`()
        async throws
    {
        let origin = try origin()
        serve(
            [("Cache-Control", "max-age=60, stale-while-revalidate=30")], then: Reply(body: new), by: origin)
        #expect(await origin.get("w:20", "/s").size?.height == 15)
        advance(to: 70)
        let aging = await origin.get("w:20", "/s")
        #expect(aging.tier == .memory && aging.size?.height == 15)
        await origin.server.waitForRequests(2)
        while await origin.get("w:20", "/s").size?.height != 10 { try Task.checkCancellation() }
    }

    @Test(arguments: [("Cache-Control", "no-cache"), ("Cache-Control", "max-age=0"), ("Pragma", "no-cache")])
    func `kept results are checked for a client that wants that`(name: String, value: String) async throws {
        let origin = try origin()
        serve([("Cache-Control", "max-age=1000")], then: Reply(body: new), by: origin)
        #expect(await origin.get("w:20", "/s").size?.height == 15)
        #expect(await origin.get("w:20", "/s").size?.height == 15)
        #expect(await origin.get("w:20", "/s", headers: [(name, value)]).size?.height == 10)
        #expect(await origin.get("w:20", "/s").size?.height == 10)
    }

    @Test func `kept originals are checked like results`() async throws {
        let origin = try origin { $0.responses.keepsOriginals = true }
        serve([("Cache-Control", "max-age=60"), ("ETag", "\"1\"")], then: Reply(body: new), by: origin)
        #expect(await origin.get("w:20", "/s").size?.height == 15)
        advance(to: 61)
        #expect(await origin.get("w:40", "/s").size?.height == 20)
        #expect(conditions(origin) == [nil, "\"1\""])
    }

    @Test func `kept results of an original are as old as it`() async throws {
        let origin = try origin {
            ($0.responses.keepsOriginals, $0.responses.passesCacheControl) = (true, true)
        }
        serve([("Cache-Control", "max-age=60")], then: Reply(body: new), by: origin)
        #expect(await origin.get("w:20", "/s").size?.height == 15)
        advance(to: 50)
        let other = await origin.get("w:40", "/s")
        #expect(other.size?.height == 30)
        #expect((50...).contains(other.header("Age").flatMap { Int($0) } ?? 0))
        advance(to: 61)
        #expect(await origin.get("w:40", "/s").size?.height == 20)
        #expect(conditions(origin).count == 2)
    }

    @Test func `kept originals that are used while their origin fails confirm nothing`() async throws {
        let origin = try origin { $0.responses.keepsOriginals = true }
        let headers = [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]
        origin.server.serve(
            "/s", Reply(body: old, headers: headers), .status(503), .status(503), Reply(body: new))
        #expect(await origin.get("w:20", "/s").size?.height == 15)
        advance(to: 61)
        #expect(await origin.get("w:40", "/s").size?.height == 30)
        #expect(await origin.get("w:20", "/s").size?.height == 15)
        #expect(conditions(origin).count == 3)
        // Within the lifetime that a confirmation would have given them.
        advance(to: 90)
        #expect(await origin.get("w:20", "/s").size?.height == 10)
        #expect(await origin.get("w:40", "/s").size?.height == 20)
    }

    @Test(arguments: ["no-store", "private"], [true, false])
    func `kept results and originals leave the disk once their source forbids to keep them`(
        control: String, isChanged: Bool
    ) async throws {
        let folder = try TemporaryDirectory()
        let cache = try EntryCache(in: folder)
        let start = Date()
        let time = time
        func engine() -> ServerEngine {
            ServerEngine(cache: cache) { start.addingTimeInterval(time.seconds.withLock { $0 }) }
        }
        var origin = try ImageOrigin { ($0.engine, $0.responses.keepsOriginals) = (engine(), true) }
        let (tag, forbidden) = (("ETag", "\"1\""), ("Cache-Control", control))
        serve(
            [tag, ("Cache-Control", "max-age=60")],
            then: isChanged
                ? Reply(body: new, headers: [forbidden]) : .status(304, headers: [tag, forbidden]),
            by: origin)
        #expect(await origin.get("w:20", "/s").status == 200)
        try await cache.flush(within: 600)
        #expect(try cache.disk.totalSize() > 0)
        origin.engine = engine()
        advance(to: 61)
        #expect(await origin.get("w:20", "/s").header("Cache-Control")?.contains(control) == true)
        try await cache.flush(within: 600)
        #expect(try cache.disk.totalSize() == 0)
    }

    @Test func `kept results are forgotten if a redirect to their source forbids to keep them`() async throws
    {
        let origin = try origin()
        let location = ("Location", "/s")
        origin.server.serve(
            "/r", .status(302, headers: [location]),
            .status(302, headers: [location, ("Cache-Control", "private")]))
        serve([("ETag", "\"1\""), ("Cache-Control", "max-age=60")], then: .status(304), by: origin)
        #expect(await origin.get("w:20", "/r").status == 200)
        advance(to: 61)
        #expect(await origin.get("w:20", "/r").header("Cache-Control")?.contains("private") == true)
        let request = HTTPRequest.get(origin.target("w:20", "/r"))
        #expect(origin.handler.immediateResponse(to: request)?.status == nil)
    }

    @Test func `kept results are forgotten once their source forbids to keep them`() async throws {
        let origin = try origin()
        let tag = ("ETag", "\"1\"")
        serve(
            [tag, ("Cache-Control", "max-age=60")],
            then: .status(304, headers: [tag, ("Cache-Control", "no-store")]), by: origin)
        #expect(await origin.get("w:20", "/s").status == 200)
        advance(to: 61)
        let confirmed = await origin.get("w:20", "/s")
        #expect(confirmed.status == 200 && confirmed.header("Cache-Control") == "no-store")
        let request = HTTPRequest.get(origin.target("w:20", "/s"))
        #expect(origin.handler.immediateResponse(to: request)?.status == nil)
    }

    @Test func `kept results of files follow them, also from the disk`() async throws {
        let (folder, root) = (try TemporaryDirectory(), try TemporaryDirectory())
        let cache = try EntryCache(in: folder)
        var origin = try ImageOrigin(cache: cache) { $0.sources.localRoot = root.path }
        let request = HTTPRequest.get("/unsafe/w:20/plain/local:///a.png")
        let file = root.file("a.png")
        try Data(old).write(to: file)
        #expect(await origin.handler.patientResponse(to: request).size?.height == 15)
        #expect(await origin.handler.patientResponse(to: request).tier == .memory)
        try Data(new).write(to: file, options: .atomic)
        #expect(await origin.handler.patientResponse(to: request).size?.height == 10)
        try await cache.flush(within: 600)
        origin.engine = ServerEngine(cache: cache)
        #expect(await origin.handler.patientResponse(to: request).tier == .disk)
        try FileManager.default.removeItem(at: file)
        origin.engine = ServerEngine(cache: cache)
        #expect(await origin.handler.patientResponse(to: request).status == 404)
        #expect(await origin.handler.patientResponse(to: request).status == 404)
    }

    @Test func `results with a watermark follow its file`() async throws {
        let root = try TemporaryDirectory()
        let file = root.file("mark.png")
        var origin = try origin()
        origin.server.serve("/s", old)
        origin.responses.watermark = .path(file.path)
        for color in [[255, 0, 0], [0, 0, 255]] {
            try Data(Bitmap.drawn(4, 4) { _, _ in color }.encoded(as: .png)).write(to: file, options: .atomic)
            let bitmap = try await origin.bitmap("wm:1:ce:0:0:1", "/s")
            #expect(Array(bitmap.pixel(20, 15).prefix(3)) == color)
        }
    }
}
