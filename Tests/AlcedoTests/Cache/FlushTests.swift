import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A flush` {
    let fixture: CacheFixture
    var cache: ImageCache { fixture.cache }
    let hang = Gate()
    let data = Data(count: 1000)

    init() throws { fixture = try CacheFixture() }

    private func hangDisk() async {
        cache.writes.append { [hang] in hang.wait() }
        await hang.waitForArrivals(1)
    }

    @Test func `a flush ends when everything that was stored before is on disk`() async throws {
        await hangDisk()
        for key in ["a", "b", "c"] { cache.storeToDisk(data, forKey: key, completionHandler: nil) }
        let flushed = Recorder<Bool>()
        cache.flush(within: .seconds(1000)) { flushed.append((try? $0.get()) != nil) }
        #expect(flushed.count == 0)
        hang.open()
        #expect(await flushed.waitFor(count: 1) == [true])
        #expect(cache.diskStorage.entryNames.count == 3)
        try await cache.flush()
    }

    @Test func `a flush calls a handler that may block, or wait for the disk itself`() async throws {
        let (held, later) = (Gate(), Recorder<Bool>())
        cache.flush(within: .seconds(1000)) { _ in held.wait() }
        await held.waitForArrivals(1)
        // Goes through although the handler still runs.
        try await cache.storeToDisk(data, forKey: "a")
        held.open()
        let folder = try TemporaryDirectory()
        let responses = HTTPCache(memoryCapacity: 0, diskCapacity: 1 << 20, directory: folder.url)
        responses.flush(within: .seconds(1000)) { _ in
            responses.responses.waitForDisk()
            later.append(true)
        }
        #expect(await later.waitFor(count: 1) == [true])
    }

    @Test func `a flush ends in time if the disk hangs, and says what is missing`() async throws {
        try await cache.storeToDisk(data, forKey: "old")
        await hangDisk()
        cache.storeToDisk(data, forKey: "a", completionHandler: nil)
        cache.storeToDisk(data, forKey: "b", completionHandler: nil)
        cache.removeImage(forKey: "old", completionHandler: nil)
        cache.calculateDiskStorageSize { _ in }
        for _ in 0..<2 {
            await #expect(throws: CacheFlushError(pendingCount: 3, pendingBytes: 2000)) {
                try await cache.flush(within: .seconds(0.01))
            }
        }
        hang.open()
        try await cache.flush(within: .seconds(1000))
        #expect(cache.diskStorage.entryNames.count == 2)
    }

    @Test func `a flush is no success if a store failed meanwhile`() async throws {
        struct Failing: DiskTransform {
            func seal(_ data: Data, fileName: String) throws -> Data { throw POSIXError(.EIO) }
            func open(_ bytes: Data, fileName: String) throws(DiskTransformError) -> Data { bytes }
        }
        await hangDisk()
        cache.storeToDisk(data, forKey: "a", completionHandler: nil)
        cache.diskStorage.config.transform = Failing()
        let flushed = Recorder<CacheFlushError?>()
        cache.flush(within: .seconds(1000)) { result in
            if case .failure(let error) = result { flushed.append(error) } else { flushed.append(nil) }
        }
        hang.open()
        let missing = CacheFlushError(pendingCount: 0, pendingBytes: 0, failedCount: 1)
        #expect(await flushed.waitFor(count: 1) == [missing])
    }

    @Test func `a flush works for HTTP responses too`() async throws {
        let caching = try Caching(memoryCapacity: 0)
        caching.server.serve(
            "/a", Reply(body: try Sample.png(4, 4), headers: [("Cache-Control", "max-age=1000")]))
        #expect(await caching.width("/a", by: caching.downloader()) == 4)
        try await caching.cache.flush(within: .seconds(1000))
        let names = try FileManager.default.contentsOfDirectory(atPath: caching.folder.path)
        #expect(names.filter { !$0.hasPrefix(".") }.count == 1)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A manager that is shut down` {
    let loading: Loading
    let gate = Gate()
    var manager: KingfisherManager { loading.manager }

    init() throws {
        loading = try Loading()
        loading.server.serve("/a", try Sample.png(4, 4))
        loading.server.serve("/held", Reply(body: try Sample.png(4, 4)).hold(.head, until: gate))
    }

    @Test func `a shutdown lets running loads end, with their files, and rejects others`() async throws {
        let (a, held) = (loading.server.url("/a"), loading.server.url("/held"))
        _ = try await manager.retrieveImage(with: a)
        async let running = manager.retrieveImage(with: held)
        await loading.server.waitForRequests(2)
        let ended = Recorder<Bool>()
        for _ in 0..<2 { manager.shutdown(within: .seconds(1000)) { ended.append((try? $0.get()) != nil) } }
        let error = await kingfisherError { try await manager.retrieveImage(with: a) }
        #expect(error?.errorCode == 1101 && error?.isTaskCancelled == false)
        // Had the shutdown not waited, its flush would have ended before this one.
        try await loading.cache.flush(within: .seconds(1000))
        #expect(ended.count == 0)
        gate.open()
        #expect(try await running.cacheType == .none)
        #expect(await ended.waitFor(count: 2) == [true, true])
        #expect(loading.cache.diskStorage.isCached(forKey: held.cacheKey))
        try await manager.shutdown()
    }

    @Test func `a shutdown cancels loads that last longer than its time`() async throws {
        let outcome = Recorder<Int?>()
        let options: KingfisherOptionsInfo = [.retryStrategy(DelayRetryStrategy(maxRetryCount: 5))]
        manager.retrieveImage(with: loading.server.url("/held"), options: options) { result in
            if case .failure(let error) = result { outcome.append(error.isTaskCancelled ? 1 : nil) }
        }
        await loading.server.waitForRequests(1)
        try await manager.shutdown(within: .seconds(0.04))
        #expect(await outcome.waitFor(count: 1) == [1])
        gate.open()
    }

    @Test func `a shutdown waits for a load that reads the disk`() async throws {
        let url = loading.server.url("/a")
        _ = try await manager.retrieveImage(with: url, options: [.waitForCache])
        let restarted = try loading.restarted()
        for _ in 0..<4 {
            restarted.cache.reads.read { [gate] in
                gate.wait()
            } then: { _ in
            }
        }
        await gate.waitForArrivals(4)
        let types = Recorder<CacheType?>()
        restarted.retrieveImage(with: url, options: [.callbackQueue(.untouch)]) { result in
            types.append(try? result.get().cacheType)
        }
        let ended = Recorder<Int>()
        restarted.shutdown(within: .seconds(1000)) { _ in ended.append(types.count) }
        try await restarted.cache.flush(within: .seconds(1000))
        #expect(ended.count == 0)
        gate.open()
        #expect(await ended.waitFor(count: 1) == [1])
        #expect(types.values == [.disk])
    }

    @Test func `a shutdown takes no longer than its time if the disk hangs`() async throws {
        loading.cache.writes.append { [gate] in gate.wait() }
        await gate.waitForArrivals(1)
        _ = try await manager.retrieveImage(with: loading.server.url("/a"))
        do {
            try await manager.shutdown(within: .seconds(0.04))
            Issue.record("the disk hangs")
        } catch {
            #expect(error.pendingCount == 1 && error.pendingBytes > 0 && error.failedCount == 0)
        }
        gate.open()
        try await manager.shutdown(within: .seconds(1000))
    }
}
