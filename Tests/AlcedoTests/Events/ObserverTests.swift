import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `An observer of loads` {
    private let loading: Loading
    private let observer = EventRecorder()
    private let outcome = Recorder<Result<RetrieveImageResult, KingfisherError>>()
    private var manager: KingfisherManager { loading.manager }
    private var url: URL { loading.server.url("/a") }
    private let bytes: Int

    init() throws {
        loading = try Loading()
        let png = try Sample.png(40, 20)
        bytes = png.count
        loading.server.serve("/a", png)
        loading.manager.observers = [observer]
    }

    private func load(_ options: KingfisherOptionsInfo = []) -> DownloadTask? {
        manager.retrieveImage(with: url, options: options) { [outcome] in outcome.append($0) }
    }

    @Test
    func `an observer is told of each stage of a download, then of memory and disk hits`() async throws {
        _ = try await manager.retrieveImage(with: url, options: [.waitForCache])
        _ = try await manager.retrieveImage(with: url)
        let restarted = try loading.restarted()
        restarted.observers = [observer]
        _ = try await restarted.retrieveImage(with: url)
        let loads = await observer.loads(3)
        #expect(
            loads.map(\.stages) == [
                [
                    "queued", "cacheLookedUp", "waiting", "transferring", "transferred", "decoding",
                    "storing",
                    "delivered",
                ], ["queued", "cacheLookedUp", "delivered"], ["queued", "cacheLookedUp", "delivered"],
            ])
        #expect(
            loads.map { $0.compactMap(\.stage.tier) } == [
                [.none, .none], [.memory, .memory], [.disk, .disk],
            ])
        #expect(loads[0].compactMap(\.stage.bytes) == [bytes, bytes, bytes])
        let urls = Set(loads.joined().map(\.source.url))
        #expect(loads.map(\.isWellFormed) == [true, true, true] && urls == [url])
    }

    @Test func `an observer is told of a cached original that is processed`() async throws {
        let processor = DownsamplingImageProcessor(size: CGSize(width: 8, height: 8))
        try await loading.cache.storeToDisk(Data(Sample.png(40, 20)), forKey: url.cacheKey)
        _ = try await manager.retrieveImage(with: url, options: [.processor(processor)])
        let load = await observer.load()
        #expect(load.stages == ["queued", "cacheLookedUp", "processing", "storing", "delivered"])
        guard case .cacheLookedUp(.disk, isOriginal: true) = load[1].stage,
            case .processing(processor.identifier, bytes: nil) = load[2].stage
        else {
            Issue.record("\(load)")
            return
        }
    }

    @Test func `an observer is told of a provider's data`() async throws {
        let provider = RawImageDataProvider(data: Data(try Sample.png(4, 4)), cacheKey: "raw")
        let processor = DownsamplingImageProcessor(size: CGSize(width: 2, height: 2))
        _ = try await manager.retrieveImage(
            with: .provider(provider), options: [.processor(processor), .forceRefresh])
        #expect(
            await observer.load().stages == [
                "queued", "transferring", "transferred", "processing", "storing", "delivered",
            ])
    }

    @Test func `an observer is told of coalesced loads, each by itself`() async throws {
        let head = Gate()
        loading.server.serve("/a", Reply(body: try Sample.png(4, 4)).hold(.head, until: head))
        let first = load()
        await head.waitForArrivals(1)
        let second = load()
        _ = await observer.events.wait { $0.contains { $0.stage.name == "coalesced" } }
        head.open()
        let loads = await observer.loads(2)
        #expect(loads.map(\.isWellFormed) == [true, true] && first != nil && second != nil)
        #expect(loading.server.requestCount() == 1)
        let shared = ["transferring", "transferred", "decoding", "storing", "delivered"]
        #expect(loads[0].stages == ["queued", "cacheLookedUp", "waiting"] + shared)
        #expect(loads[1].stages == ["queued", "cacheLookedUp", "waiting", "coalesced"] + shared)
    }

    @Test func `an observer is told why an attempt failed, and of the end`() async throws {
        let missing = loading.server.url("/missing")
        loading.server.serve("/missing", .status(404))
        _ = try await manager.retrieveImage(
            with: missing, options: [.alternativeSources([.network(url)]), .forceRefresh])
        _ = try? await manager.retrieveImage(with: missing, options: [.forceRefresh])
        let loads = await observer.loads(2)
        #expect(
            loads.map(\.stages) == [
                [
                    "queued", "waiting", "transferring", "retrying", "waiting", "transferring", "transferred",
                    "decoding", "storing", "delivered",
                ], ["queued", "waiting", "transferring", "failed"],
            ])
        #expect(loads.map { $0.compactMap(\.stage.error?.errorCode) } == [[2002], [2002]])
    }

    @Test func `an observer is told of a load without a completion`() async {
        manager.retrieveImage(with: url, completionHandler: nil)
        #expect(await observer.load().last?.stage.name == "delivered")
    }

    @Test
    func `an observer of one load is told of that one only, after the manager's observer`() async throws {
        let order = Recorder<String>()
        manager.observers = [EventRecorder { order.append("manager \($0.stage.name)") }]
        let own = EventRecorder { order.append("load \($0.stage.name)") }
        _ = try await manager.retrieveImage(with: url, options: [.observers([own])])
        _ = await own.load()
        let first = order.values.prefix(2)
        #expect(first == ["manager queued", "load queued"])
        _ = try await manager.retrieveImage(with: url)
        #expect(own.events.values.count { $0.stage.isEnd } == 1)
    }

    @Test func `an observer that cancels the load is told of that last, once`() async {
        let task = Recorder<DownloadTask>()
        let gate = Gate()
        manager.observers = [
            observer,
            EventRecorder { event in
                if event.stage.name == "decoding" { task.values.first?.cancel() }
            },
        ]
        loading.server.serve("/a", Reply(body: [1, 2, 3]).hold(.head, until: gate))
        if let handle = load([.forceRefresh]) { task.append(handle) }
        gate.open()
        let events = await observer.load()
        await outcome.waitFor(count: 1)
        #expect(events.isWellFormed && events.last?.stage.name == "cancelled")
        #expect(outcome.count == 1 && outcome.values.first?.error?.isTaskCancelled == true)
    }

    @Test
    func `an observer that blocks holds up no cancellation, and is told of it when ready`() async throws {
        let gate = Gate()
        manager.observers = [EventRecorder { if $0.stage.name == "processing" { gate.wait() } }, observer]
        let task = load([
            .processor(DownsamplingImageProcessor(size: CGSize(width: 8, height: 8))),
            .processingQueue(.dispatch(DispatchQueue(label: "observed"))),
        ])
        await gate.waitForArrivals(1)
        task?.cancel()
        #expect(outcome.values.first?.error?.isTaskCancelled == true)
        #expect(observer.events.values.last?.stage.name == "transferred")
        gate.open()
        let events = await observer.load()
        #expect(events.isWellFormed && events.stages.suffix(2) == ["processing", "cancelled"])
    }

    @Test func `an observer is told of prefetched images`() async {
        KingfisherManager.shared.observers.append(observer)
        defer { KingfisherManager.shared.observers = [] }
        ImagePrefetcher(
            urls: [url], options: [.targetCache(loading.cache), .downloader(loading.downloader)]
        ).start()
        let url = url
        let isTold = await observer.events.wait {
            $0.contains { $0.source.url == url && $0.stage.name == "delivered" }
        }
        #expect(isTold)
    }

    @Test func `a load without observers makes no events`() throws {
        #expect(LoadEvents(of: .network(url), for: [], id: 1) == nil)
    }
}
