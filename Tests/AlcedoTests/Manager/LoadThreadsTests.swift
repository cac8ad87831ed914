import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Runs a block on another thread, and returns when it has run.
private func runElsewhere(_ block: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread {
        block()
        done.signal()
    }.start()
    done.wait()
}

/// A queue whose blocks have run before they are added.
private final class EagerQueue: CallbackOperationQueue {
    var underlyingQueue: DispatchQueue? { nil }
    func addOperation(_ block: @escaping @Sendable () -> Void) { runElsewhere(block) }
}

/// A downloader that completes on another thread before its call returns.
///
/// Safe because it adds nothing that changes.
private final class EagerDownloader: ImageDownloader, @unchecked Sendable {
    let image: Image

    init(_ image: Image) {
        self.image = image
        super.init(name: "eager")
    }

    override func downloadImage(
        with url: URL, options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let result = ImageLoadingResult(image: image, url: url, originalData: Data())
        runElsewhere { completionHandler?(.success(result)) }
        return DownloadTask()
    }
}

/// The program's, so that it is called on a thread for such code; it keeps originals.
private struct OriginalSerializer: CacheSerializer {
    var originalDataUsed: Bool { true }
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

/// Records the threads on which loads end.
private struct EndThreads: ImageLoadObserver {
    let names = Recorder<String>()

    func imageLoad(didReach event: ImageLoadEvent) {
        if case .delivered = event.stage { names.append(Thread.current.name ?? "") }
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A load that is called back before it waits` {
    let loading: Loading
    let url: URL
    private let ends = EndThreads()

    init() throws {
        loading = try Loading()
        url = loading.server.url("/a.png")
    }

    @Test func `a load called back before it waits does not continue on a thread for the program's code`()
        async throws
    {
        let processor = CountingProcessor()
        try await loading.cache.storeToDisk(
            Data(try Sample.png(4, 4)), forKey: url.cacheKey, processorIdentifier: processor.identifier)
        let result = try await loading.manager.retrieveImage(
            with: url,
            options: [
                .cacheSerializer(OriginalSerializer()), .processor(processor),
                .processingQueue(.operationQueue(EagerQueue())), .observers([ends]),
            ])
        #expect(result.cacheType == .disk && processor.runs.value == 1)
        #expect(ends.names.values.count == 1 && ends.names.values.allSatisfy { $0.hasPrefix("alcedo-cpu-") })
    }

    @Test func `a load called back before it waits does not continue on the caller's thread`() async throws {
        let downloader = EagerDownloader(Image(bitmap: try Sample.bitmap(6, 4)))
        let result = try await loading.manager.retrieveImage(
            with: url, options: [.downloader(downloader), .forceRefresh, .observers([ends])])
        #expect(result.image.size.width == 6)
        #expect(ends.names.values.count == 1 && ends.names.values.allSatisfy { $0.hasPrefix("alcedo-cpu-") })
    }
}
