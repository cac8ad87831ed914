import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A load that is cancelled` {
    let loading: Loading
    let cache: WatchedCache
    let manager: KingfisherManager
    let processor = HeldProcessor()
    let outcome = Recorder<Result<RetrieveImageResult, KingfisherError>>()
    var url: URL { loading.server.url("/a") }

    init() throws {
        loading = try Loading()
        cache = WatchedCache(loading.cache)
        manager = KingfisherManager(downloader: loading.downloader, cache: cache)
        manager.defaultOptions = [.callbackQueue(.untouch)]
        loading.server.serve("/a", try Sample.png(4, 4))
    }

    /// With a queue of its own: a test must not hold the threads that all others need.
    private var held: KingfisherOptionsInfo {
        [.processor(processor), .processingQueue(.dispatch(DispatchQueue(label: "held")))]
    }

    private func load(_ source: Source, _ options: KingfisherOptionsInfo = []) -> DownloadTask? {
        manager.retrieveImage(with: source, options: options) { [outcome] in outcome.append($0) }
    }

    private func storeOnDisk() async throws {
        try await cache.storeToDisk(Data(Sample.png(4, 4)), forKey: url.cacheKey)
    }

    private func isInMemory(_ identifier: String = "") -> Bool {
        cache.memoryStorage.isCached(forKey: url.cacheKey + (identifier.isEmpty ? "" : "@\(identifier)"))
    }

    private func expectCancelled() {
        #expect(outcome.count == 1)
        #expect(outcome.values.first?.error?.isTaskCancelled == true)
    }

    @Test
    func `a load cancelled while the disk is read says so at once, and memory gets nothing`() async throws {
        try await storeOnDisk()
        let gate = Gate()
        let task = load(.network(url), [.cacheSerializer(SlowToRead(gate: gate))])
        await gate.waitForArrivals(1)
        task?.cancel()
        expectCancelled()
        gate.open()
        await cache.reads.waitFor(1)
        expectCancelled()
        #expect(!isInMemory() && loading.server.requestCount() == 0)
    }

    @Test
    func `a load cancelled while a cached original is processed says so at once, and stores nothing`()
        async throws
    {
        try await storeOnDisk()
        let task = load(.network(url), held + [.waitForCache])
        await processor.gate.waitForArrivals(1)
        task?.cancel()
        expectCancelled()
        processor.gate.open()
        await processor.runs.waitFor(1)
        try await cache.storeToDisk(Data(), forKey: "after")
        expectCancelled()
        #expect(!isInMemory("held"))
        #expect(!cache.isCached(forKey: url.cacheKey, processorIdentifier: "held"))
    }

    @Test func `a load cancelled before its cached original is processed does not process it`() async throws {
        try await storeOnDisk()
        let queue = ManualQueue()
        processor.gate.open()
        let task = load(
            .network(url), [.processor(processor), .processingQueue(.operationQueue(queue))])
        let work = await queue.blocks.waitFor(count: 1)
        task?.cancel()
        expectCancelled()
        work[0]()
        #expect(processor.runs.value == 0)
        expectCancelled()
    }

    @Test func `a load cancelled before its download is processed does not process it`() async throws {
        let queue = ManualQueue()
        processor.gate.open()
        let task = load(
            .network(url), [.processor(processor), .processingQueue(.operationQueue(queue))])
        let work = await queue.blocks.waitFor(count: 1)
        // The thread that started the download may not have told the load of it yet.
        while task?.sessionTask == nil, !Task.isCancelled { await Task.yield() }
        task?.cancel()
        expectCancelled()
        work[0]()
        #expect(processor.runs.value == 0)
        expectCancelled()
    }

    @Test func `a load cancelled while a provider's data is processed says so at once`() async throws {
        let provider = RawImageDataProvider(data: Data(try Sample.png(4, 4)), cacheKey: url.cacheKey)
        let task = load(.provider(provider), held)
        await processor.gate.waitForArrivals(1)
        task?.cancel()
        expectCancelled()
        #expect(outcome.values.first?.error?.errorCode == 1006)
        processor.gate.open()
        await processor.runs.waitFor(1)
        expectCancelled()
        #expect(!isInMemory("held"))
    }

    @Test func `a load cancelled while its download is processed says so at once`() async throws {
        let task = load(.network(url), held)
        await processor.gate.waitForArrivals(1)
        // The thread that started the download may not have told the load of it yet.
        while task?.sessionTask == nil, !Task.isCancelled { await Task.yield() }
        task?.cancel()
        expectCancelled()
        #expect(outcome.values.first?.error?.errorCode == 1003)
        processor.gate.open()
        await processor.runs.waitFor(1)
        expectCancelled()
    }

    @Test
    func `a download without a manager, cancelled while it is processed, says so at once`() async throws {
        let told = Recorder<KingfisherError?>()
        let task = loading.downloader.downloadImage(
            with: url, options: held + [.callbackQueue(.untouch)]
        ) { told.append($0.error) }
        await processor.gate.waitForArrivals(1)
        task.cancel()
        #expect(told.values.first??.isTaskCancelled == true)
        processor.gate.open()
        await processor.runs.waitFor(1)
        #expect(told.count == 1)
    }

    @Test func `a load cancelled while it waits for the cache says so at once`() async throws {
        let gate = Gate()
        let task = load(.network(url), [.cacheSerializer(Gated(gate: gate)), .waitForCache])
        await gate.waitForArrivals(1)
        task?.cancel()
        expectCancelled()
        gate.open()
        try await cache.storeToDisk(Data(), forKey: "after")
        expectCancelled()
    }

    @Test(arguments: [true, false])
    func `a load cancelled while its completion waits for a queue completes as cancelled`(isCached: Bool)
        async throws
    {
        if isCached { try await storeOnDisk() }
        let queue = ManualQueue()
        let task = load(.network(url), [.callbackQueue(.operationQueue(queue))])
        await queue.blocks.waitFor(count: 1)
        task?.cancel()
        for block in queue.blocks.values { block() }
        expectCancelled()
    }

    @Test func `a load cancelled before its transfer exists is cancelled all the same`() async throws {
        let gate = Gate()
        let modifier = AnyAsyncModifier(gate: gate)
        let task = load(.network(url), [.requestModifier(modifier)])
        await gate.waitForArrivals(1)
        task?.cancel()
        expectCancelled()
        gate.open()
    }

    private struct AnyAsyncModifier: AsyncImageDownloadRequestModifier {
        let gate: Gate

        func modified(for request: URLRequest) async -> URLRequest? {
            await gate.pass()
            return request
        }
    }

    @Test
    func `loads cancelled by the hundred on the queue of their completions never succeed afterwards`()
        async throws
    {
        try await storeOnDisk()
        let queue = DispatchQueue(label: "completions")
        let ended = Recorder<(isCancelled: Bool, error: KingfisherError?)>()
        let data = Data(try Sample.png(4, 4))
        for index in 0..<200 {
            let cancelled = CallCounter()
            let source: Source =
                index % 4 == 3
                ? .provider(RawImageDataProvider(data: data, cacheKey: "p\(index)")) : .network(url)
            let processors: [any ImageProcessor] = [
                DefaultImageProcessor.default, BlurImageProcessor(blurRadius: 3),
                TintImageProcessor(tint: .red),
            ]
            if index % 4 == 0 { cache.clearMemoryCache() }
            let task = manager.retrieveImage(
                with: source,
                options: [
                    .callbackQueue(.dispatch(queue)), .processor(processors[index % 3]),
                ] + (index % 4 == 2 ? [.forceRefresh] : [])
            ) { ended.append((cancelled.value > 0, $0.error)) }
            for _ in 0..<(index % 5) { await Task.yield() }
            if let task {
                queue.async {
                    task.cancel()
                    cancelled.increment()
                }
            }
        }
        let all = await ended.waitFor(count: 200)
        let late = all.indices.filter { all[$0].isCancelled && all[$0].error?.isTaskCancelled != true }
        #expect(late == [])
        let failures = all.compactMap(\.error).filter { !$0.isTaskCancelled }
        #expect(failures.isEmpty, "\(failures)")
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(ended.count == 200)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A provider whose load is cancelled` {
    let loading: Loading

    init() throws { loading = try Loading() }

    /// Ends with its task, as most of what is asynchronous does.
    private struct Obedient: ImageDataProvider {
        let cacheKey: String
        let gate = Gate()

        init(_ cacheKey: String) { self.cacheKey = cacheKey }

        func data() async throws -> Data {
            await gate.pass()
            try Task.checkCancellation()
            return Data()
        }
    }

    /// Makes nothing but the error of a cancelled task.
    private struct Cancelled: ImageDataProvider {
        let cacheKey = "cancelled"

        func data() async throws -> Data { throw CancellationError() }
    }

    @Test
    func `a cancelled load of a provider has no other error, and is not retried or replaced`() async throws {
        let strategy = AskingStrategy()
        let other = RawImageDataProvider(data: Data(try Sample.png(2, 2)), cacheKey: "other")
        let told = Recorder<Int?>()
        for index in 0..<300 {
            let provider = Obedient("\(index)")
            let task = loading.manager.retrieveImage(
                with: .provider(provider),
                options: [.retryStrategy(strategy), .alternativeSources([.provider(other)])]
            ) { told.append($0.error?.errorCode) }
            await provider.gate.waitForArrivals(1)
            DispatchQueue.global().async { task?.cancel() }
        }
        #expect(Set(await told.waitFor(count: 300)) == [1006])
        #expect(strategy.questions.count == 0)
    }

    @Test func `a cancelled load of a provider that is awaited has no other error`() async throws {
        let told = Recorder<Int?>()
        for index in 0..<100 {
            let provider = Obedient("\(index)")
            let task = Task { [loading] in
                let error = await kingfisherError {
                    try await loading.manager.retrieveImage(with: .provider(provider))
                }
                told.append(error?.errorCode)
            }
            await provider.gate.waitForArrivals(1)
            DispatchQueue.global().async { task.cancel() }
        }
        #expect(Set(await told.waitFor(count: 100)) == [1006])
    }

    @Test func `a provider may end its load as cancelled by itself`() async throws {
        let strategy = AskingStrategy()
        let other = RawImageDataProvider(data: Data(try Sample.png(2, 2)), cacheKey: "other")
        let told = Recorder<Int?>()
        loading.manager.retrieveImage(
            with: .provider(Cancelled()),
            options: [.retryStrategy(strategy), .alternativeSources([.provider(other)])]
        ) { told.append($0.error?.errorCode) }
        // Where it is asked, the strategy ends the load.
        Task {
            for answer in await strategy.questions.waitFor(count: 1) { answer(.stop) }
        }
        #expect(await told.waitFor(count: 1) == [1006])
        #expect(strategy.questions.count == 0)
    }
}
