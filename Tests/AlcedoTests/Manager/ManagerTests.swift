import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Retrieving` {
    let loading: Loading
    var server: LoopbackServer { loading.server }
    var manager: KingfisherManager { loading.manager }

    init() throws { loading = try Loading() }

    @Test func `an image is loaded once, then from memory, then from disk after a restart`() async throws {
        server.serve("/a.png", try Sample.png(30, 20))
        let url = server.url("/a.png")
        let first = try await manager.retrieveImage(with: url, options: [.waitForCache])
        let second = try await manager.retrieveImage(with: url)
        let third = try await loading.restarted().retrieveImage(with: url)
        #expect([first, second, third].map(\.cacheType) == [.none, .memory, .disk])
        #expect(third.image.size == CGSize(width: 30, height: 20))
        #expect(server.requestCount() == 1)
        #expect(first.metrics?.retrieveImageDuration != nil)
        #expect(second.metrics == nil)
    }

    @Test func `a memory hit is returned before the call returns, with no task`() async throws {
        server.serve("/a.png", try Sample.png(4, 4))
        let url = server.url("/a.png")
        _ = try await manager.retrieveImage(with: url)
        let outcome = Recorder<CacheType?>()
        let task = manager.retrieveImage(with: url) { outcome.append(try? $0.get().cacheType) }
        #expect(outcome.values == [.memory])
        #expect(task == nil)
    }

    @Test
    func `each processor has a cache entry of its own, and its result is not processed again`() async throws {
        server.serve("/a.png", try Sample.png(40, 20))
        let url = server.url("/a.png")
        let small: KingfisherOptionsInfo = [
            .processor(DownsamplingImageProcessor(size: CGSize(width: 10, height: 10))), .waitForCache,
        ]
        let processed = try await manager.retrieveImage(with: url, options: small)
        let fromDisk = try await loading.restarted().retrieveImage(with: url, options: small)
        let plain = try await manager.retrieveImage(with: url)
        #expect(processed.image.size == CGSize(width: 10, height: 5))
        #expect(fromDisk.image.size == CGSize(width: 10, height: 5))
        #expect(fromDisk.cacheType == .disk)
        #expect(plain.image.size == CGSize(width: 40, height: 20))
    }

    @Test func `a cached original is processed instead of downloaded`() async throws {
        server.serve("/a.png", try Sample.png(40, 20))
        let url = server.url("/a.png")
        let first = ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 8))
        let second = ResizingImageProcessor(referenceSize: CGSize(width: 6, height: 6))
        _ = try await manager.retrieveImage(
            with: url, options: [.processor(first), .cacheOriginalImage, .waitForCache])
        let result = try await loading.restarted()
            .retrieveImage(with: url, options: [.processor(second), .waitForCache])
        #expect(result.image.size.width == 6)
        #expect(result.cacheType == .none)
        #expect(server.requestCount() == 1)
    }

    @Test func `a cached original is found under the forced extension, or without one`() async throws {
        server.serve("/a", try Sample.png(40, 20))
        let url = server.url("/a")
        let forced: KingfisherOptionsInfo = [.forcedCacheFileExtension("png"), .waitForCache]
        let small: KingfisherOptionsInfo = [
            .processor(ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 8)))
        ]
        let large: KingfisherOptionsInfo = [
            .processor(ResizingImageProcessor(referenceSize: CGSize(width: 9, height: 9)))
        ]
        // Stored as it came, under the extension.
        _ = try await manager.retrieveImage(with: url, options: forced)
        let first = try await loading.restarted().retrieveImage(with: url, options: forced + small)
        #expect(first.image.size.width == 8 && server.requestCount() == 1)
        // Stored beside a processed image, without the extension.
        let other = server.url("/a?other")
        server.serve("/a?other", try Sample.png(40, 20))
        _ = try await manager.retrieveImage(with: other, options: forced + small + [.cacheOriginalImage])
        let second = try await loading.restarted().retrieveImage(with: other, options: forced + large)
        #expect(second.image.size.width == 9 && server.requestCount() == 2)
    }

    @Test func `a cached original is processed for the first hit, and memory has the result for the next`()
        async throws
    {
        server.serve("/a.png", try Sample.png(40, 20))
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        let options: KingfisherOptionsInfo = [
            .processor(ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 8))),
            .cacheSerializer(serializer), .waitForCache,
        ]
        let url = server.url("/a.png")
        _ = try await manager.retrieveImage(with: url, options: options)
        let restarted = try loading.restarted()
        let hits = [
            try await restarted.retrieveImage(with: url, options: options),
            try await restarted.retrieveImage(with: url, options: options),
        ]
        #expect(hits.map(\.cacheType) == [.disk, .memory])
        #expect(hits.map(\.image.size.width) == [8, 8])
    }

    @Test func `forceRefresh loads a cached image again`() async throws {
        server.serve("/a.png", try Sample.png(4, 4))
        let url = server.url("/a.png")
        _ = try await manager.retrieveImage(with: url)
        let result = try await manager.retrieveImage(with: url, options: [.forceRefresh])
        #expect(result.cacheType == .none)
        #expect(server.requestCount() == 2)
    }

    @Test func `onlyFromCache never asks the server`() async throws {
        let error = await kingfisherError {
            try await manager.retrieveImage(with: server.url("/a.png"), options: [.onlyFromCache])
        }
        #expect(error?.errorCode == 3006)
        #expect(server.requestCount() == 0)
    }

    @Test func `cacheMemoryOnly leaves the disk alone`() async throws {
        server.serve("/a.png", try Sample.png(4, 4))
        _ = try await manager.retrieveImage(
            with: server.url("/a.png"), options: [.cacheMemoryOnly, .waitForCache])
        #expect(try await loading.cache.diskStorageSize == 0)
    }

    @Test func `a failed load is cached nowhere`() async throws {
        server.serve("/a.png", Array(try Sample.jpeg(64, 64).dropLast(40)))
        let url = server.url("/a.png")
        _ = await kingfisherError { try await manager.retrieveImage(with: url, options: [.waitForCache]) }
        #expect(!loading.cache.isCached(forKey: url.cacheKey))
        #expect(try await loading.cache.diskStorageSize == 0)
    }

    @Test func `alternative sources are tried in order, and the only error stands for itself`() async throws {
        for path in ["/b.png", "/d.png"] { server.serve(path, try Sample.png(5, 4)) }
        let missing = server.url("/a.png")
        let others = ["/c.png", "/b.png", "/d.png"].map { Source.network(server.url($0)) }
        let result = try await manager.retrieveImage(with: missing, options: [.alternativeSources(others)])
        #expect(result.source.url == server.url("/b.png"))
        #expect(result.originalSource.url == missing)
        #expect(server.requests().map(\.target) == ["/a.png", "/c.png", "/b.png"])
        let both = await kingfisherError {
            try await manager.retrieveImage(
                with: missing, options: [.alternativeSources([.network(server.url("/c.png"))])])
        }
        #expect(both?.errorCode == 5004)
        let alone = await kingfisherError { try await manager.retrieveImage(with: missing) }
        #expect(alone?.isInvalidResponseStatusCode(404) == true)
    }

    @Test func `a retry strategy gets the server's second response`() async throws {
        server.serve("/a.png", Reply.status(503), Reply(body: try Sample.png(4, 4)))
        let updates = CallCounter()
        let outcome = Recorder<Bool>()
        manager.retrieveImage(
            with: server.url("/a.png"),
            options: [.retryStrategy(DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0)))],
            downloadTaskUpdated: { _ in _ = updates.increment() },
            completionHandler: { outcome.append($0.error == nil) }
        )
        #expect(await outcome.waitFor(count: 1) == [true])
        #expect(updates.value == 1)
        #expect(server.requestCount() == 2)
    }

    @Test func `a retry strategy gives up after its count`() async throws {
        server.serve("/a.png", Reply.status(503))
        let error = await kingfisherError {
            try await manager.retrieveImage(
                with: server.url("/a.png"),
                options: [.retryStrategy(DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0)))]
            )
        }
        #expect(error?.isInvalidResponseStatusCode(503) == true)
        #expect(server.requestCount() == 3)
    }

    @Test func `an image modifier changes what is delivered and not what is cached`() async throws {
        server.serve("/a.png", try Sample.png(4, 4))
        let url = server.url("/a.png")
        let modifier = AnyImageModifier { $0.kf.scaled(to: 2) }
        let result = try await manager.retrieveImage(with: url, options: [.imageModifier(modifier)])
        #expect(result.image.size.width == 2)
        #expect(try await manager.retrieveImage(with: url).image.size.width == 4)
    }

    @Test func `every one of many concurrent loads completes exactly once`() async throws {
        server.serve("/a.png", try Sample.png(4, 4))
        let outcomes = Recorder<KingfisherError?>()
        for _ in 0..<500 {
            manager.retrieveImage(with: server.url("/a.png")) { outcomes.append($0.error) }
        }
        let failures = await outcomes.waitFor(count: 500).compactMap(\.self)
        #expect(failures.isEmpty, "\(failures.count), such as \(String(describing: failures.first))")
        #expect(outcomes.count == 500)
    }

    @Test func `a storm of cancellations completes every load exactly once`() async throws {
        for index in 0..<50 { server.serve("/\(index).png", try Sample.png(4, 4)) }
        let outcomes = Recorder<Int>()
        for index in 0..<400 {
            let task = manager.retrieveImage(
                with: server.url("/\(index % 50).png"), options: [.forceRefresh]
            ) { _ in outcomes.append(index) }
            if index.isMultiple(of: 2) { task?.cancel() }
        }
        let finished = await outcomes.waitFor(count: 400)
        #expect(Set(finished).count == 400)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Providers as sources` {
    let loading: Loading

    init() throws { loading = try Loading() }

    @Test func `raw, Base64 and file providers bring the same image`() async throws {
        let bytes = Data(try Sample.png(7, 5))
        let file = loading.folder.file("a.png")
        try bytes.write(to: file)
        let providers: [any ImageDataProvider] = [
            RawImageDataProvider(data: bytes, cacheKey: "raw"),
            Base64ImageDataProvider(base64String: bytes.base64EncodedString(), cacheKey: "base64"),
            LocalFileImageDataProvider(fileURL: file),
        ]
        for provider in providers {
            let result = try await loading.manager.retrieveImage(with: .provider(provider))
            #expect(result.image.size == CGSize(width: 7, height: 5))
        }
    }

    @Test func `a missing file's error names the path`() async throws {
        let file = loading.folder.file("missing.png")
        let error = await kingfisherError { try await loading.manager.retrieveImage(with: file) }
        #expect(error?.errorCode == 5003)
        #expect(error?.description.contains(file.path) == true)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a load that is over is let go of, however soon its provider has returned`() async throws {
        let data = Data(try Sample.png(2, 2))
        let released = CallCounter()
        for index in 0..<500 {
            let token = Token(released)
            let provider = RawImageDataProvider(data: data, cacheKey: "\(index)")
            let task = loading.manager.retrieveImage(with: .provider(provider)) { _ in _ = token }
            _ = task
        }
        await released.waitFor(500)
        #expect(released.value == 500)
    }

    private final class Token: Sendable {
        private let released: CallCounter

        init(_ released: CallCounter) { self.released = released }

        deinit { _ = released.increment() }
    }

    @Test func `cancelling a provider's load ends it at once`() async throws {
        let provider = WaitingProvider()
        let outcome = Recorder<KingfisherError?>()
        let task = loading.manager.retrieveImage(
            with: .provider(provider)
        ) { outcome.append($0.error) }
        await provider.gate.waitForArrivals(1)
        task?.cancel()
        #expect(await outcome.waitFor(count: 1).first??.errorCode == 1006)
        provider.gate.open()
    }

    private struct WaitingProvider: ImageDataProvider {
        let cacheKey = "waiting"
        let gate = Gate()

        func data() async throws -> Data {
            await gate.pass()
            return Data()
        }
    }
}
