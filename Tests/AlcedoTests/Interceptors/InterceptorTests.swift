import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

struct Mishap: Error {}

/// Opens a gate when it is freed.
private final class Witness: Sendable {
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    deinit { gate.open() }
}

@Suite(.timeLimit(.minutes(10))) struct `An interceptor of loads` {
    private let loading: Loading
    private let observer = EventRecorder()
    private let outcome = Recorder<Result<RetrieveImageResult, KingfisherError>>()
    private var manager: KingfisherManager { loading.manager }
    private var server: LoopbackServer { loading.server }
    private var url: URL { loading.server.url("/a") }

    init() throws {
        loading = try Loading()
        loading.server.serve("/a", try Sample.png(40, 20))
        loading.server.serve("/b", try Sample.png(8, 8))
        loading.manager.observers = [observer]
    }

    private func answer(_ image: Image) -> RetrieveImageResult {
        let source = Source.network(url)
        return RetrieveImageResult(
            image: image, cacheType: .none, source: source, originalSource: source, data: { nil })
    }

    private func load(
        _ interceptors: Interceptor..., options: KingfisherOptionsInfo = []
    ) async throws -> RetrieveImageResult {
        try await manager.retrieveImage(with: url, options: options + [.interceptors(interceptors)])
    }

    @Test func `an interceptor changes the source and the options`() async throws {
        let other = server.url("/b")
        let result = try await load(
            Interceptor { request, next in
                var request = request
                request.source = .network(other)
                request.options.processor = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))
                return try await next(request)
            })
        #expect(result.image.size.width == 4 && result.source.url == other)
        #expect(server.requestCount(path: "/a") == 0)
    }

    @Test func `an interceptor may replace all options`() async throws {
        let result = try await load(
            Interceptor { request, next in
                var request = request
                request.options = KingfisherParsedOptionsInfo(nil)
                return try await next(request)
            }, options: [.forceRefresh])
        #expect(result.image.size.width == 40)
        #expect(loading.cache.isCached(forKey: url.cacheKey))
    }

    @Test func `an interceptor supplies the image itself, which is not cached`() async throws {
        let image = try #require(Image(data: Data(Sample.png(3, 3))))
        let own = answer(image)
        let result = try await load(Interceptor { _, _ in own })
        #expect(result.image === image && server.requestCount() == 0)
        #expect(!loading.cache.isCached(forKey: url.cacheKey))
        #expect(await observer.load().stages == ["queued", "delivered"])
    }

    @Test func `an interceptor changes the result, not the cached image`() async throws {
        let image = try #require(Image(data: Data(Sample.png(3, 3))))
        let changed = answer(image)
        _ = try await load(
            Interceptor { request, next in
                _ = try await next(request)
                return changed
            })
        #expect(try await manager.retrieveImage(with: url).image.size.width == 40)
    }

    @Test func `an interceptor that throws fails the load, with its own error or wrapped`() async throws {
        let own = KingfisherError.cacheError(reason: .imageNotExisting(key: "own"))
        let first = await kingfisherError { try await load(Interceptor { _, _ in throw own }) }
        #expect(first?.errorCode == 3006)
        let second = await kingfisherError { try await load(Interceptor { _, _ in throw Mishap() }) }
        guard case .requestError(reason: .interceptorThrew(let source, let error))? = second else {
            Issue.record("\(String(describing: second))")
            return
        }
        #expect(source.url == url && error is Mishap && second?.errorCode == 1007)
        #expect(second?.description.contains("Mishap") == true)
        let stages = await observer.loads(2).map(\.stages)
        #expect(stages == [["queued", "failed"], ["queued", "failed"]])
    }

    @Test func `an interceptor that hangs holds no cancellation up`() async throws {
        let gate = Gate()
        let ended = CallCounter()
        let interceptor = Interceptor { request, next in
            // Not the cancellation of this task ends it, but the gate.
            await Task.detached { await gate.pass() }.value
            defer { ended.increment() }
            return try await next(request)
        }
        let task = manager.retrieveImage(with: url, options: [.interceptors([interceptor])]) {
            [outcome] in outcome.append($0)
        }
        await gate.waitForArrivals(1)
        task?.cancel()
        #expect(outcome.count == 1 && outcome.values.first?.error?.isTaskCancelled == true)
        gate.open()
        await ended.waitFor(1)
        #expect(outcome.count == 1 && server.requestCount() == 0)
        #expect(await observer.load().stages == ["queued", "cancelled"])
    }

    @Test func `an interceptor that calls next twice makes two passes and completes once`() async throws {
        let interceptor = Interceptor { request, next in
            let first = try await next(request)
            var request = request
            request.options.forceRefresh = true
            let second = try await next(request)
            return first.image.size == second.image.size ? second : first
        }
        manager.retrieveImage(with: url, options: [.interceptors([interceptor])]) { [outcome] in
            outcome.append($0)
        }
        let events = await observer.load()
        await outcome.waitFor(count: 1)
        #expect(events.isWellFormed && events.count { $0.stage.name == "transferring" } == 2)
        #expect(events.stages.first == "queued" && !events.stages.dropFirst().contains("queued"))
        #expect(outcome.count == 1 && server.requestCount() == 2)
    }

    @Test func `an interceptor may try a failed request again`() async throws {
        server.serve("/a", .status(503))
        let png = try Sample.png(5, 5)
        let result = try await load(
            Interceptor { [server] request, next in
                do { return try await next(request) } catch let error as KingfisherError {
                    #expect(error.isInvalidResponseStatusCode(503))
                    server.serve("/a", png)
                    return try await next(request)
                }
            })
        #expect(result.image.size.width == 5)
    }

    @Test
    func `an interceptor of the manager encloses those of the load, the first one outermost`() async throws {
        let order = Recorder<String>()
        let named: @Sendable (String) -> Interceptor = { name in
            Interceptor { request, next in
                order.append("> \(name)")
                defer { order.append("< \(name)") }
                return try await next(request)
            }
        }
        manager.interceptors = [named("manager")]
        _ = try await load(named("first"), named("second"))
        #expect(
            order.values == ["> manager", "> first", "> second", "< second", "< first", "< manager"])
    }

    @Test func `an interceptor is cancelled with the task that awaits the load`() async throws {
        let gate = Gate()
        let task = Task { [self] in
            try await load(
                Interceptor { request, next in
                    await gate.pass()
                    #expect(Task.isCancelled)
                    return try await next(request)
                })
        }
        await gate.waitForArrivals(1)
        task.cancel()
        #expect(await kingfisherError { try await task.value }?.isTaskCancelled == true)
    }

    @Test(arguments: [false, true])
    func `an interceptor is freed with its load`(isOfNetwork: Bool) async throws {
        let gate = Gate()
        do {
            let witness = Witness(gate)
            let interceptor = Interceptor { request, next in
                withExtendedLifetime(witness) {}
                return try await next(request)
            }
            let option: KingfisherOptionsInfoItem =
                isOfNetwork ? .networkInterceptors([interceptor]) : .interceptors([interceptor])
            _ = try await manager.retrieveImage(with: url, options: [option, .waitForCache])
        }
        await gate.pass()
    }

    // MARK: - Before the network

    @Test func `a network interceptor is not called for a hit`() async throws {
        let calls = CallCounter()
        manager.networkInterceptors = [
            Interceptor { request, next in
                calls.increment()
                return try await next(request)
            }
        ]
        let first = try await manager.retrieveImage(with: url)
        #expect(first.cacheType == .none && first.metrics != nil && calls.value == 1)
        let hit = Recorder<CacheType?>()
        manager.retrieveImage(with: url) { hit.append(try? $0.get().cacheType) }
        #expect(hit.values == [.memory] && calls.value == 1)
        let loads = await observer.loads(2)
        #expect(loads[0].isWellFormed && loads[0].stages.contains("storing"))
        let provider = RawImageDataProvider(data: Data(try Sample.png(4, 4)), cacheKey: "raw")
        _ = try await manager.retrieveImage(with: .provider(provider))
        #expect(calls.value == 2)
    }

    @Test func `a network interceptor may sign the URL, and the image keeps its key`() async throws {
        let signed = server.url("/b")
        manager.networkInterceptors = [
            Interceptor { request, next in
                var request = request
                request.source = .network(signed)
                return try await next(request)
            }
        ]
        let result = try await manager.retrieveImage(with: url, options: [.waitForCache])
        #expect(result.image.size.width == 8 && result.source.url == url)
        #expect(loading.cache.isCached(forKey: url.cacheKey))
        #expect(!loading.cache.isCached(forKey: signed.cacheKey))
        loading.cache.clearMemoryCache()
        #expect(try await manager.retrieveImage(with: url).cacheType == .disk)
    }

    @Test func `a network interceptor may make the image, which is cached`() async throws {
        let own = answer(Image(bitmap: try Sample.bitmap(6, 6), scale: 1))
        let options: KingfisherOptionsInfo = [
            .networkInterceptors([Interceptor { _, _ in own }]), .waitForCache,
        ]
        let first = try await manager.retrieveImage(with: url, options: options)
        #expect(first.image.size.width == 6 && first.data() != nil)
        let again = try await loading.restarted().retrieveImage(with: url)
        #expect(again.cacheType == .disk && again.image.size.width == 6)
        #expect(server.requestCount() == 0)
    }

    @Test func `a network interceptor that throws is followed by the next source`() async throws {
        let url = url
        let other = server.url("/b")
        manager.networkInterceptors = [
            Interceptor { request, next in
                if request.source.url == url { throw Mishap() }
                return try await next(request)
            }
        ]
        let result = try await manager.retrieveImage(
            with: url, options: [.alternativeSources([.network(other)])])
        #expect(result.source.url == other && server.requestCount(path: "/a") == 0)
        #expect(await observer.load().compactMap(\.stage.error?.errorCode) == [1007])
    }

    @Test func `a network interceptor that hangs holds no cancellation up`() async throws {
        let gate = Gate()
        manager.networkInterceptors = [
            Interceptor { request, next in
                await gate.pass()
                return try await next(request)
            }
        ]
        let task = manager.retrieveImage(with: url) { [outcome] in outcome.append($0) }
        await gate.waitForArrivals(1)
        task?.cancel()
        #expect(outcome.count == 1 && outcome.values.first?.error?.isTaskCancelled == true)
        #expect(await observer.load().isWellFormed)
    }

    @Test
    func `a network interceptor leaves the source for a constrained network its own key`() async throws {
        loading.downloader.isNetworkConstrained = { true }
        manager.networkInterceptors = [Interceptor { request, next in try await next(request) }]
        let low = server.url("/b")
        let result = try await manager.retrieveImage(
            with: url, options: [.lowDataMode(.network(low)), .waitForCache])
        #expect(result.image.size.width == 8 && result.source.url == low)
        #expect(!loading.cache.isCached(forKey: url.cacheKey) && loading.cache.isCached(forKey: low.cacheKey))
    }
}
