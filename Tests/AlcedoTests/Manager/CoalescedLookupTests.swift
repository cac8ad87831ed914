import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Leaves files as they are, and counts those that are read; each read waits at a gate.
private struct CountingTransform: DiskTransform {
    let gate = Gate()
    let reads = CallCounter()
    let writes = CallCounter()

    func seal(_ data: Data, fileName: String) throws -> Data {
        writes.increment()
        return data
    }

    func open(_ bytes: Data, fileName: String) throws(DiskTransformError) -> Data {
        reads.increment()
        gate.wait()
        return bytes
    }
}

/// Counts the lookups that wait.
///
/// Safe because it adds nothing that changes.
private final class CountingCache: ImageCache, @unchecked Sendable {
    let waiting = CallCounter()

    override func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        super.retrieveImage(
            forKey: key, options: options, callbackQueue: callbackQueue, completionHandler: completionHandler)
        waiting.increment()
    }
}

/// Counts how often it is called.
private struct CountingSerializer: CacheSerializer {
    let calls = CallCounter()

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        calls.increment()
        return DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `Loads of one cached image at a time` {
    private static let count = 50
    private let folder: TemporaryDirectory
    private let disk = CountingTransform()
    private let cache: CountingCache
    private let empty: ImageCache
    private let manager: KingfisherManager
    private let results = Recorder<Result<RetrieveImageResult, KingfisherError>>()
    private let key = "a"
    private let source: Source

    init() throws {
        folder = try TemporaryDirectory()
        var config = DiskStorage.Config(name: "full", sizeLimit: 0, directory: folder.url)
        config.transform = disk
        cache = CountingCache(
            memoryStorage: .init(config: .quarterOfMemory),
            diskStorage: try .init(
                config: config, now: { Date() }, faults: DiskFaultReport(), stallCheck: .never))
        empty = try .patient("empty", in: folder.url)
        manager = KingfisherManager(downloader: ImageDownloader(name: "test"), cache: cache)
        manager.defaultOptions = [.callbackQueue(.untouch), .onlyFromCache]
        // Never asked.
        let url = try #require(URL(string: "http://localhost/a"))
        source = .network(KF.ImageResource(downloadURL: url, cacheKey: key))
    }

    private func fill(_ bytes: [UInt8]? = nil) async throws {
        try await cache.storeToDisk(Data(bytes ?? Sample.png(30, 4)), forKey: key)
    }

    @discardableResult
    private func load(_ options: KingfisherOptionsInfo = []) -> DownloadTask? {
        manager.retrieveImage(with: source, options: options) { results.append($0) }
    }

    /// The images once there are so many results.
    private func images(_ count: Int = count) async throws -> [Image] {
        try await results.waitFor(count: count).map { try $0.get().image }
    }

    @Test func `loads of one cached image read the disk once, and get one image`() async throws {
        try await fill()
        for _ in 0..<Self.count { load() }
        await cache.waiting.waitFor(Self.count)
        disk.gate.open()
        let images = try await images()
        #expect(disk.reads.value == 1)
        #expect(Set(images).count == 1 && images.first?.pixelSize.width == 30)
        #expect(results.values.allSatisfy { (try? $0.get().cacheType) == .disk })
    }

    @Test func `loads of one cached image read it once for each way to make it`() async throws {
        try await fill(Array(Fixture.data("gif/wedge.gif")))
        for options: KingfisherOptionsInfo in [
            [], [.onlyLoadFirstFrame], [.scaleFactor(2)], [.preloadAllAnimationData],
        ] {
            for _ in 0..<3 { load(options) }
        }
        await cache.waiting.waitFor(12)
        disk.gate.open()
        #expect(Set(try await images(12)).count == 4)
        #expect(disk.reads.value == 4)
    }

    @Test func `loads of one cached image read a fallback cache once`() async throws {
        try await fill()
        for _ in 0..<Self.count { load([.targetCache(empty), .fallbackCaches([cache])]) }
        await cache.waiting.waitFor(Self.count)
        disk.gate.open()
        #expect(Set(try await images()).count == 1)
        #expect(disk.reads.value == 1)
    }

    @Test func `loads of one original read it once, and process it once for each processor`() async throws {
        try await fill()
        let processors = ["a", "b"].map { NamedHold(identifier: $0) }
        let observer = EventRecorder()
        for processor in processors {
            for _ in 0..<Self.count {
                load([
                    .targetCache(empty), .originalCache(cache), .processor(processor), .observers([observer]),
                ])
            }
        }
        await cache.waiting.waitFor(2 * Self.count)
        disk.gate.open()
        let isProcessing: @Sendable (ImageLoadEvent) -> Bool = {
            if case .processing = $0.stage { true } else { false }
        }
        _ = await observer.events.wait { $0.count(where: isProcessing) == 2 * Self.count }
        for processor in processors { processor.gate.open() }
        #expect(Set(try await images(2 * Self.count)).count == 2)
        #expect(disk.reads.value == 1)
        #expect(processors.map(\.runs.value) == [1, 1])
    }

    @Test func `loads of one file read it once`() async throws {
        let codec = HeldCodec(name: UUID().uuidString)
        CodecRegistry.shared.register(codec)
        let file = folder.url.appending(path: "image")
        try Data(codec.bytes).write(to: file)
        let observer = EventRecorder()
        let options: KingfisherOptionsInfo = [
            .cacheLayers(read: .network, write: []), .backgroundDecode, .observers([observer]),
        ]
        manager.defaultOptions = [.callbackQueue(.untouch)]
        let tasks = (0..<Self.count).map { _ in
            manager.retrieveImage(
                with: Source.provider(LocalFileImageDataProvider(fileURL: file)), options: options
            ) { results.append($0) }
        }
        let isReading: @Sendable (ImageLoadEvent) -> Bool = {
            if case .transferring = $0.stage { true } else { false }
        }
        _ = await observer.events.wait { $0.count(where: isReading) == Self.count }
        // Whoever is cancelled takes nothing from the others.
        tasks[0]?.cancel()
        codec.gate.open()
        let images = try await results.waitFor(count: Self.count).dropFirst().map { try $0.get().image }
        #expect(Set(images).count == 1 && codec.decoded.value == 1)
    }

    @Test func `a file is read anew after a removal of its key, and for another key`() async throws {
        let codec = HeldCodec(name: UUID().uuidString)
        CodecRegistry.shared.register(codec)
        let file = folder.url.appending(path: "image")
        try Data(codec.bytes).write(to: file)
        manager.defaultOptions = [
            .callbackQueue(.untouch), .cacheLayers(read: .network, write: []), .backgroundDecode,
        ]
        func load(_ key: String) {
            let provider = LocalFileImageDataProvider(fileURL: file, cacheKey: key)
            manager.retrieveImage(with: Source.provider(provider)) { results.append($0) }
        }
        load("a")
        await codec.gate.waitForArrivals(1)
        try await cache.removeImage(forKey: "a")
        load("a")
        load("b")
        codec.gate.open()
        #expect(try await Set(images(3)).count == 3)
        #expect(codec.decoded.value == 3)
    }

    @Test
    func `loads that share a lookup end one by one if they are cancelled, the first one too`() async throws {
        try await fill()
        let tasks = (0..<3).map { _ in load() }
        await disk.gate.waitForArrivals(1)
        tasks[0]?.cancel()
        #expect(results.values.first?.error?.isTaskCancelled == true && results.count == 1)
        disk.gate.open()
        let images = try await results.waitFor(count: 3).dropFirst().map { try $0.get().image }
        #expect(Set(images).count == 1 && disk.reads.value == 1)
    }

    @Test func `a load gets its image though all loads before it that shared the lookup are cancelled`()
        async throws
    {
        try await fill()
        let tasks = (0..<3).map { _ in load() }
        await disk.gate.waitForArrivals(1)
        for task in tasks { task?.cancel() }
        await results.waitFor(count: 3)
        load()
        disk.gate.open()
        #expect(try await results.waitFor(count: 4)[3].get().image.pixelSize.width == 30)
    }

    @Test func `loads of one cached image see removals and stores before them`() async throws {
        try await fill()
        load()
        await disk.gate.waitForArrivals(1)
        let writes = Gate()
        cache.writes.append { writes.wait() }
        cache.removeImage(forKey: key, completionHandler: nil)
        load()
        let missed = await results.waitFor(count: 1)[0].error
        #expect(missed?.errorCode == 3006)
        cache.storeToDisk(Data(try Sample.png(9, 1)), forKey: key, completionHandler: nil)
        load()
        #expect(try await results.waitFor(count: 2)[1].get().image.pixelSize.width == 9)
        disk.gate.open()
        #expect(try await results.waitFor(count: 3)[2].get().image.pixelSize.width == 30)
        writes.open()
    }

    @Test func `the program's serializer is called for each load of a cached image`() async throws {
        try await fill()
        disk.gate.open()
        let serializer = CountingSerializer()
        for _ in 0..<3 { load([.cacheSerializer(serializer), .cacheLayers(read: .disk, write: [])]) }
        await results.waitFor(count: 3)
        #expect(serializer.calls.value == 3 && disk.reads.value == 3)
    }
}

/// Processes only once its gate is open.
private struct NamedHold: ImageProcessor {
    let identifier: String
    let gate = Gate()
    let runs = CallCounter()

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        gate.wait()
        runs.increment()
        return try? Image(bitmap: Sample.bitmap(2, 2, bgra: [0, 0, 0, 255]))
    }
}
