import Alcedo
import AlcedoCodecs
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import EngineFixtures

/// What a view is cancelled, or given another image, in the middle of.
@MainActor @Suite(.serialized, .timeLimit(.minutes(10)))
struct `A view that is told to wait no longer` {
    enum Stage: String, CaseIterable { case disk, original, provider, download, decoding }
    enum End: String, CaseIterable { case cancel, nothing, other }

    private let fixture: ViewFixture
    private let cache: WatchedCache
    private let results = Recorder<ViewResult>()
    private let processor = HeldProcessor()
    private let codec: HeldCodec
    private let gate = Gate()
    private var view: ImageView { fixture.view }
    private var url: URL { fixture.server.url("/a") }

    init() throws {
        fixture = try ViewFixture()
        cache = WatchedCache(fixture.loading.cache)
        codec = HeldCodec(name: UUID().uuidString)
        CodecRegistry.shared.register(codec)
    }

    private var own: KingfisherOptionsInfo {
        [.downloader(fixture.loading.downloader), .targetCache(cache)]
    }

    /// Begins a load and returns once it is in the middle of a stage.
    private func reach(_ stage: Stage, _ set: (Source, KingfisherOptionsInfo) -> Void) async throws {
        let png = try Sample.png(30, 4)
        let held: KingfisherOptionsInfo = [
            .processor(processor), .processingQueue(.dispatch(DispatchQueue(label: "held"))),
        ]
        switch stage {
        case .disk:
            try await cache.storeToDisk(Data(png), forKey: url.cacheKey)
            set(.network(url), own + [.cacheSerializer(SlowToRead(gate: gate))])
            await gate.waitForArrivals(1)
        case .original:
            try await cache.storeToDisk(Data(png), forKey: url.cacheKey)
            set(.network(url), own + held)
            await processor.gate.waitForArrivals(1)
        case .provider:
            set(.provider(RawImageDataProvider(data: Data(png), cacheKey: url.cacheKey)), own + held)
            await processor.gate.waitForArrivals(1)
        case .download:
            fixture.server.serve("/a", png)
            set(.network(url), own + held)
            await processor.gate.waitForArrivals(1)
        case .decoding:
            try await cache.storeToDisk(Data(codec.bytes), forKey: url.cacheKey)
            set(.network(url), own)
            await codec.gate.waitForArrivals(1)
        }
    }

    /// Lets the stage go on to its end.
    private func letGo(_ stage: Stage) async {
        gate.open()
        processor.gate.open()
        codec.gate.open()
        switch stage {
        case .disk: await cache.reads.waitFor(1)
        case .original, .provider, .download: await processor.runs.waitFor(1)
        case .decoding: await codec.decoded.waitFor(1)
        }
        // What is on its way to the main queue comes before this.
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    }

    private func isInMemory(_ stage: Stage) -> Bool {
        let identifier = stage == .disk ? "" : "@held"
        return cache.memoryStorage.isCached(forKey: url.cacheKey + identifier)
    }

    @Test(arguments: Stage.allCases, End.allCases)
    func `a view that stops waiting shows nothing of the load, promotes nothing, and says so`(
        stage: Stage, end: End
    ) async throws {
        try await reach(stage) { source, options in
            view.kf.setImage(with: source, placeholder: try? Image.plain(3), options: options) {
                [results] in results.append($0)
            }
        }
        let shown = fixture.surface.shown.count
        switch end {
        case .cancel: view.kf.cancelDownloadTask()
        case .nothing: view.kf.setImage(with: nil as Source?, placeholder: try Image.plain(5))
        case .other:
            let other = RawImageDataProvider(data: Data(try Sample.png(7, 4)), cacheKey: "other")
            let ended = Recorder<Bool>()
            // From memory: while this test holds a worker thread, another may hold the rest.
            if stage == .decoding {
                try await cache.store(try Image.plain(7), forKey: "other", toDisk: false)
            }
            view.kf.setImage(with: .provider(other), options: own) { ended.append($0.error == nil) }
            #expect(await ended.waitFor(count: 1) == [true])
        }
        if end == .cancel {
            #expect(results.values.first?.error?.isTaskCancelled == true)
            #expect(view.kf.taskIdentifier == nil)
        }
        await letGo(stage)
        let error = await results.waitFor(count: 1)[0].error
        #expect(end == .cancel ? error?.isTaskCancelled == true : error?.isNotCurrentTask == true)
        #expect(results.count == 1)
        #expect(view.image.width == [.cancel: 3, .nothing: 5, .other: 7][end])
        #expect(!fixture.surface.shown.dropFirst(shown).contains { [8, 30].contains($0.width) })
        // What was downloaded for somebody else's sake is kept; what was cancelled is not.
        if stage != .decoding, stage != .download || end == .cancel { #expect(!isInMemory(stage)) }
    }

    @Test(arguments: Stage.allCases)
    func `a button that cancels its background image shows nothing of the load`(stage: Stage) async throws {
        let button = KFCrossPlatformButton(surface: HeadlessSurface())
        try await reach(stage) { source, options in
            button.kf.setBackgroundImage(
                with: source, for: .normal, options: options,
                completionHandler: { [results] in results.append($0) })
        }
        button.kf.cancelBackgroundImageDownloadTask()
        #expect(results.values.first?.error?.isTaskCancelled == true)
        await letGo(stage)
        #expect(results.count == 1 && button.backgroundImage(for: .normal) == nil)
        let again = Recorder<ViewResult>()
        let other = RawImageDataProvider(data: Data(try Sample.png(7, 4)), cacheKey: "other")
        button.kf.setImage(
            with: .provider(other), for: .normal, options: own, completionHandler: { again.append($0) })
        #expect(try await again.waitFor(count: 1)[0].get().image.pixelSize.width == 7)
    }

    @Test(arguments: [Stage.disk, .original, .provider, .download])
    func `anything with an image shows nothing of a load that is cancelled`(stage: Stage) async throws {
        let card = Card()
        try await reach(stage) { source, options in
            card.kf.setImage(with: source, options: options) { [results] in results.append($0) }
        }
        card.kf.cancelDownloadTask()
        #expect(results.values.first?.error?.isTaskCancelled == true)
        await letGo(stage)
        #expect(results.count == 1 && card.image == nil)
    }

    private final class Card: KingfisherHasImageComponent {
        var image: KFCrossPlatformImage?
    }

    @Test func `a view whose load is cancelled shows no more of a progressive JPEG`() async throws {
        let data = try Fixture.data("made/progressive.jpg")
        fixture.server.serve("/p", Reply(body: Payload(data)).hold(.byte(data.count * 3 / 4), until: gate))
        let asked = Recorder<Int>()
        let progressive = ImageProgressive(isBlur: false, isFastestScan: false, scanInterval: 0)
        let task = Recorder<DownloadTask?>()
        progressive.onImageUpdated.delegate(on: view) { _, image in
            asked.append(image.pixelSize.width)
            // From another thread: the view hears of it later than the next picture may be shown.
            let cancelled = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                task.values.first??.cancel()
                cancelled.signal()
            }
            cancelled.wait()
            return .keepCurrent
        }
        task.append(
            view.kf.setImage(
                with: fixture.server.url("/p"), options: own + [.progressiveJPEG(progressive)]
            ) { [results] in results.append($0) })
        #expect(await results.waitFor(count: 1)[0].error?.isTaskCancelled == true)
        gate.open()
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        #expect(asked.count == 1 && view.image == nil)
    }

    @Test func `a view given forty other images, each at another stage, shows the last alone`() async throws {
        let processor = BlurImageProcessor(blurRadius: 2)
        let data = Data(try Sample.png(9, 4))
        for index in 0..<40 {
            let url = try fixture.serve("/\(index)", width: index + 10)
            if index % 3 == 0 { try await cache.storeToDisk(data, forKey: url.cacheKey) }
            let source: Source =
                index % 3 == 2
                ? .provider(RawImageDataProvider(data: data, cacheKey: "p\(index)")) : .network(url)
            view.kf.setImage(
                with: source, options: own + (index % 2 == 0 ? [.processor(processor)] : [])
            ) { [results] in results.append($0) }
            for _ in 0..<(index % 7) { await Task.yield() }
            if index % 5 == 4 { view.kf.cancelDownloadTask() }
        }
        let last = try fixture.serve("/last", width: 99)
        view.kf.setImage(with: last, options: own) { [results] in results.append($0) }
        await results.waitFor(count: 41)
        #expect(results.count == 41 && view.image.width == 99)
        let failures = results.values.compactMap(\.error)
            .filter { !$0.isNotCurrentTask && !$0.isTaskCancelled }
        #expect(failures.isEmpty, "\(failures)")
    }
}
