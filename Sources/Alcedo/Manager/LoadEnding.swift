import AlcedoLocks
import Foundation

/// Completes a load exactly once, after the callbacks that must precede the completion.
final class LoadEnding: Sendable {
    private typealias Ending = (result: Result<RetrieveImageResult, KingfisherError>, stale: Source?)

    /// The parts of a finished load to tear down outside the lock.
    private struct Ended {
        let completion: ImageLoad.Completion?
        let isPending: Bool
        let sharedFetch: SharedFetch?
        let activeLoads: ActiveLoads?
    }

    private struct State {
        var source: Source
        var completion: ImageLoad.Completion?

        /// The right to store the image in the shared cache, after it had none.
        var sharedFetch: SharedFetch?
        var activeLoads: ActiveLoads?
        var isFinished = false
        var isSynchronous = false

        /// Callbacks that run now and must precede the completion, and the end that waits for them.
        var announcements = 0
        var pending: Ending?
    }

    private let state: Lock<State>

    /// Delays the completion until the call that started the load has returned.
    private let latch: ReturnLatch

    init(
        _ completion: ImageLoad.Completion?, source: Source, sharedFetch: SharedFetch?, isAwaited: Bool
    ) {
        state = Lock(State(source: source, completion: completion, sharedFetch: sharedFetch))
        latch = ReturnLatch(steps: isAwaited ? 0 : 1)
    }

    /// The source of the present attempt.
    var source: Source { state.withLock { $0.source } }

    /// Starts the next attempt.
    func setSource(_ source: Source) {
        let old = state.withLock { (exchange(&$0.source, with: source), $0.sharedFetch.take()) }
        withExtendedLifetime(old) {}
    }

    var hasSharedFetch: Bool { state.withLock { $0.sharedFetch != nil } }

    /// Keeps the right until the image is stored or the load ends; flushes of the shared cache wait for that.
    func keep(_ fetch: SharedFetch?) {
        let old = state.withLock { state in
            guard !state.isFinished else { return fetch }
            return exchange(&state.sharedFetch, with: fetch)
        }
        withExtendedLifetime(old) {}
    }

    func takeSharedFetch() -> SharedFetch? {
        let fetch = state.withLock { $0.sharedFetch.take() }
        fetch?.announceEnd()
        return fetch
    }

    /// Whether the load has completed before the call that started it has returned.
    var isSynchronous: Bool { state.withLock { $0.isSynchronous } }

    func callHasReturned() { latch.step() }

    /// Notifies `activeLoads`, which counts the load, when it ends.
    func count(in activeLoads: ActiveLoads) { state.withLock { $0.activeLoads = activeLoads } }

    func finish(
        _ load: ImageLoad, _ result: Result<RetrieveImageResult, KingfisherError>, synchronously: Bool,
        revalidating stale: Source?
    ) {
        let ended = state.withLock { state -> Ended? in
            guard !state.isFinished else { return nil }
            (state.isFinished, state.isSynchronous) = (true, synchronously)
            let isPending = state.announcements > 0
            if isPending { state.pending = (result, stale) }
            return Ended(
                completion: isPending ? nil : state.completion.take(), isPending: isPending,
                sharedFetch: state.sharedFetch.take(), activeLoads: state.activeLoads.take())
        }
        guard let ended else { return }
        ended.sharedFetch?.announceEnd()
        // The action retains the load, which retains the handle.
        load.handle.cancellation.removeAction()
        load.handle.detach()
        if !ended.isPending {
            complete(load, ended.completion, result, isSynchronous: synchronously, revalidating: stale)
        }
        ended.activeLoads?.untrack(load.handle)
        ended.activeLoads?.leave()
    }

    func announce(_ load: ImageLoad, _ callback: () -> Void) {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.announcements += 1 }
            return state.isFinished
        }
        guard !isFinished else { return }
        callback()
        let (pending, completion) = state.withLock { state in
            state.announcements -= 1
            let pending = state.announcements == 0 ? state.pending.take() : nil
            return (pending, pending == nil ? nil : state.completion.take())
        }
        if let pending {
            complete(load, completion, pending.result, isSynchronous: false, revalidating: pending.stale)
        }
    }

    private func complete(
        _ load: ImageLoad, _ completion: ImageLoad.Completion?,
        _ result: Result<RetrieveImageResult, KingfisherError>, isSynchronous: Bool,
        revalidating stale: Source?
    ) {
        let end = LoadEnd(load, completion, result, revalidating: load.isPass ? nil : stale)
        guard end.isAwaited else { return }
        let call: @Sendable () -> Void = { load.options.callbackQueue.execute { end.deliver() } }
        if isSynchronous { call() } else { latch.whenOpen(call) }
    }
}

/// What a load ends with, on the way to its callback queue.
///
/// An object, because a result counts dozens of references, and each closure on the way would copy it.
private final class LoadEnd: Sendable {
    private let load: ImageLoad
    private let completion: ImageLoad.Completion?
    private let result: Result<RetrieveImageResult, KingfisherError>
    private let stale: Source?
    private let stage: ImageLoadEvent.Stage
    /// Revalidates what this load has got from another one.
    private let inherited: (@Sendable (ImageLoad) -> Void)?

    init(
        _ load: ImageLoad, _ completion: ImageLoad.Completion?,
        _ result: Result<RetrieveImageResult, KingfisherError>, revalidating stale: Source?
    ) {
        // Switches once, because each switch copies the result.
        switch result {
        case .success(let result):
            stage = .delivered(tier: result.tier)
            inherited = load.isPass ? nil : result.revalidation
        case .failure(let error): (stage, inherited) = (.init(ofEnd: error), nil)
        }
        (self.load, self.completion, self.stale) = (load, completion, stale)
        self.result = result
    }

    /// Whether it has something to call.
    var isAwaited: Bool { completion != nil || stale != nil || inherited != nil }

    /// Sends the last event where the completion is called, so that it says what the completion gets.
    func deliver() {
        if load.handle.isCancelled, !stage.isCancelled {
            // Cancelled after the load has ended.
            let cancellation = load.cancellation
            load.send(end: .init(ofEnd: cancellation))
            completion?(.failure(cancellation))
        } else {
            load.send(end: stage)
            completion?(result)
        }
        if let stale { load.revalidate(stale, with: load.options) }
        inherited?(load)
    }
}

extension ImageLoad {
    fileprivate func send(end stage: ImageLoadEvent.Stage) {
        if !isPass { events?.send(stage) }
    }
}

extension KingfisherError {
    /// The error of a cancellation through `task` while `source` is loaded.
    static func cancellation(of source: Source, through task: DownloadTask) -> KingfisherError {
        if case .provider(let provider) = source {
            return .requestError(reason: .dataProviderCancelled(provider: provider))
        }
        guard let transfer = task.transfer else { return .requestError(reason: .asyncTaskContextCancelled) }
        return .requestError(reason: .taskCancelled(task: transfer.task, token: transfer.token))
    }
}
