import AlcedoLocks

/// Which transfer a caller has joined; nil before that.
final class CoalescedTask: Sendable {
    private let transfer = Lock<SessionDataTask?>(nil)

    var value: SessionDataTask? {
        get { transfer.withLock { $0 } }
        set { transfer.withLock { $0 = newValue } }
    }
}

/// One of those who share a transfer: what it wants, and where it is told, once.
final class DownloadCaller: Sendable {
    typealias Completion = @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void

    private struct State {
        var completion: Completion?
        /// How it was cancelled, which counts for more than an outcome that waits for the callback's queue.
        var cancellation: KingfisherError?
    }

    let options: KingfisherParsedOptionsInfo
    private let state: Lock<State>

    /// Where the transfer that it joins is noted, for a completion that asks for that.
    let transfer: CoalescedTask?

    /// Holds the completion back until the call has returned, and said what comes before it.
    let latch: ReturnLatch

    init(
        options: KingfisherParsedOptionsInfo, completion: Completion?,
        latch: ReturnLatch = ReturnLatch(steps: 0)
    ) {
        self.options = options
        self.latch = latch
        state = Lock(State(completion: completion))
        transfer = nil
    }

    /// A caller whose completion is told which transfer it was; nil if there was none.
    init(
        options: KingfisherParsedOptionsInfo,
        completion:
            @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>, SessionDataTask?) -> Void
    ) {
        self.options = options
        latch = ReturnLatch(steps: 0)
        let transfer = CoalescedTask()
        self.transfer = transfer
        state = Lock(State(completion: { result in completion(result, transfer.value) }))
    }

    var progress: ProgressCallback? { options.progress }

    /// Tells the outcome, on this thread if the options have no wish; later outcomes are not told.
    func finish(_ result: Result<ImageLoadingResult, KingfisherError>) {
        guard state.withLock({ $0.completion != nil }) else { return }
        latch.whenOpen { [self] in
            options.callbackQueue.execute { [self] in
                let (completion, cancellation) = state.withLock { state in
                    (state.completion.take(), state.cancellation)
                }
                completion?(cancellation.map { .failure($0) } ?? result)
            }
        }
    }

    /// Ends it with `error`, unless its outcome has been told.
    func cancel(_ error: KingfisherError) {
        state.withLock { $0.cancellation = error }
        finish(.failure(error))
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
