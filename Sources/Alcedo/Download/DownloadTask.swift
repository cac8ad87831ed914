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

    private let work = Lock(Work.none)

    /// Whether ``cancel()`` has been called, and what it does beyond ending the work.
    let cancellation = Cancellation()

    init() {}

    /// The transfer; nil until it has begun, and for a source that needs none.
    public var sessionTask: SessionDataTask? { transfer?.task }

    /// This caller's number among those that share the transfer; nil until it has begun.
    public var cancelToken: SessionDataTask.CancelToken? { transfer?.token }

    /// Whether the transfer has begun.
    public var isInitialized: Bool { transfer != nil }

    /// Ends this caller's share: its completion is called with an error that says so, unless it was called before.
    ///
    /// It is called at once, on its queue, whatever is being done: what cannot be interrupted goes on and has no effect.
    /// The transfer itself goes on while other callers share it.
    public func cancel() { _ = cancelWork() }

    /// Cancels; false if there is no work to cancel yet.
    func cancelWork() -> Bool {
        let action = cancellation.mark()
        let work = work.withLock { $0 }
        work.cancel()
        action?()
        if case .none = work { return action != nil }
        return true
    }

    /// Whether ``cancel()`` has been called.
    var isCancelled: Bool { cancellation.isCancelled }

    /// Makes this the handle of a transfer; cancels that at once if this was cancelled already.
    func link(to task: SessionDataTask, token: SessionDataTask.CancelToken) {
        begin(.transfer(task, token))
    }

    /// Makes this the handle of whatever `other` is the handle of, now and later.
    ///
    /// - Returns: whether this was cancelled before; then `other` is, too.
    @discardableResult
    func link(to other: DownloadTask) -> Bool {
        begin(.linked(other))
    }

    /// Says what to do when it is cancelled, for work that is not a transfer.
    func work(cancel: @escaping @Sendable () -> Void) {
        begin(.other(cancel: cancel))
    }

    /// Lets go of work that is no transfer, because it is over.
    func rest() {
        let previous = work.withLock { work in
            let previous = work
            if case .other = previous { work = .none }
            return previous
        }
        withExtendedLifetime(previous) {}
    }

    @discardableResult
    private func begin(_ work: Work) -> Bool {
        let previous = self.work.withLock { current in
            defer { current = work }
            return current
        }
        withExtendedLifetime(previous) {}
        let isCancelled = isCancelled
        if isCancelled { work.cancel() }
        return isCancelled
    }

    /// The transfer that it is a share in, and its number there.
    var transfer: (task: SessionDataTask, token: SessionDataTask.CancelToken)? {
        switch work.withLock({ $0 }) {
        case .transfer(let task, let token): (task, token)
        case .linked(let task): task.transfer
        case .none, .other: nil
        }
    }
}
