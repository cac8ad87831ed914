import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

/// Pausing, priorities, and views that want what is prefetched.
@Suite(.timeLimit(.minutes(10)))
struct `Control of a prefetcher` {
    let loading: Loading
    let ended = Recorder<[Int]>()
    var server: LoopbackServer { loading.server }

    init() throws { loading = try Loading() }

    private var options: KingfisherOptionsInfo {
        [.targetCache(loading.cache), .downloader(loading.downloader)]
    }

    private func serve(_ count: Int, until gate: Gate? = nil) throws -> [URL] {
        let body = try Sample.png(2, 2)
        for index in 0..<count {
            let reply = Reply(body: Payload(body))
            server.serve("/\(index)", gate.map { reply.hold(.head, until: $0) } ?? reply)
        }
        return (0..<count).map { server.url("/\($0)") }
    }

    /// A prefetcher, one load at a time, that records the lengths of its lists at its end.
    private func prefetcher(_ urls: [URL], _ progress: Recorder<[Int]>? = nil) -> ImagePrefetcher {
        let prefetcher = ImagePrefetcher(
            urls: urls, options: options,
            progressBlock: { progress?.append([$0.count, $1.count, $2.count]) }
        ) { [ended] in ended.append([$0.count, $1.count, $2.count]) }
        prefetcher.maxConcurrentDownloads = 1
        return prefetcher
    }

    @Test func `a prefetcher pauses before the next load, and resumes with it`() async throws {
        let gate = Gate()
        let urls = try serve(3, until: gate)
        let progress = Recorder<[Int]>()
        let prefetcher = prefetcher(urls, progress)
        prefetcher.start()
        await gate.waitForArrivals(1)
        prefetcher.pause()
        gate.open()
        #expect(await progress.waitFor(count: 1) == [[0, 0, 1]])
        // The report precedes the next start on this queue.
        prefetcher.queue.sync {}
        #expect(prefetcher.isPaused && prefetcher.description == "ImagePrefetcher(started: 1 of 3)")
        #expect(ended.count == 0 && server.requestCount() == 1)
        prefetcher.resume()
        #expect(await ended.waitFor(count: 1) == [[0, 0, 3]])
        #expect(!prefetcher.isPaused)
    }

    @Test func `a prefetcher can be paused before it starts`() async throws {
        let prefetcher = prefetcher(try serve(2))
        prefetcher.pause()
        prefetcher.start()
        prefetcher.queue.sync {}
        #expect(prefetcher.description == "ImagePrefetcher(started: 0 of 2)")
        prefetcher.resume()
        #expect(await ended.waitFor(count: 1) == [[0, 0, 2]])
    }

    @Test func `a prefetcher starts nothing by resuming before the start`() async throws {
        let prefetcher = prefetcher(try serve(2))
        prefetcher.resume()
        prefetcher.queue.sync {}
        #expect(prefetcher.description == "ImagePrefetcher(started: 0 of 2)")
        prefetcher.start()
        #expect(await ended.waitFor(count: 1) == [[0, 0, 2]])
    }

    @Test func `a prefetcher ends once when it is stopped during a pause, and again`() async throws {
        let prefetcher = prefetcher(try serve(3))
        prefetcher.pause()
        prefetcher.start()
        prefetcher.stop()
        #expect(await ended.waitFor(count: 1) == [[0, 3, 0]])
        prefetcher.stop()
        prefetcher.resume()
        prefetcher.queue.sync {}
        await MainActor.run {}
        #expect(ended.count == 1 && server.requestCount() == 0)
    }

    @Test func `a prefetcher's priority raises running and later loads`() async throws {
        let transport = ScriptedTransport()
        let downloader = ImageDownloader(name: "ranked", transport: transport)
        let urls = try ["a", "b"].map { try #require(URL(string: "http://127.0.0.1/\($0)")) }
        let prefetcher = ImagePrefetcher(
            urls: urls, options: [.targetCache(loading.cache), .downloader(downloader)]
        ) { [ended] in ended.append([$0.count, $1.count, $2.count]) }
        prefetcher.maxConcurrentDownloads = 1
        #expect(prefetcher.priority == 0.25)
        prefetcher.start()
        let first = await transport.started.waitFor(count: 1)[0]
        #expect(first.request.priority == 0.25)
        prefetcher.priority = 0.75
        // The transfer has started, but the load may not have its handle yet.
        let load = try #require(prefetcher.work.withLock { $0.running[0] } ?? nil)
        while load.sessionTask?.callersPriority != 0.75, !Task.isCancelled { await Task.yield() }
        first.handler.transferDidFinish(.failure(.cancelled))
        let second = await transport.started.waitFor(count: 2)[1]
        #expect(second.request.priority == 0.75)
        prefetcher.stop()
        #expect(await ended.waitFor(count: 1) == [[0, 2, 0]])
    }

    @Test func `a prefetcher takes the priority of its options`() {
        let prefetcher = ImagePrefetcher(urls: [], options: options + [.downloadPriority(0.4)])
        #expect(prefetcher.priority == 0.4)
    }

    @Test func `a prefetcher skips what a view has loaded before its turn`() async throws {
        let gate = Gate()
        let urls = try serve(1, until: gate) + [server.url("/wanted")]
        server.serve("/wanted", try Sample.png(2, 2))
        let prefetcher = prefetcher(urls)
        prefetcher.start()
        await gate.waitForArrivals(1)
        _ = try await loading.manager.retrieveImage(with: urls[1])
        gate.open()
        #expect(await ended.waitFor(count: 1) == [[1, 0, 1]])
        #expect(server.requestCount(path: "/wanted") == 1)
    }

    @Test func `a prefetcher gives its transfer to a view, also when it is stopped`() async throws {
        let gate = Gate()
        let url = try serve(1, until: gate)[0]
        let prefetcher = prefetcher([url])
        prefetcher.start()
        await gate.waitForArrivals(1)
        let images = Recorder<Bool>()
        let task = loading.manager.retrieveImage(with: url, options: [.downloadPriority(0.9)]) {
            images.append((try? $0.get()) != nil)
        }
        while task?.isInitialized != true, !Task.isCancelled { await Task.yield() }
        let transfer = try #require(task?.sessionTask)
        #expect(transfer.callersPriority == 0.9)
        prefetcher.stop()
        #expect(await ended.waitFor(count: 1) == [[0, 1, 0]])
        gate.open()
        #expect(await images.waitFor(count: 1) == [true])
        #expect(server.requestCount() == 1)
    }

    @Test func `a prefetcher reports a provider after a slow disk has its image`() async throws {
        let gate = Gate()
        let fixture = try CacheFixture()
        let cache = ImageCache(
            memoryStorage: fixture.cache.memoryStorage,
            diskStorage: try fixture.disk.storage(
                faults: DiskFaultReport { _ in }, stallCheck: ManualStallCheck().check))
        // So much is queued that optional stores are dropped.
        cache.writes.append { gate.wait() }
        await gate.waitForArrivals(1)
        let large = Data(count: DiskWriteQueue.optionalSizeLimit)
        cache.storeToDisk(large, forKey: "large", completionHandler: nil)
        let provider = RawImageDataProvider(data: Data(try Sample.png(2, 2)), cacheKey: "raw")
        let onDisk = Recorder<Bool>()
        ImagePrefetcher(sources: [.provider(provider)], options: [.targetCache(cache)]) { _, _, completed in
            onDisk.append(completed.count == 1 && cache.diskStorage.isCached(forKey: "raw"))
        }.start()
        while !cache.memoryStorage.isCached(forKey: "raw"), !Task.isCancelled { await Task.yield() }
        gate.open()
        #expect(await onDisk.waitFor(count: 1) == [true])
    }
}

struct `A prefetcher whose options name no cache` {
    @Test
    func `a prefetcher uses the shared manager's cache and downloader if its options name none`() async {
        await #expect(processExitsWith: .success) {
            let manager = KingfisherManager.shared
            let folder = try TemporaryDirectory()
            manager.cache = try ImageCache.patient(in: folder.url)
            manager.downloader = ImageDownloader(name: "own")
            let options = ImagePrefetcher(urls: []).plan.options
            precondition(options.targetCache === manager.cache)
            precondition(options.downloader === manager.downloader)
            let own = ImagePrefetcher(urls: [], options: [.targetCache(.default)]).plan.options
            precondition(own.targetCache === ImageCache.default)
        }
    }
}
