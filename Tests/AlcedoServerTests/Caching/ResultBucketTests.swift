import Alcedo
import AlcedoHTTPServer
import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10))) struct `A bucket of results` {
    private let facts: ObjectStoreProcess.Facts
    private let png: [UInt8]

    /// Each test has objects of its own.
    private let prefix = "results/\(UUID())/"

    init() throws {
        facts = try ObjectStoreProcess.shared.get().facts
        png = try Bitmap.coordinates(40, 30).encoded(as: .png)
    }

    private func place(
        key: [String]? = nil, endpoint: String? = nil, secret: [UInt8] = []
    ) throws -> ResultBucket.Place {
        let key = key ?? facts.writer
        let credentials = AWSCredentials(keyID: key[0], secret: key[1], sessionToken: key[2])
        let address = try #require(ObjectStore.Endpoint(endpoint ?? facts.endpoint))
        let store = ObjectStore(.keys(.own(credentials)), region: "us-west-1", endpoint: address)
        var place = ResultBucket.Place(
            store: store, scheme: .s3, bucket: "pictures", prefix: prefix, secret: secret)
        // Long limits, because tests share few cores.
        (place.lookupTime, place.writeTime) = (.seconds(600), .seconds(600))
        return place
    }

    /// The origin as a machine sees it that has nothing but the bucket.
    private func machine(
        _ place: ResultBucket.Place, at origin: ImageOrigin? = nil, knowsPurges: Bool = true,
        ahead seconds: Double = 0
    ) async throws -> ImageOrigin {
        var machine = try origin ?? ImageOrigin()
        machine.engine = ServerEngine(bucket: place) { Date(timeIntervalSinceNow: seconds) }
        if knowsPurges { await machine.engine.exchangePurges() }
        return machine
    }

    private func counts(_ machine: ImageOrigin) throws -> ResultBucket.Counts {
        try #require(machine.engine.results.bucket).counts
    }

    @Test func `a bucket of results outlasts all other caches`() async throws {
        let first = try await machine(try place())
        first.server.serve("/s", png, headers: [("ETag", "\"1\"")])
        let made = await first.get("w:20", "/s")
        #expect(made.tier == .source)
        #expect(await first.get("w:20", "/s").tier == .memory)
        try await first.engine.flush(within: 600)
        let own = try counts(first)
        #expect(own.writes == 1 && own.misses == 1)
        let second = try await machine(try place(), at: first)
        let found = await second.get("w:20", "/s")
        #expect(found.tier == .bucket && found.body == made.body && found.header("ETag") == "\"1\"")
        #expect(await second.get("w:20", "/s").tier == .memory)
        #expect(await second.get("w:21", "/s").tier == .source)
        #expect(try counts(second).hits == 1 && first.server.requestCount(path: "/s") == 2)
    }

    @Test func `a bucket of results has the source of what is out of date checked, and is not written again`()
        async throws
    {
        let headers = [("ETag", "\"1\""), ("Cache-Control", "max-age=60")]
        let first = try await machine(try place())
        first.server.serve("/s", Reply(body: png, headers: headers), .status(304, headers: headers))
        let made = await first.get("w:20", "/s")
        try await first.engine.flush(within: 600)
        let second = try await machine(try place(), at: first, ahead: 100)
        let checked = await second.get("w:20", "/s")
        #expect(checked.tier == .bucket && checked.body == made.body)
        #expect(first.server.requests().map { $0.header("If-None-Match") } == [nil, "\"1\""])
        try await second.engine.flush(within: 600)
        #expect(try counts(second).writes == 0)
        #expect(await second.get("w:20", "/s").tier == .memory)
    }

    @Test func `a bucket of results keeps purges, and nothing is used before they are known`() async throws {
        let first = try await machine(try place())
        first.server.serve("/s", Reply(body: png, headers: [("ETag", "\"1\"")]))
        _ = await first.get("w:20", "/s")
        try await first.engine.flush(within: 600)
        let unsure = try await machine(try place(), at: first, knowsPurges: false)
        _ = await unsure.get("w:20", "/s")
        #expect(first.server.requestCount() == 2)
        try await first.engine.purge(["source \(first.server.address("/s"))"])
        let second = try await machine(try place(), at: first)
        #expect(second.engine.purges.list.dates.count == 1)
        _ = await second.get("w:20", "/s")
        #expect(first.server.requestCount() == 3)
    }

    @Test func `a bucket of results whose purges can't be read has each source checked`() async throws {
        let gateway = try LoopbackServer()
        let place = try place(endpoint: gateway.address(""))
        let kept = Lock<[UInt8]>([1, 2, 3])
        gateway.route(try path("purges", place)) { request in
            if request.method == "PUT" { kept.withLock { $0 = request.body } }
            return Reply(body: kept.withLock { Array($0) })
        }
        let machine = try await machine(place)
        let purged = machine.engine.purges.list.all
        #expect(purged > Date(timeIntervalSinceNow: -600))
        #expect(machine.engine.results.bucket?.hasPurges == true)
        // Only once.
        await machine.engine.exchangePurges()
        #expect(machine.engine.purges.list.all == purged)
        #expect(gateway.requests().map(\.method) == ["GET", "PUT", "GET"])
    }

    @Test func `a bucket of results loses those whose source is gone, and gets none that is private`()
        async throws
    {
        let first = try await machine(try place())
        first.server.serve("/s", Reply(body: png, headers: [("Cache-Control", "max-age=60")]), .status(404))
        first.server.serve("/private", png, headers: [("Cache-Control", "private")])
        #expect(await first.get("w:20", "/private").status == 200)
        _ = await first.get("w:20", "/s")
        try await first.engine.flush(within: 600)
        #expect(try counts(first).writes == 1)
        let second = try await machine(try place(), at: first, ahead: 100)
        #expect(await second.get("w:20", "/s").status == 404)
        try await second.engine.flush(within: 600)
        let third = try await machine(try place(), at: first)
        #expect(await third.get("w:20", "/s").status == 404)
        #expect(try counts(third).hits == 0)
    }

    /// The path of an object at the endpoint.
    private func path(_ key: String, _ place: ResultBucket.Place) throws -> String {
        "/pictures/\(try #require(try bucket(place).object(for: key)).key)"
    }

    private func bucket(_ place: ResultBucket.Place) throws -> ResultBucket {
        try #require(ServerEngine(bucket: place).results.bucket)
    }

    @Test(arguments: ["none", "damaged", "misplaced"])
    func `a bucket of results is believed only with the right signature`(flaw: String) async throws {
        let gateway = try LoopbackServer()
        let place = try place(endpoint: gateway.address(""), secret: Array(repeating: 1, count: 16))
        let kept = Lock<[UInt8]>([])
        for key in ["a", "b"] {
            // Gives out one object for the other, and a changed one.
            gateway.route(try path(key, place)) { request in
                if request.method == "PUT" { kept.withLock { $0 = request.body } }
                var body = kept.withLock { Array($0) }
                if flaw == "damaged" { body[body.count / 2] ^= 1 }
                return Reply(body: body)
            }
        }
        let result = StoredResult(body: Data(png), facts: .init(format: .png))
        let bucket = try bucket(place)
        await bucket.write(try #require(result.entry), forKey: "a")
        let finding = await bucket.find(flaw == "misplaced" ? "b" : "a", within: .seconds(600))
        if case .found(let found) = finding {
            #expect(flaw == "none" && found.body == result.body && found.facts == result.facts)
        } else {
            #expect(flaw != "none" && bucket.counts.wrong == 1)
        }
    }

    @Test func `a bucket of results has another set of them for another secret`() async throws {
        let result = StoredResult(body: Data(png), facts: .init(format: .png))
        let first = try bucket(try place(secret: Array(repeating: 1, count: 16)))
        await first.write(try #require(result.entry), forKey: "a")
        let second = try bucket(try place(secret: Array(repeating: 2, count: 16)))
        _ = await second.find("a", within: .seconds(600))
        #expect(second.counts.misses == 1 && second.counts.wrong == 0)
        _ = await first.find("a", within: .seconds(600))
        #expect(first.counts.hits == 1)
    }

    @Test func `a bucket of results that rejects the key fails no request, and is reported once`()
        async throws
    {
        let wrong = try await machine(try place(key: [facts.writer[0], "hunter2", ""]), knowsPurges: false)
        let warnings = Lock<[String]>([])
        wrong.engine.sources.log { _, text in warnings.withLock { $0.append(text) } }
        wrong.server.serve("/s", png)
        for width in 20..<23 { #expect(await wrong.get("w:\(width)", "/s").tier == .source) }
        try await wrong.engine.flush(within: 600)
        let counts = try counts(wrong)
        #expect(counts.lookupFailures == 3 && counts.writeFailures == 3 && counts.writes == 0)
        let place = "s3://pictures/\(prefix)"
        let reason = "the response has the status 403 (SignatureDoesNotMatch)"
        #expect(
            Set(warnings.withLock { Array($0) }) == [
                "results in \(place) can't be read: \(reason)",
                "results can't be written to \(place): \(reason)",
            ])
    }

    @Test func `a bucket of results that does not respond is waited for only so long`() async throws {
        let gateway = try LoopbackServer()
        let gate = Gate()
        let place = try place(endpoint: gateway.address(""))
        gateway.serve(try path("key", place), Reply(body: []).hold(.head, until: gate))
        let bucket = try bucket(place)
        guard case .failed = await bucket.find("key", within: .milliseconds(20)) else {
            Issue.record("a bucket that does not respond has responded")
            return
        }
        #expect(bucket.counts.lookupFailures == 1)
        gate.open()
    }
}
