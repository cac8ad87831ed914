import AlcedoLocks
import AlcedoTransport

// Which priority a transfer has: the highest of its callers'.

extension SessionDataTask {
    /// The highest of the callers' priorities; nil if there are none.
    var callersPriority: Float? { state.withLock { $0.callers.lazy.map(\.priority).max() } }

    /// The priority of one caller; nil if it has left.
    func priority(of token: CancelToken) -> Float? {
        state.withLock { state in state.callers.first { $0.token == token }?.priority }
    }

    /// Raises or lowers the priority of one caller.
    func prioritize(_ priority: Float, of token: CancelToken) {
        let isCaller = state.withLock { state in
            guard let index = state.callers.firstIndex(where: { $0.token == token }) else { return false }
            state.callers[index].priority = priority
            return true
        }
        if isCaller { downloader?.prioritize(self) }
    }

    /// Raises or lowers the priority of all callers.
    func prioritize(_ priority: Float) {
        state.withLock { state in
            for index in state.callers.indices { state.callers[index].priority = priority }
        }
        downloader?.prioritize(self)
    }

    /// Tells whatever works on it now which priority it has; poked even if that is the same, if there are consumers.
    func applyPriority() {
        guard let downloader else { return }
        var priority = downloader.priority(of: self)
        var isApplied = false
        while !isApplied {
            let (transfer, jobs) = state.withLock { ($0.transfer, $0.jobs) }
            if let transfer, consumers != nil || transfer.priority != priority {
                transfer.priority = priority
            }
            for job in jobs { WorkerPool.shared.reorder(job, priority: priority) }
            // Another thread may have changed it meanwhile, and told them first.
            let current = downloader.priority(of: self)
            (isApplied, priority) = (current == priority, current)
        }
    }
}
