import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A download that waits to be processed` {
    /// Work that runs when the test says so.
    private final class HeldQueue: CallbackOperationQueue {
        let blocks = Recorder<@Sendable () -> Void>()
        var underlyingQueue: DispatchQueue? { nil }
        func addOperation(_ block: @Sendable @escaping () -> Void) { blocks.append(block) }
    }

    private struct CountingProcessor: ImageProcessor {
        let identifier = "counting"
        let runs: CallCounter

        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            runs.increment()
            return DefaultImageProcessor.default.process(item: item, options: options)
        }
    }

    /// Cancels all downloads when a body is there.
    private final class CancellingDelegate: ImageDownloaderDelegate {
        let tasks = Recorder<DownloadTask>()

        func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
            for task in tasks.values { task.cancel() }
            return data
        }
    }

    @Test(arguments: [1, 2])
    func `a download whose callers all leave as its body comes harms nobody`(count: Int) async throws {
        let loading = try Loading()
        let (delegate, gate, results) = (CancellingDelegate(), Gate(), Recorder<Bool>())
        loading.downloader.delegate = delegate
        loading.server.serve("/a", Reply(body: try Sample.png(2, 2)).hold(.head, until: gate))
        for _ in 0..<count {
            delegate.tasks.append(
                loading.downloader.downloadImage(
                    with: loading.server.url("/a"), options: [.callbackQueue(.untouch)]
                ) { results.append($0.error?.isTaskCancelled ?? false) })
        }
        gate.open()
        #expect(await results.waitFor(count: count) == Array(repeating: true, count: count))
        loading.downloader.delegate = nil
        loading.server.serve("/b", try Sample.png(2, 2))
        let next = try await loading.downloader.downloadImage(with: loading.server.url("/b"))
        #expect(next.image.size == CGSize(width: 2, height: 2))
    }

    @Test(arguments: [0, 1, 2])
    func `a download is processed only for callers who have not left`(leaving: Int) async throws {
        let loading = try Loading()
        loading.server.serve("/a", try Sample.png(2, 2))
        let (queue, runs, results) = (HeldQueue(), CallCounter(), Recorder<Bool>())
        let options: KingfisherOptionsInfo = [
            .callbackQueue(.untouch), .processingQueue(.operationQueue(queue)),
            .processor(CountingProcessor(runs: runs)),
        ]
        let gate = Gate()
        loading.server.serve("/a", Reply(body: try Sample.png(2, 2)).hold(.head, until: gate))
        let tasks = (0..<2).map { _ in
            loading.downloader.downloadImage(with: loading.server.url("/a"), options: options) {
                results.append($0.error?.isTaskCancelled ?? false)
            }
        }
        gate.open()
        let work = await queue.blocks.waitFor(count: 1)
        for task in tasks.prefix(leaving) { task.cancel() }
        #expect(results.values == Array(repeating: true, count: leaving))
        work[0]()
        // Where the one has left whose turn it was, the others have a turn of their own.
        for block in queue.blocks.values.dropFirst() { block() }
        #expect(runs.value == (leaving < 2 ? 1 : 0))
        #expect(results.values == (0..<2).map { $0 < leaving })
    }
}
