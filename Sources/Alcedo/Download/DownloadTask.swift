import AlcedoLocks

/// One caller's share in a download; several callers may share one transfer.
///
/// Safe because its state is behind a lock.
public final class DownloadTask: @unchecked Sendable {
    private enum Work {
        case none
        case transfer(SessionDataTask, SessionDataTask.CancelToken)
        case other(cancel: @Sendable () -> Void)

        func cancel() {
            switch self {
            case .none: break
            case .transfer(let task, let token): task.cancel(token: token)
            case .other(let cancel): cancel()
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

    /// Makes this the handle of what `other` is the handle of.
    func link(to other: DownloadTask) {
        let work = other.state.withLock { $0.work }
        if case .none = work { begin(.other { other.cancel() }) } else { begin(work) }
    }

    /// Says what to do when it is cancelled, for work that is not a transfer.
    func work(cancel: @escaping @Sendable () -> Void) {
        begin(.other(cancel: cancel))
    }

    private func begin(_ work: Work) {
        let isCancelled = state.withLock { state in
            state.work = work
            return state.isCancelled
        }
        if isCancelled { work.cancel() }
    }

    private var transfer: (task: SessionDataTask, token: SessionDataTask.CancelToken)? {
        state.withLock { if case .transfer(let task, let token) = $0.work { (task, token) } else { nil } }
    }
}
