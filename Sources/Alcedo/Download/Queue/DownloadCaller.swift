import AlcedoLocks
import Foundation

/// One caller of a transfer: what it wants, and its completion, which is called once.
final class DownloadCaller: Sendable {
    typealias Completion = @Sendable (Result<ImageLoadingResult, KingfisherError>, SessionDataTask?) -> Void

    private struct State {
        var completion: Completion?
        var transfer: SessionDataTask?

        /// Loads from the caller's own URL, once a transfer of another one has failed.
        var fallback: (@Sendable () -> Void)?
        /// The cancellation error, which overrides a result that waits for the callback queue.
        var cancellation: KingfisherError?
        var throttle = ProgressThrottle()
    }

    let options: KingfisherParsedOptionsInfo
    let context: DownloadContext
    private let state: Lock<State>

    /// Whether the completion gets the transfer, which this then keeps alive until it is called.
    private let wantsTransfer: Bool

    /// Delays the completion until the call has returned, and earlier callbacks were made.
    let latch: ReturnLatch

    init(
        options: consuming KingfisherParsedOptionsInfo,
        context: consuming DownloadContext = DownloadContext(),
        latch: ReturnLatch = ReturnLatch(steps: 0),
        completion: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)?
    ) {
        (self.options, self.context, self.latch, wantsTransfer) = (options, context, latch, false)
        var state = State()
        if let completion { state.completion = { result, _ in completion(result) } }
        self.state = Lock(state)
    }

    init(
        options: KingfisherParsedOptionsInfo, context: DownloadContext,
        completionWithTransfer: @escaping Completion
    ) {
        (self.options, self.context, latch, wantsTransfer) = (options, context, ReturnLatch(steps: 0), true)
        state = Lock(State(completion: completionWithTransfer))
    }

    var events: LoadEvents? { context.events }

    /// The clock that decides about freshness: that of the load's cache.
    var now: @Sendable () -> Date {
        if let now = context.now ?? options.targetCache?.diskStorage.now { return now }
        return { Date() }
    }

    func joined(_ task: SessionDataTask) { if wantsTransfer { state.withLock { $0.transfer = task } } }

    /// Reports the progress as often as the throttle admits; `expected` is nil while the total is unknown.
    func report(received: Int64, expected: Int64?) {
        guard let progress = context.progress, expected != nil || options.reportProgressOfUnknownSize else {
            return
        }
        let now = progress.now()
        guard state.withLock({ $0.throttle.admits(received: received, expected: expected, at: now) })
        else { return }
        progress.report(received: received, expected: expected ?? -1)
    }

    /// Reports the last progress of a body whose total was unknown.
    func reportEnd(received: Int64) {
        guard let progress = context.progress, state.withLock({ $0.throttle.admitsEnd() }) else { return }
        progress.report(received: received, expected: received)
    }

    /// Has `load` called instead of the completion if the transfer fails, because it was that of another URL.
    func fallBack(to load: (@Sendable () -> Void)?) { state.withLock { $0.fallback = load } }

    /// Calls the completion on the options' callback queue, or on this thread without one; later calls do nothing.
    func finish(_ result: Result<ImageLoadingResult, KingfisherError>) {
        let (isPending, fallback) = state.withLock { ($0.completion != nil, $0.fallback.take()) }
        guard isPending else { return }
        if let fallback, case .failure(let error) = result, error.mayDependOnSignature {
            // Starting one may call the program's code.
            return ProgramThreads.starts.async(priority: options.downloadPriority, fallback)
        }
        latch.whenOpen { [self] in
            options.callbackQueue.execute { [self] in
                let (completion, cancellation, transfer) = state.withLock { state in
                    (state.completion.take(), state.cancellation, state.transfer.take())
                }
                completion?(cancellation.map { .failure($0) } ?? result, transfer)
            }
        }
    }

    /// Calls the completion with `error`, unless it was called.
    func cancel(_ error: KingfisherError) {
        state.withLock { $0.cancellation = error }
        finish(.failure(error))
    }

    /// Whether ``finish(_:)`` runs the program's code on the calling thread.
    var mayBlock: Bool { context.completionMayBlock ?? options.callbackQueue.isUntouched }

    /// Calls the completion from the network thread, which the program's code must not block.
    func finishFromNetwork(_ result: Result<ImageLoadingResult, KingfisherError>) {
        if mayBlock {
            WorkerPool.shared.submit { [self] in finish(result) }
        } else {
            finish(result)
        }
    }
}

extension KingfisherError {
    /// Whether the same request with another signature might succeed.
    fileprivate var mayDependOnSignature: Bool {
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = self else {
            return damage != nil
        }
        return response.statusCode != 304
    }
}
