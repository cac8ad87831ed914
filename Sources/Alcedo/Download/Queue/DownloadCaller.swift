import AlcedoLocks

/// The transfer of a caller; nil before it has one.
final class CoalescedTask: Sendable {
    private let transfer = Lock<SessionDataTask?>(nil)

    var value: SessionDataTask? {
        get { transfer.withLock { $0 } }
        set { transfer.withLock { $0 = newValue } }
    }
}

/// One caller of a transfer: its options, and its completion, which is called once.
final class DownloadCaller: Sendable {
    typealias Completion = @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void

    private struct State {
        var completion: Completion?
        /// The cancellation error, which overrides a result that waits for the callback queue.
        var cancellation: KingfisherError?
        var throttle = ProgressThrottle()
    }

    let options: KingfisherParsedOptionsInfo
    private let state: Lock<State>

    /// The transfer, for a completion with that parameter.
    let transfer: CoalescedTask?

    /// Delays the completion until the call has returned, and earlier callbacks were made.
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

    /// A caller whose completion gets the transfer; nil without one.
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

    var progress: ProgressCallback? { options.context.progress }
    var events: LoadEvents? { options.context.events }
    var acceptsAnyStatus: Bool { options.context.acceptsAnyStatus }

    /// Reports the progress as often as the throttle admits; `expected` is nil while the total is unknown.
    func report(received: Int64, expected: Int64?) {
        guard let progress, expected != nil || options.reportProgressOfUnknownSize else { return }
        let now = progress.now()
        guard state.withLock({ $0.throttle.admits(received: received, expected: expected, at: now) })
        else { return }
        progress.report(received: received, expected: expected ?? -1)
    }

    /// Reports the last progress of a body whose total was unknown.
    func reportEnd(received: Int64) {
        guard let progress, state.withLock({ $0.throttle.admitsEnd() }) else { return }
        progress.report(received: received, expected: received)
    }

    /// Calls the completion on the options' callback queue, or on this thread without one; later calls do nothing.
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

    /// Calls the completion with `error`, unless it was called.
    func cancel(_ error: KingfisherError) {
        state.withLock { $0.cancellation = error }
        finish(.failure(error))
    }

    /// Whether ``finish(_:)`` runs the program's code on the calling thread.
    var mayBlock: Bool { options.context.completionMayBlock ?? options.callbackQueue.isUntouched }

    /// Calls the completion from the network thread, which the program's code must not block.
    func finishFromNetwork(_ result: Result<ImageLoadingResult, KingfisherError>) {
        if mayBlock {
            WorkerPool.shared.submit { [self] in finish(result) }
        } else {
            finish(result)
        }
    }
}

extension [DownloadCaller] {
    /// Returns whether one of the callers' loads is current; see ``LoadContext/isCurrent``.
    var isAnyCurrent: @Sendable () -> Bool {
        { [loads = map(\.options.context.isCurrent)] in loads.contains { $0?() != false } }
    }
}
