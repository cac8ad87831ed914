import Alcedo
import AlcedoTestSupport
import Foundation

/// Asks a test what to do about each failure.
struct AskingStrategy: RetryStrategy {
    let questions = Recorder<@Sendable (RetryDecision) -> Void>()

    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        questions.append(retryHandler)
    }
}

/// A transport that a test plays by hand.
final class ScriptedTransport: Transport {
    final class Task: TransportTask {
        var priority: Float {
            get { 0.5 }
            set {}
        }

        func cancel() {}
    }

    let started = Recorder<(request: TransportRequest, handler: any TransportHandler)>()

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        started.append((request, handler))
        return Task()
    }
}

/// A downloader that answers from memory, as a program's own stack or a mock would.
///
/// Safe because it adds nothing that changes.
final class CannedDownloader: ImageDownloader, @unchecked Sendable {
    let asked = Recorder<URL>()
    let image: Image

    init(_ image: Image) {
        self.image = image
        super.init(name: "canned")
    }

    override func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        asked.append(url)
        completionHandler?(.success(ImageLoadingResult(image: image, url: url, originalData: Data())))
        return super.downloadImage(with: url, options: options, completionHandler: nil)
    }
}

/// Counts how often it runs.
final class CountingProcessor: ImageProcessor {
    let identifier = "counting"
    let runs = CallCounter()

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        _ = runs.increment()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}

/// Intercepts with a block.
struct Interceptor: ImageLoadInterceptor {
    let block:
        @Sendable (ImageLoadRequest, @escaping ImageLoadRequest.Next) async throws -> RetrieveImageResult

    func intercept(
        _ request: ImageLoadRequest, next: @escaping ImageLoadRequest.Next
    ) async throws -> RetrieveImageResult { try await block(request, next) }
}
