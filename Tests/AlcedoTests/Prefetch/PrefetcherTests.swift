import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A prefetcher` {
    let loading: Loading
    var server: LoopbackServer { loading.server }

    /// What a completion handler or a progress block is told: cache keys of the skipped, the failed, the completed.
    private typealias Told = (skipped: [String], failed: [String], completed: [String])

    init() throws { loading = try Loading() }

    private var options: KingfisherOptionsInfo {
        [.targetCache(loading.cache), .downloader(loading.downloader)]
    }

    private func serve(_ paths: [String]) throws -> [URL] {
        for path in paths { server.serve(path, Reply(body: try Sample.png(2, 2))) }
        return paths.map(server.url)
    }

    /// Runs one to its end; `begin` may stop it.
    private func run(
        _ urls: [URL],
        options: KingfisherOptionsInfo = [],
        progress: Recorder<[Int]>? = nil,
        begin: (ImagePrefetcher) async -> Void = { $0.start() }
    ) async -> Told {
        let told = Recorder<Told>()
        let block: PrefetcherProgressBlock = { skipped, failed, completed in
            progress?.append([skipped.count, failed.count, completed.count])
        }
        let prefetcher = ImagePrefetcher(
            urls: urls, options: self.options + options, progressBlock: block
        ) { skipped, failed, completed in
            told.append((skipped.map(\.cacheKey), failed.map(\.cacheKey), completed.map(\.cacheKey)))
        }
        await begin(prefetcher)
        return await told.waitFor(count: 1)[0]
    }

    @Test func `a prefetcher loads what is missing and skips what is cached`() async throws {
        let urls = try serve(["/a", "/b", "/c"])
        _ = try await loading.manager.retrieveImage(with: urls[1], options: [.waitForCache])
        let progress = Recorder<[Int]>()
        let told = await run(urls, progress: progress)
        #expect(told.skipped == [urls[1].absoluteString])
        #expect(told.failed.isEmpty)
        #expect(Set(told.completed) == [urls[0].absoluteString, urls[2].absoluteString])
        #expect(progress.count == 3)
        #expect(progress.values.last == [1, 0, 2])
        #expect(server.requestCount() == 3)
        #expect(urls.filter { !loading.cache.isCached(forKey: $0.cacheKey) } == [])
    }

    @Test func `a prefetcher loads again what is cached when it is to refresh`() async throws {
        let urls = try serve(["/a"])
        _ = try await loading.manager.retrieveImage(with: urls[0])
        let told = await run(urls, options: [.forceRefresh])
        #expect(told.completed.count == 1)
        #expect(server.requestCount() == 2)
    }

    @Test func `a prefetcher brings what the disk has into memory when it is to`() async throws {
        let urls = try serve(["/a"])
        _ = try await loading.manager.retrieveImage(with: urls[0], options: [.waitForCache])
        loading.cache.clearMemoryCache()
        #expect(await run(urls).skipped.count == 1)
        #expect(loading.cache.imageCachedType(forKey: urls[0].cacheKey) == .disk)
        #expect(await run(urls, options: [.alsoPrefetchToMemory]).skipped.count == 1)
        #expect(loading.cache.imageCachedType(forKey: urls[0].cacheKey) == .memory)
        #expect(server.requestCount() == 1)
    }

    @Test func `a prefetcher reports what fails and goes on`() async throws {
        server.serve("/gone", Reply.status(404))
        let urls = [server.url("/gone")] + (try serve(["/a"]))
        let told = await run(urls)
        #expect(told.failed == [urls[0].absoluteString])
        #expect(told.completed == [urls[1].absoluteString])
    }

    @Test func `a prefetcher is done at once without sources`() async {
        let told = await run([])
        #expect(told == ([], [], []))
    }

    @Test func `a prefetcher stores what its processor makes`() async throws {
        let urls = try serve(["/a"])
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 1, height: 1))
        _ = await run(urls, options: [.processor(processor)])
        #expect(
            loading.cache.isCached(
                forKey: urls[0].cacheKey, processorIdentifier: processor.identifier))
        #expect(!loading.cache.isCached(forKey: urls[0].cacheKey))
    }

    @Test func `a prefetcher retries, and reports the source once`() async throws {
        server.serve("/a", Reply.status(503), Reply(body: try Sample.png(2, 2)))
        let progress = Recorder<[Int]>()
        let retry = DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0))
        let told = await run([server.url("/a")], options: [.retryStrategy(retry)], progress: progress)
        #expect(told.completed.count == 1)
        #expect(progress.values == [[0, 0, 1]])
    }

    @Test func `a prefetcher has as many loads running as it may`() async throws {
        let gate = Gate()
        let body = try Sample.png(2, 2)
        let urls = (0..<9).map { server.url("/\($0)") }
        for index in urls.indices { server.serve("/\(index)", Reply(body: body).hold(.head, until: gate)) }
        let told = await run(urls) { prefetcher in
            prefetcher.maxConcurrentDownloads = 3
            prefetcher.start()
            await gate.waitForArrivals(3)
            #expect(server.requestCount() == 3)
            gate.admit(1)
            await gate.waitForArrivals(4)
            #expect(server.requestCount() == 4)
            gate.open()
        }
        #expect(told.completed.count == 9)
    }

    @Test func `a prefetcher fails what is left when it is stopped`() async throws {
        let gate = Gate()
        server.serve("/0", Reply(body: try Sample.png(2, 2)))
        server.serve("/1", Reply(body: try Sample.png(2, 2)).hold(.head, until: gate))
        let urls = (0..<4).map { server.url("/\($0)") }
        let progress = Recorder<[Int]>()
        let told = await run(urls, progress: progress) { prefetcher in
            prefetcher.maxConcurrentDownloads = 1
            prefetcher.start()
            await gate.waitForArrivals(1)
            prefetcher.stop()
        }
        #expect(told.completed == [urls[0].absoluteString])
        #expect(told.failed == urls.dropFirst().map(\.absoluteString))
        #expect(progress.count == 2)
        await server.waitForAbandonedReplies(1)
        #expect(server.requestCount() == 2)
    }

    @Test func `a prefetcher fails everything when it was stopped before it started`() async throws {
        let urls = try serve(["/a", "/b"])
        let told = await run(urls) { prefetcher in
            prefetcher.stop()
            prefetcher.start()
        }
        #expect(told.failed.count == 2)
        #expect(server.requestCount() == 0)
    }

    @Test func `a prefetcher tells of sources, providers among them`() async throws {
        let provider = RawImageDataProvider(data: Data(try Sample.png(2, 2)), cacheKey: "raw")
        let sources: [Source] = [.provider(provider), .network(try serve(["/a"])[0])]
        let told = Recorder<[Source]>()
        ImagePrefetcher(sources: sources, options: options) { _, _, completed in told.append(completed) }
            .start()
        #expect(Set(await told.waitFor(count: 1)[0]) == Set(sources))
        #expect(loading.cache.isCached(forKey: "raw"))
    }

    @Test func `a prefetcher gives resources back as they came`() async throws {
        let file = loading.folder.url.appendingPathComponent("a.png")
        try Data(try Sample.png(2, 2)).write(to: file)
        let resource = KF.ImageResource(downloadURL: file, cacheKey: "file")
        let told = Recorder<[any Resource]>()
        ImagePrefetcher(resources: [resource], options: options) { _, _, completed in told.append(completed) }
            .start()
        let completed = await told.waitFor(count: 1)[0]
        #expect(completed.map(\.downloadURL) == [file])
    }

    @Test func `a prefetcher goes through many images that are cached without piling up`() async throws {
        let urls = (0..<5_000).map { server.url("/\($0)") }
        let image = Image(bitmap: try Sample.bitmap(1, 1))
        for url in urls {
            loading.cache.store(image, forKey: url.cacheKey, toDisk: false, completionHandler: nil)
        }
        let progress = CallCounter()
        let told = Recorder<Int>()
        let prefetcher = ImagePrefetcher(
            urls: urls, options: options, progressBlock: { _, _, _ in progress.increment() }
        ) { skipped, _, _ in told.append(skipped.count) }
        prefetcher.start()
        #expect(await told.waitFor(count: 1) == [urls.count])
        #expect(progress.value == urls.count)
    }
}
