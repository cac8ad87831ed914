import AlcedoHTTPServer
import AlcedoMemcached
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `Purged results` {
    private let old: [UInt8]
    private let new: [UInt8]

    init() throws {
        old = try Bitmap.coordinates(40, 30).encoded(as: .png)
        new = try Bitmap.coordinates(40, 20).encoded(as: .png)
    }

    /// The status of a request, whose path is signed if `isSigned`, to a server with `settings`.
    private func purge(
        _ path: String, _ settings: [String: String], on engine: ServerEngine, signature: String? = nil,
        authorization: String? = nil
    ) async throws -> Int {
        let environment = ["ALCEDO_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true"].merging(settings) { $1 }
        let settings = try SettingTexts(environment: environment).settings()
        let handler = RequestHandler(
            settings: settings, log: RequestLog(LogWriter { _ in }), engine: engine)
        let own = settings.urls.keys.first?.signature(of: Array(path.utf8), size: 32)?.text
        var request = HTTPRequest.get("/\(signature ?? own ?? "unsafe")\(path)")
        request.method = "PURGE"
        if let authorization { request.headers.add("Authorization", authorization) }
        #expect(handler.immediateResponse(to: request)?.status == nil)
        return await handler.response(to: request).status
    }

    private let keys = ["ALCEDO_KEY": "736563726574", "ALCEDO_SALT": "68656c6c6f"]

    @Test(arguments: ["source", "tag", "surrogate"])
    func `purged results are made again, of a source or of all with a tag`(what: String) async throws {
        let origin = try ImageOrigin()
        let headers = [("Cache-Tag", "cats, pets"), ("Surrogate-Key", "animals")]
        origin.server.serve("/s", Reply(body: old, headers: headers), Reply(body: new, headers: headers))
        origin.server.serve("/other", Reply(body: old), Reply(body: new))
        let first = await origin.get("w:20", "/s")
        #expect(first.size?.height == 15 && first.header("Cache-Tag") == "cats,pets,animals")
        #expect(await origin.get("w:20", "/other").size?.height == 15)
        let path =
            switch what {
            case "source": "/source/plain/\(origin.server.address("/s"))"
            case "tag": "/tag/dogs/pets"
            default: "/tag/animals"
            }
        #expect(try await purge(path, keys, on: origin.engine) == 200)
        let request = HTTPRequest.get(origin.target("w:20", "/s"))
        #expect(origin.handler.immediateResponse(to: request)?.status == nil)
        #expect(await origin.get("w:20", "/s").size?.height == 10)
        #expect(await origin.get("w:20", "/other").size?.height == 15)
    }

    @Test func `purged results are not used if their origin fails`() async throws {
        let origin = try ImageOrigin()
        origin.server.serve("/s", Reply(body: old), Reply.status(503))
        #expect(await origin.get("w:20", "/s").status == 200)
        #expect(
            try await purge("/source/plain/\(origin.server.address("/s"))", keys, on: origin.engine)
                == 200)
        #expect(await origin.get("w:20", "/s").status == 502)
    }

    @Test func `purges need a signature of their own, or the secret`() async throws {
        let engine = ServerEngine()
        let path = "/source/plain/http://a.example/b.png"
        #expect(try await purge(path, keys, on: engine, signature: "unsafe") == 403)
        let trusted = keys.merging(["ALCEDO_TRUSTED_SIGNATURES": "known"]) { $1 }
        #expect(try await purge(path, trusted, on: engine, signature: "known") == 403)
        #expect(try await purge(path, [:], on: engine) == 403)
        let secret = ["ALCEDO_SECRET": "token"]
        #expect(try await purge(path, secret, on: engine) == 403)
        #expect(try await purge(path, secret, on: engine, authorization: "Bearer token") == 200)
        #expect(try await purge("/w:20/plain/http://a.example/b.png", keys, on: engine) == 404)
        #expect(try await purge("/tag", keys, on: engine) == 404)
    }

    @Test func `purges outlive a restart, and their number is bounded`() async throws {
        let folder = try TemporaryDirectory()
        let cache = try EntryCache(in: folder)
        let engine = ServerEngine(cache: cache)
        try await engine.purge(["tag a"])
        // Which leaves nothing that can be created again.
        cache.disk.config.sizeLimit = 1
        _ = try cache.disk.removeSizeExceededValues()
        #expect(try cache.disk.totalSize() == 0)
        let next = ServerEngine(cache: cache)
        #expect(await next.loadPurges(within: 600) == nil)
        #expect(next.purges.list == engine.purges.list && next.purges.list.dates.count == 1)
        let purges = Purges()
        let start = Date()
        for number in 0...Purges.most {
            purges.merge(.init(dates: ["\(number)": start.addingTimeInterval(Double(number * 10))]))
        }
        #expect(purges.list.dates.count == Purges.most)
        #expect(purges.include([], checkedAt: start) && purges.include(["0"], checkedAt: start))
        #expect(!purges.include(["x"], checkedAt: start.addingTimeInterval(1)))
        #expect(purges.include(["1"], checkedAt: start.addingTimeInterval(11)))
        #expect(!purges.include(["1"], checkedAt: start.addingTimeInterval(13)))
    }

    @Test func `purges that can't be read are one of everything, and those that can't be kept an error`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let cache = try EntryCache(in: folder)
        var origin = try ImageOrigin(cache: cache)
        let headers = [("Cache-Control", "max-age=1000")]
        origin.server.serve("/s", Reply(body: old, headers: headers), Reply(body: new, headers: headers))
        #expect(await origin.get("w:20", "/s").size?.height == 15)
        try await origin.engine.purge(["tag a"])
        try await origin.engine.flush(within: 600)
        let file = try #require(origin.engine.purgeFile).path
        try Data("{".utf8).write(to: URL(filePath: file))
        origin.engine = ServerEngine(cache: cache)
        let warning = await origin.engine.loadPurges(within: 600)
        #expect(warning?.contains("damaged") == true)
        #expect(await origin.get("w:20", "/s").size?.height == 10)
        // In the place of the file that is written.
        try FileManager.default.createDirectory(
            atPath: file + "-new", withIntermediateDirectories: false)
        let status = try await purge("/tag/b", keys, on: origin.engine)
        #expect(status == 503 && origin.engine.purges.list.dates["tag b"] != nil)
        try FileManager.default.removeItem(atPath: file + "-new")
        #expect(try await purge("/tag/c", keys, on: origin.engine) == 200)
        let next = ServerEngine(cache: cache)
        #expect(await next.loadPurges(within: 600) == nil)
        #expect(next.purges.list == origin.engine.purges.list)
    }

    @Test func `purges apply to requests after them, whose work or download began before`() async throws {
        let origin = try ImageOrigin()
        let gate = Gate()
        origin.server.serve("/s", Reply(body: old).hold(.byte(1), until: gate), Reply(body: new))
        let before = Task { await origin.get("w:20", "/s") }
        await origin.server.waitForRequests(1)
        let path = "/source/plain/\(origin.server.address("/s"))"
        #expect(try await purge(path, keys, on: origin.engine) == 200)
        #expect(await origin.get("w:20", "/s").size?.height == 10)
        #expect(await origin.get("w:40", "/s").size?.height == 20)
        gate.open()
        #expect(await before.value.size?.height == 15)
    }

    #if Memcached
        @Test func `purges reach all machines, even if two purge at the same time`() async throws {
            let node = try MemcachedProcess()
            func engine() throws -> ServerEngine {
                var settings = ServerCacheSettings()
                settings.memcached = [node.server]
                settings.memcachedSecret = Array("0123456789abcdef".utf8)
                let patient = MemcachedSettings {
                    ($0.connectTimeout, $0.pollTimeout) = (.seconds(60), .seconds(60))
                    $0.callTimeout = .seconds(600)
                }
                let tier = try SharedTier(settings, client: patient) {
                    $0.lookupTimeout = .seconds(600)
                    ($0.writeTimeout, $0.epoch) = (.seconds(600), .fixed(1))
                }
                return ServerEngine(tier: tier)
            }
            let engines = [try engine(), try engine(), try engine()]
            await withTaskGroup { group in
                for (number, engine) in engines.enumerated() {
                    group.addTask { try? await engine.purge(["tag \(number)"]) }
                }
            }
            var rounds = 0
            while engines.contains(where: { $0.purges.list.dates.count < 3 }), rounds < 1000 {
                rounds += 1
                for engine in engines {
                    await engine.exchangePurges()
                    try await engine.flush(within: 600)
                }
            }
            #expect(engines.map { $0.purges.list.dates.count } == [3, 3, 3])
            let late = try engine()
            await late.exchangePurges()
            #expect(late.purges.list.dates.count == 3)
        }
    #endif
}
