import AlcedoHTTPServer
import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoCaches
@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Cached results` {
    private let png: [UInt8]

    init() throws { png = try Bitmap.coordinates(40, 30).encoded(as: .png) }

    @Test func `cached results are not looked up without time, which is no fault of the disk`() async throws {
        let folder = try TemporaryDirectory()
        let late = Recorder<Void>()
        let store = ResultStore(cache: try EntryCache(in: folder), shared: nil, memoryBytes: 1 << 20) {
            late.append(())
        }
        for number in 0..<200 {
            let found = await store.result(forKey: "\(number)", until: .now - .seconds(1))
            #expect(found == nil)
        }
        #expect(late.values.isEmpty)
    }

    @Test func `cached results come from memory, then from the disk, as the same bytes`() async throws {
        let folder = try TemporaryDirectory()
        let cache = try EntryCache(in: folder)
        var origin = try ImageOrigin(cache: cache) { $0.responses.sendsDebugHeaders = true }
        origin.server.serve("/s", png, headers: [("ETag", "\"1\"")])
        let first = await origin.get("w:20", "/s")
        #expect(first.tier == .source)
        let request = HTTPRequest.get(origin.target("w:20", "/s"))
        let second = try #require(origin.handler.immediateResponse(to: request))
        #expect(second.tier == .memory && second.body == first.body)
        // Another process, with an empty memory.
        origin.engine = ServerEngine(cache: cache)
        #expect(origin.handler.immediateResponse(to: request)?.tier == nil)
        let third = await origin.handler.patientResponse(to: request)
        #expect(third.tier == .disk && third.body == first.body && third.header("ETag") == "\"1\"")
        for name in ["X-Origin-Width", "X-Origin-Content-Length", "X-Result-Height"] {
            #expect(first.header(name) != nil && third.header(name) == first.header(name))
        }
        #expect(origin.handler.immediateResponse(to: request)?.tier == .memory)
        #expect(origin.server.requestCount() == 1)
    }

    @Test(arguments: ["private", "no-store"])
    func `results of sources that are not for all clients are not cached`(
        control: String
    ) async throws {
        let folder = try TemporaryDirectory()
        let cache = try EntryCache(in: folder)
        let origin = try ImageOrigin(cache: cache) { $0.responses.keepsOriginals = true }
        origin.server.serve("/s", png, headers: [("Cache-Control", control)])
        for _ in 0..<2 { #expect(await origin.get("w:20", "/s").tier == .source) }
        try await origin.engine.flush(within: 600)
        #expect(try cache.disk.totalSize() == 0)
        #expect(origin.server.requestCount() == 2)
    }

    @Test func `cached results are those of the same source, options, format and settings only`() async throws
    {
        var origin = try ImageOrigin()
        origin.server.serve("/s", png)
        origin.server.serve("/t", png)
        _ = await origin.get("w:20", "/s")
        for options in ["w:20/fn:x", "w:20/att:1", "w:20/exp:99999999999", "rs:fit:20:0"] {
            #expect(await origin.get(options, "/s").tier == .memory, "\(options)")
        }
        for options in ["w:21", "w:20/cb:1", "w:20/q:5", "w:20/fq:jpg:3", "w:20/skp:gif"] {
            #expect(await origin.get(options, "/s").tier == .source, "\(options)")
        }
        #expect(await origin.get("w:20", "/t").tier == .source)
        #expect(await origin.get("w:20", "/s", format: "jpg").tier == .source)
        origin.responses.maxResultDimension = 5
        let other = await origin.get("w:20", "/s")
        #expect(other.tier == .source && other.size?.width == 5)
    }

    @Test func `cached results of required workers, which differ with scp:0, have other keys`() {
        let fingerprints = [DecodeSandbox.off, .preferred, .required].map { isolation in
            var rules = ResponseRules()
            rules.isolation = isolation
            return rules.fingerprint
        }
        #expect(fingerprints[0] == fingerprints[1] && fingerprints[1] != fingerprints[2])
    }

    private final class Elapsed: Sendable {
        let value = Lock(0.0)
    }

    @Test func `cached results expire with the origin's headers where these count`() async throws {
        // A clock of its own, as a response that takes a second is a second old.
        let start = Date()
        let seconds = Elapsed()
        let origin = try ImageOrigin {
            $0.engine = ServerEngine { start.addingTimeInterval(seconds.value.withLock { $0 }) }
            $0.responses.passesCacheControl = true
        }
        for (path, value, tier) in [
            ("/a", "no-store", ServerResponse.Tier.source), ("/b", "private, max-age=9", .source),
            ("/c", "max-age=0", .source), ("/d", "max-age=0, s-maxage=10000", .memory),
            ("/e", "max-age=10000", .memory),
        ] {
            origin.server.serve(path, png, headers: [("Cache-Control", value)])
            _ = await origin.get("w:20", path)
            seconds.value.withLock { $0 += 5 }
            let second = await origin.get("w:20", path)
            #expect(second.tier == tier, "\(value)")
            #expect(second.header("Cache-Control") == value)
            #expect(second.header("Age") == (tier == .memory ? "5" : nil), "\(value)")
        }
    }

    @Test func `cached results that are damaged on the disk are created again`() async throws {
        let folder = try TemporaryDirectory()
        let cache = try EntryCache(in: folder)
        var origin = try ImageOrigin(cache: cache)
        origin.server.serve("/s", png)
        let first = await origin.get("w:20", "/s")
        try await cache.flush(within: 600)
        let files = try #require(
            FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files.allObjects where (try? Data(contentsOf: file).count) ?? 0 > 50 {
            var data = try Data(contentsOf: file)
            data[data.count - 40] ^= 0x55
            try data.write(to: file)
            count += 1
        }
        #expect(count > 0)
        origin.engine = ServerEngine(cache: cache)
        let again = await origin.get("w:20", "/s")
        #expect(again.tier == .source && again.body == first.body)
    }

    @Test func `cached results need a source once if originals are kept`() async throws {
        var origin = try ImageOrigin()
        origin.server.serve("/s", png, headers: [("ETag", "\"1\"")])
        origin.responses.keepsOriginals = true
        #expect(await origin.get("w:20", "/s").status == 200)
        #expect(await origin.get("w:21", "/s").status == 200)
        #expect(await origin.get("w:22", "/s", headers: [("If-None-Match", "\"1\"")]).status == 304)
        #expect(origin.server.requestCount() == 1)
        #expect(await origin.get("w:23/cb:2", "/s").status == 200)
        #expect(origin.server.requestCount() == 2)
    }

    @Test(arguments: [false, true])
    func `cached results are made anew for who has the credential, and replaced`(
        keepsOriginals: Bool
    ) async throws {
        let folder = try TemporaryDirectory()
        let cache = try EntryCache(in: folder)
        var origin = try ImageOrigin(cache: cache) { $0.responses.keepsOriginals = keepsOriginals }
        let keys = SignedPath.short
        (origin.rules.keys, origin.rules.trustedSignatures) = (keys, ["known"])
        let other = try Bitmap.coordinates(40, 20).encoded(as: .png)
        origin.server.serve("/s", Reply(body: png), Reply(body: other), .status(503), .status(404))
        let path = "/w:20/plain/\(origin.server.address("/s"))"
        func signature(of text: String) -> String {
            keys[0].signature(of: Array(text.utf8), size: 32)?.text ?? ""
        }
        func get(_ bypass: String?) async -> ServerResponse {
            let signature = signature(of: path)
            return await origin.handler.patientResponse(
                to: .get("/\(signature)\(path)", headers: bypass.map { [("X-Bypass-Cache", $0)] } ?? []))
        }
        #expect(await get(nil).size?.height == 15)
        let right = signature(of: "/bypass\(path)")
        for wrong in ["", "known", signature(of: path), right + "A"] {
            #expect(await get(wrong).status == 403)
        }
        #expect(origin.server.requestCount() == 1)
        #expect(await get(right).size?.height == 10)
        let kept = await get(nil)
        #expect(kept.tier == .memory && kept.size?.height == 10)
        // What fails in passing takes nothing from others.
        #expect(await get(right).status == 502)
        #expect(await get(nil).size?.height == 10)
        origin.rules.keys = []
        #expect(await get(right).status == 403)
        try await origin.engine.flush(within: 600)
    }

    @Test func `cached results are created once for requests at the same time`() async throws {
        let origin = try ImageOrigin()
        let gate = Gate()
        origin.server.serve("/s", Reply(body: png).hold(.byte(1), until: gate))
        let responses = await withTaskGroup(of: ServerResponse.self) { group in
            for number in 0..<40 { group.addTask { await origin.get("w:\(20 + number % 2)", "/s") } }
            await origin.server.waitForRequests(1)
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.map(\.status) == [Int](repeating: 200, count: 40))
        // Both sizes share the download, unless one asks after it.
        #expect(origin.server.requestCount() <= 2)
        #expect(origin.engine.work.count == 0 && origin.engine.downloads.count == 0)
    }

    @Test func `cached results have a key with all options`() {
        // A new option has to be added to the key, or different results get one name.
        #expect(Mirror(reflecting: ProcessingOptions()).children.count == 43)
        #expect(Mirror(reflecting: SecurityLimits()).children.count == 5)
        #expect(Mirror(reflecting: Trim()).children.count == 4)
        #expect(Mirror(reflecting: Watermark()).children.count == 3)
        #expect(Mirror(reflecting: Crop()).children.count == 3)
    }

    @Test func `cached results are read from whole entries only`() throws {
        var facts = StoredResult.Facts(format: .png)
        facts.width = 3
        let entry = try #require(StoredResult(body: Data([1, 2, 3]), facts: facts).entry)
        let read = try #require(StoredResult(entry: entry))
        #expect(read.body == Data([1, 2, 3]) && read.facts == facts)
        var other = entry
        other[0] ^= 1
        #expect(StoredResult(entry: other) == nil)
        let body = entry.count - 3
        for count in 0..<body { #expect(StoredResult(entry: entry.prefix(count)) == nil) }
        #expect(StoredResult(entry: Data(repeating: 9, count: 10) + entry) == nil)
    }

    @Test func `cached results are not waited for when the disk does not respond`() async throws {
        let (folder, hold) = (try TemporaryDirectory(), Gate())
        let cache = try EntryCache(in: folder)
        let engine = ServerEngine(cache: cache)
        // All threads that read the disk.
        for _ in 0..<4 {
            cache.reads.read {
                hold.wait()
            } then: { _ in
            }
        }
        await hold.waitForArrivals(4)
        #expect(await engine.results.result(forKey: "a", until: .now + .milliseconds(20))?.tier == nil)
        #expect(engine.sources.figures.abandonedCalls.map(\.source) == ["cache"])
        let lookup = Task {
            await engine.results.result(forKey: "a", until: .now + .seconds(1200))?.tier == nil
        }
        lookup.cancel()
        #expect(await lookup.value)
        hold.open()
    }
}
