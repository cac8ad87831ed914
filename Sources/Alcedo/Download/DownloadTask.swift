import AlcedoLocks

/// One caller's share in a download; several callers may share one transfer.
///
/// Safe because its state is behind a lock.
public final class DownloadTask: @unchecked Sendable {
    private enum Work {
        case none
        case transfer(SessionDataTask, SessionDataTask.CancelToken)
        case other(cancel: @Sendable () -> Void)
        case linked(DownloadTask)

        func cancel() {
            switch self {
            case .none: break
            case .transfer(let task, let token): task.cancel(token: token)
            case .other(let cancel): cancel()
            case .linked(let task): task.cancel()
            }
        }
    }

    private struct State {
        var work = Work.none
        var isCancelled = false
    }

    private let state = Lock(State())

    init() {}

    /// The transfer; nil until it has begun, and for a source that needs none.
    public var sessionTask: SessionDataTask? { transfer?.task }

    /// This caller's number among those that share the transfer; nil until it has begun.
    public var cancelToken: SessionDataTask.CancelToken? { transfer?.token }

    /// Whether the transfer has begun.
    public var isInitialized: Bool { transfer != nil }

    /// Ends this caller's share: its completion is called with an error that says so, unless it was called before.
    ///
    /// The transfer itself goes on while other callers share it.
    public func cancel() {
        let work = state.withLock { state in
            state.isCancelled = true
            return state.work
        }
        work.cancel()
    }

    /// Whether `cancel` has been called.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Makes this the handle of a transfer; cancels that at once if this was cancelled already.
    func link(to task: SessionDataTask, token: SessionDataTask.CancelToken) {
        begin(.transfer(task, token))
    }

    /// Makes this the handle of whatever `other` is the handle of, now and later.
    func link(to other: DownloadTask) {
        begin(.linked(other))
    }

    /// Says what to do when it is cancelled, for work that is not a transfer.
    func work(cancel: @escaping @Sendable () -> Void) {
        begin(.other(cancel: cancel))
    }

    /// Lets go of work that is no transfer, because it is over.
    func rest() {
        let previous = state.withLock { state in
            let previous = state.work
            if case .other = previous { state.work = .none }
            return previous
        }
        withExtendedLifetime(previous) {}
    }

    private func begin(_ work: Work) {
        let (isCancelled, previous) = state.withLock { state in
            defer { state.work = work }
            return (state.isCancelled, state.work)
        }
        if isCancelled { work.cancel() }
        withExtendedLifetime(previous) {}
    }

    /// The transfer that it is a share in, and its number there.
    var transfer: (task: SessionDataTask, token: SessionDataTask.CancelToken)? {
        switch state.withLock({ $0.work }) {
        case .transfer(let task, let token): (task, token)
        case .linked(let task): task.transfer
        case .none, .other: nil
        }
    }
}
