import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A shared cache that fails` {
    @Test
    func `a shared cache that hangs delays a load up to its limit, and then no load at all`() async throws {
        let fleet = try Fleet(1) {
            ($0.lookupTimeout, $0.writeTimeout, $0.epoch) = (.seconds(0.1), .seconds(0.1), .fixed(1))
        }
        let gate = Gate()
        fleet.store.gate.withLock { $0 = gate }
        for index in 0..<20 {
            fleet.server.serve("/\(index).png", try Sample.png(3, 1))
            #expect(try await fleet.load("/\(index).png").image.size.width == 3)
        }
        let counts = fleet[0].shared.counts
        #expect(fleet[0].shared.isSuspended)
        // Those that suspend it: no time passes until it would be tried again.
        #expect(counts.failures == 10)
        #expect(counts.skipped > 0)
        gate.open()
    }

    @Test func `a failing shared cache fails no load`() async throws {
        let fleet = try Fleet(1) { $0.epoch = .fixed(1) }
        fleet.store.state.withLock { $0.fails = true }
        for index in 0..<20 {
            fleet.server.serve("/\(index).png", try Sample.png(3, 1))
            try await fleet.load("/\(index).png")
        }
        #expect(fleet[0].shared.counts.failures == 10)
        await #expect(throws: SharedCacheError.epochIsFixed) { try await fleet[0].shared.bumpEpoch() }
    }

    @Test func `a shared cache is not asked while its epoch is unknown`() async throws {
        let fleet = try Fleet(1)
        fleet.store.state.withLock { $0.fails = true }
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        try await fleet.load("/a.png")
        #expect(fleet.store.images.isEmpty)
        await #expect(throws: SharedCacheError.noResponse) { try await fleet[0].shared.bumpEpoch() }
    }

    @Test(arguments: ["9223372036854775807", "9007199254740991", "9007199254740992", "-1", "x"])
    func `a shared cache may have any number for its epoch`(number: String) async throws {
        let fleet = try Fleet(1)
        fleet.store.state.withLock {
            $0.values[SharedPrefix.epochName(namespace: "default")] = Data(number.utf8)
        }
        let next = try await fleet[0].shared.bumpEpoch()
        #expect(next == (number == "9007199254740991" ? 9_007_199_254_740_992 : 1))
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        try await fleet.load("/a.png")
    }

    @Test func `a shared cache keeps no credentials of a failure`() async throws {
        let fleet = try Fleet(1) { $0.epoch = .fixed(1) }
        let key = SharedKey(.original, of: "a")
        let (shared, now) = (fleet[0].shared, Date())
        shared.write(
            RememberedFailure(
                status: 404, reason: "https://me:hunter2@h.test/?token=hunter2", date: now,
                expiration: now.addingTimeInterval(1000)),
            for: SharedFetch(of: [key], in: shared, right: .set))
        try await shared.flush(within: .seconds(600))
        let values = fleet.store.state.withLock { $0.values }.values
        // Compared as bytes: a signature that starts with a combining mark joins the last character before it.
        func stored(_ text: String) -> Bool { values.contains { $0.firstRange(of: text.utf8) != nil } }
        #expect(stored("https://…@h.test/?…"))
        #expect(!stored("hunter2"))
    }

    @Test func `damaged, misplaced and forged shared values are deleted, and the right images loaded`()
        async throws
    {
        let fleet = try Fleet(2) { $0.epoch = .fixed(1) }
        let paths = ["/a.png", "/b.png", "/c.png"]
        for (index, path) in paths.enumerated() {
            fleet.server.serve(path, try Sample.png(index + 1, 1))
            try await fleet.load(path)
        }
        let names = paths.map { path in
            SharedPrefix(namespace: "default", epoch: 1)
                .name(of: SharedKey(.original, of: fleet.server.url(path).cacheKey))
        }
        fleet.store.state.withLock { state in
            state.values[names[0]]?[100] ^= 1
            state.values[names[1]] = state.values[names[2]]
            if let value = try? SharedValue(
                state.values[names[2]] ?? Data(), name: names[2], secrets: fleet[0].shared.settings.secrets)
            {
                state.values[names[2]] = value.sealed(name: names[2], secret: Data("other".utf8))
            }
        }
        for (index, path) in paths.enumerated() {
            #expect(try await fleet.load(path, on: 1).image.size.width == CGFloat(index + 1))
        }
        // The look after a won lease may come before the deletion, and find a wrong value again.
        #expect((3...6).contains(fleet[1].shared.counts.wrongValues))
        #expect(fleet.server.requestCount() == 6)
        // Right again.
        fleet[0].cache.clearMemoryCache()
        try fleet[0].cache.diskStorage.removeAll()
        for path in paths { #expect(try await fleet.load(path).tier == .shared) }
    }

    @Test func `a shared cache holds a large image to the limits of a download`() async throws {
        let fleet = try Fleet()
        fleet.server.serve("/a.png", try Sample.png(30, 30))
        try await fleet.load("/a.png")
        let limits = DecodeLimits { $0.pixelsPerFrame = 100 }
        let error = await kingfisherError {
            try await fleet.load("/a.png", on: 1, [.decodeLimits(limits), .backgroundDecode])
        }
        #expect(error != nil)
        #expect(fleet.store.images.count == 1)
    }

    struct Failing: Sendable {
        let status: Int
        let seconds: TimeInterval
    }

    @Test(arguments: [
        Failing(status: 404, seconds: 60), Failing(status: 410, seconds: 60),
        Failing(status: 503, seconds: 5),
    ])
    func `a shared cache has the fleet remember that a source has failed`(_ failing: Failing) async throws {
        let fleet = try Fleet()
        fleet.server.serve("/a.png", Reply.status(failing.status))
        for machine in [0, 1, 1, 0] {
            let error = await kingfisherError { try await fleet.load("/a.png", on: machine) }
            try await fleet[machine].cache.flush(within: .seconds(1000))
            #expect(error != nil)
            if fleet[machine].shared.counts.negativeHits > 0 {
                #expect(error?.rememberedFailure?.status == failing.status)
            }
        }
        #expect(fleet.server.requestCount() == 1)
        #expect(fleet.store.leases == [])
        // Another size of it fails as well.
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 6, height: 2))
        _ = await kingfisherError { try await fleet.load("/a.png", on: 1, [.processor(processor)]) }
        #expect(fleet.server.requestCount() == 1)

        fleet.clock.advance(by: failing.seconds - 0.1)
        _ = await kingfisherError { try await fleet.load("/a.png", on: 1) }
        #expect(fleet.server.requestCount() == 1)
        fleet.clock.advance(by: 0.2)
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        #expect(try await fleet.load("/a.png", on: 1).image.size.width == 3)
    }

    @Test func `a shared cache remembers bytes that are no image, but nothing that this machine lacks`()
        async throws
    {
        let fleet = try Fleet()
        fleet.server.serve("/a.png", Reply(body: Array("no image".utf8)))
        fleet.server.serve("/b.png", Reply.status(403))
        for machine in [0, 1] {
            _ = await kingfisherError { try await fleet.load("/a.png", on: machine) }
            _ = await kingfisherError { try await fleet.load("/b.png", on: machine) }
            try await fleet[machine].cache.flush(within: .seconds(1000))
        }
        #expect(fleet.server.requestCount(path: "/a.png") == 1)
        #expect(fleet.server.requestCount(path: "/b.png") == 2)
        fleet.server.serve("/c.png", try Sample.png(30, 30))
        let limits = DecodeLimits { $0.pixelsPerFrame = 100 }
        _ = await kingfisherError {
            try await fleet.load("/c.png", [.decodeLimits(limits), .backgroundDecode])
        }
        try await fleet[0].cache.flush(within: .seconds(1000))
        #expect(try await fleet.load("/c.png", on: 1).image.size.width == 30)
    }
}
