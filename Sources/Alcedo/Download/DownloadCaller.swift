/// One of those who share a transfer: what it wants, and where it is told.
final class DownloadCaller: Sendable {
    typealias Completion = @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void

    let options: KingfisherParsedOptionsInfo
    private let completion: Completion?

    init(options: KingfisherParsedOptionsInfo, completion: Completion?) {
        self.options = options
        self.completion = completion
    }

    var progress: ProgressCallback? { options.progress }

    /// Tells the outcome, on this thread if the options have no wish.
    func finish(_ result: Result<ImageLoadingResult, KingfisherError>) {
        guard let completion else { return }
        options.callbackQueue.execute { completion(result) }
    }

    /// Tells the outcome from the network thread, which must not wait for somebody else's code.
    func finishFromNetwork(_ result: Result<ImageLoadingResult, KingfisherError>) {
        if options.completionMayBlock ?? options.callbackQueue.isUntouched {
            WorkerPool.shared.submit { [self] in finish(result) }
        } else {
            finish(result)
        }
    }
}
