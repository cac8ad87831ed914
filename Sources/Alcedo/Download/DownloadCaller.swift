/// One of those who share a transfer: what it wants, and where it is told.
final class DownloadCaller: Sendable {
    typealias Completion = @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void

    let options: KingfisherParsedOptionsInfo
    let progress: ProgressCallback?
    private let completion: Completion?
    private let mayBlock: Bool

    /// Makes a caller.
    ///
    /// - Parameters:
    ///   - options: what it wants.
    ///   - progress: told how far the transfer has come.
    ///   - mayBlock: whether the completion runs somebody else's code, which the network thread must not wait for.
    ///   - completion: told the outcome, on the queue that the options name.
    init(
        options: KingfisherParsedOptionsInfo,
        progress: ProgressCallback?,
        mayBlock: Bool,
        completion: Completion?
    ) {
        self.options = options
        self.progress = progress
        self.mayBlock = mayBlock
        self.completion = completion
    }

    /// Tells the outcome, on this thread if the options have no wish.
    func finish(_ result: Result<ImageLoadingResult, KingfisherError>) {
        guard let completion else { return }
        options.callbackQueue.execute { completion(result) }
    }

    /// Tells the outcome from the network thread.
    func finishFromNetwork(_ result: Result<ImageLoadingResult, KingfisherError>) {
        if mayBlock {
            WorkerPool.shared.submit { [self] in finish(result) }
        } else {
            finish(result)
        }
    }
}

/// A progress block, which is only ever called on the main queue.
///
/// Safe because of that.
struct ProgressCallback: @unchecked Sendable {
    let block: DownloadProgressBlock

    init?(_ block: DownloadProgressBlock?) {
        guard let block else { return nil }
        self.block = block
    }

    func report(received: Int64, expected: Int64) {
        CallbackQueue.mainCurrentOrAsync.execute { block(received, expected) }
    }
}

/// Told of a download's progress on the main thread: bytes received so far, and bytes in all.
///
/// Only called while the total is known.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)
