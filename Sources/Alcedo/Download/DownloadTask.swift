import AlcedoLocks

/// One caller's handle of a load; loads of one URL are coalesced into one transfer.
///
/// Safe because its state is behind a lock.
public final class DownloadTask: @unchecked Sendable {
    private enum Work {
        case none
        case transfer(SessionDataTask, SessionDataTask.CancelToken)
        case other(cancel: @Sendable () -> Void)
        case linked(DownloadTask)

        func setPriority(_ priority: Float) {
            switch self {
            case .none, .other: break
            case .transfer(let task, let token): task.prioritize(priority, of: token)
            case .linked(let task): task.priority = priority
            }
        }

        func cancel() {
            switch self {
            case .none: break
            case .transfer(let task, let token): task.cancel(token: token)
            case .other(let cancel): cancel()
            case .linked(let task): task.cancel()
            }
        }
    }

    private struct State: Sendable {
        var work = Work.none
        /// What ``priority`` was set to; nil before that.
        var priority: Float?
        var initialPriority: Float = 0.5
    }

    private let state: Lock<State>

    /// Whether ``cancel()`` was called, and what else it then does.
    let cancellation = Cancellation()

    init(priority: Float = 0.5) { state = Lock(State(initialPriority: Self.clamped(priority))) }

    func expect(priority: Float) { state.withLock { $0.initialPriority = Self.clamped(priority) } }

    // NaN becomes 0.
    private static func clamped(_ priority: Float) -> Float { priority > 0 ? min(priority, 1) : 0 }

    /// The transfer; nil until it is created, and for a source that needs none.
    public var sessionTask: SessionDataTask? { transfer?.task }

    /// This caller's number in the transfer; nil until there is one.
    public var cancelToken: SessionDataTask.CancelToken? { transfer?.token }

    public var isInitialized: Bool { transfer != nil }

    /// The order in which downloads that wait in a queue start, from 0 to 1: the highest first.
    ///
    /// Initially the `downloadPriority` of the load's options, 0.5 by default. May be set at any time and on any thread, before
    /// there is a ``sessionTask`` too; values outside the range are clamped. A transfer has the highest priority of its
    /// callers. Has no effect on a request that has been sent, nor on a load without a transfer.
    public var priority: Float {
        get {
            let state = state.withLock { $0 }
            if let priority = state.priority { return priority }
            switch state.work {
            case .transfer(let task, let token): return task.priority(of: token) ?? state.initialPriority
            case .linked(let task): return task.priority
            case .none, .other: return state.initialPriority
            }
        }
        set {
            let priority = Self.clamped(newValue)
            let work = state.withLock { state in
                state.priority = priority
                return state.work
            }
            work.setPriority(priority)
        }
    }

    /// Cancels this load: its completion is called with a cancellation error, unless it was called before.
    ///
    /// The completion is called at once, on its queue; work that cannot be interrupted continues without effect. The
    /// transfer continues while it has other callers.
    public func cancel() { _ = cancelWork() }

    /// Cancels; false if there is no work yet.
    func cancelWork() -> Bool {
        let action = cancellation.mark()
        let work = state.withLock { $0.work }
        work.cancel()
        action?()
        if case .none = work { return action != nil }
        return true
    }

    var isCancelled: Bool { cancellation.isCancelled }

    /// Makes this the handle of a transfer; cancels that if this was cancelled before.
    func link(to task: SessionDataTask, token: SessionDataTask.CancelToken) {
        let priority = task.priority(of: token)
        state.withLock { state in
            if let priority { state.initialPriority = priority }
        }
        attach(.transfer(task, token))
    }

    /// Makes this a handle of the work of `other`, now and later.
    ///
    /// - Returns: whether this was cancelled before; then `other` is cancelled too.
    @discardableResult
    func link(to other: DownloadTask) -> Bool {
        attach(.linked(other))
    }

    /// Sets the cancel action of work that is not a transfer.
    func work(cancel: @escaping @Sendable () -> Void) {
        attach(.other(cancel: cancel))
    }

    /// Releases work that is no transfer, because it has ended.
    func detach() {
        let previous = state.withLock { state in
            let previous = state.work
            if case .other = previous { state.work = .none }
            return previous
        }
        withExtendedLifetime(previous) {}
    }

    @discardableResult
    private func attach(_ work: Work) -> Bool {
        let (previous, priority) = state.withLock { state in
            defer { state.work = work }
            return (state.work, state.priority)
        }
        withExtendedLifetime(previous) {}
        if let priority { work.setPriority(priority) }
        // After `work` is set: `cancelWork()` sets the flag before it reads `work`, so that one of both cancels it.
        let isCancelled = isCancelled
        if isCancelled { work.cancel() }
        return isCancelled
    }

    var transfer: (task: SessionDataTask, token: SessionDataTask.CancelToken)? {
        switch state.withLock({ $0.work }) {
        case .transfer(let task, let token): (task, token)
        case .linked(let task): task.transfer
        case .none, .other: nil
        }
    }
}
