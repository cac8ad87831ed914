import AlcedoLocks

/// Which transfer a caller has joined; nil before that.
final class JoinedTransfer: Sendable {
    private let transfer = Lock<SessionDataTask?>(nil)

    var value: SessionDataTask? {
        get { transfer.withLock { $0 } }
        set { transfer.withLock { $0 = newValue } }
    }
}

/// One of those who share a transfer: what it wants, and where it is told.
final class DownloadCaller: Sendable {
    typealias Completion = @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void

    let options: KingfisherParsedOptionsInfo
    private let completion: Completion?

    /// Where the transfer that it joins is noted, for a completion that asks for that.
    let transfer: JoinedTransfer?

    init(options: KingfisherParsedOptionsInfo, completion: Completion?) {
        self.options = options
        self.completion = completion
        transfer = nil
    }

    /// A caller whose completion is told which transfer it was; nil if there was none.
    init(
        options: KingfisherParsedOptionsInfo,
        completion:
            @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>, SessionDataTask?) -> Void
    ) {
        self.options = options
        let transfer = JoinedTransfer()
        self.transfer = transfer
        self.completion = { result in completion(result, transfer.value) }
    }

    var progress: ProgressCallback? { options.progress }

    /// Tells the outcome, on this thread if the options have no wish.
    func finish(_ result: Result<ImageLoadingResult, KingfisherError>) {
        guard let completion else { return }
        options.callbackQueue.execute { completion(result) }
    }

    /// Whether telling the outcome runs somebody else's code on the thread that tells.
    var mayBlock: Bool { options.completionMayBlock ?? options.callbackQueue.isUntouched }

    /// Tells the outcome from the network thread, which must not wait for somebody else's code.
    func finishFromNetwork(_ result: Result<ImageLoadingResult, KingfisherError>) {
        if mayBlock {
            WorkerPool.shared.submit { [self] in finish(result) }
        } else {
            finish(result)
        }
    }
}
