import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

private struct Refusal: Error, Equatable { let number: Int }

/// Throws if it is given a number, and records what it knows.
private struct ThrowingProcessor: ThrowingImageProcessor {
    let identifier = "throwing"
    var number: Int?
    let contexts = Recorder<ImageProcessingContext>()
    let gate = Gate()

    init(throws number: Int? = nil) { self.number = number }

    func process(
        item: ImageProcessItem, options: KingfisherParsedOptionsInfo, context: ImageProcessingContext
    ) throws -> KFCrossPlatformImage {
        contexts.append(context)
        gate.wait()
        if context.isCancelled { throw CancellationError() }
        if let number { throw Refusal(number: number) }
        guard let image = DefaultImageProcessor.default.process(item: item, options: options) else {
            throw Refusal(number: 0)
        }
        return image
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A processor that throws` {
    private let loading: Loading
    private var manager: KingfisherManager { loading.manager }
    private var url: URL { loading.server.url("/a") }
    private let small = DownsamplingImageProcessor(size: CGSize(width: 2, height: 2))

    init() throws {
        loading = try Loading()
        loading.server.serve("/a", try Sample.png(4, 4))
    }

    private func options(_ processor: any ImageProcessor) -> KingfisherOptionsInfo {
        [.processor(processor), .processingQueue(.dispatch(DispatchQueue(label: "throwing")))]
    }

    private func thrown(_ error: KingfisherError?) -> (identifier: String, refusal: Refusal?)? {
        guard case .processorError(reason: .processorThrew(let processor, _, let error))? = error else {
            return nil
        }
        return (processor.identifier, error as? Refusal)
    }

    @Test(arguments: [0, 1, 2])
    func `a processor that throws fails the load with its error, in a chain too`(kind: Int) async throws {
        let throwing = ThrowingProcessor(throws: 7)
        throwing.gate.open()
        let processor: any ImageProcessor =
            switch kind {
            case 0: throwing
            case 1: throwing |> small
            default: small |> throwing
            }
        let error = await kingfisherError {
            try await manager.retrieveImage(with: url, options: options(processor))
        }
        let found = try #require(thrown(error))
        #expect(found.identifier == "throwing" && found.refusal == Refusal(number: 7))
        #expect(error?.errorCode == 4002 && error?.description.contains("7") == true)
        #expect(error?.description.contains("throwing") == true)
        #expect(!loading.cache.isCached(forKey: url.cacheKey, processorIdentifier: processor.identifier))
    }

    @Test func `a throwing processor knows its source and load, be it a download, provider or original`()
        async throws
    {
        let throwing = ThrowingProcessor()
        throwing.gate.open()
        let observer = EventRecorder()
        manager.observers = [observer]
        let source = Source.network(KF.ImageResource(downloadURL: url, cacheKey: "key"))
        let provider = Source.provider(
            RawImageDataProvider(data: Data(try Sample.png(4, 4)), cacheKey: "raw"))
        try await loading.cache.storeToDisk(Data(Sample.png(4, 4)), forKey: "original")
        let original = Source.network(KF.ImageResource(downloadURL: url, cacheKey: "original"))
        for source in [source, provider, original] {
            let result = try await manager.retrieveImage(with: source, options: options(throwing))
            #expect(result.image.size.width == 4)
        }
        let loads = await observer.loads(3)
        let contexts = throwing.contexts.values
        #expect(contexts.map(\.source) == [source, provider, original])
        #expect(contexts.compactMap(\.loadID) == loads.map { $0[0].loadID })
        #expect(loading.server.requestCount() == 1)
        // Also without observers.
        manager.observers = []
        _ = try await manager.retrieveImage(
            with: source, options: options(throwing) + [.forceRefresh])
        #expect(throwing.contexts.values.last?.loadID != nil)
    }

    @Test func `a throwing processor is called by a program without a load too`() {
        let throwing = ThrowingProcessor(throws: 1)
        throwing.gate.open()
        let image = throwing.process(
            item: .data(Data()), options: KingfisherParsedOptionsInfo(nil))
        #expect(image == nil && throwing.contexts.values.first?.source == nil)
        #expect(throwing.contexts.values.first?.isCancelled == false)
    }

    @Test func `a throwing processor runs once for coalesced loads, until none of them wants the image`()
        async throws
    {
        let throwing = ThrowingProcessor()
        let gate = Gate()
        loading.server.serve("/a", Reply(body: try Sample.png(4, 4)).hold(.head, until: gate))
        let outcomes = Recorder<Result<RetrieveImageResult, KingfisherError>>()
        let options = options(throwing)
        let tasks = (0..<2).map { _ in
            manager.retrieveImage(with: url, options: options) { outcomes.append($0) }
        }
        // Both have joined: the lookups of the cache come before that.
        while tasks.contains(where: { $0?.sessionTask == nil }), !Task.isCancelled { await Task.yield() }
        gate.open()
        await throwing.gate.waitForArrivals(1)
        let context = try #require(throwing.contexts.values.first)
        tasks[0]?.cancel()
        #expect(!context.isCancelled)
        tasks[1]?.cancel()
        #expect(context.isCancelled)
        throwing.gate.open()
        await outcomes.waitFor(count: 2)
        #expect(outcomes.values.allSatisfy { $0.error?.isTaskCancelled == true })
        #expect(throwing.contexts.count == 1)
    }
}
