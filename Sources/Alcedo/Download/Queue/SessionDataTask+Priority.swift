import AlcedoLocks
import AlcedoTransport

// The priority of a transfer: the highest of its callers'.

extension SessionDataTask {
    /// The highest of the callers' priorities; nil without callers.
    var callersPriority: Float? { state.withLock { $0.callers.highestPriority } }

    /// The priority of one caller; nil once it was removed.
    func priority(of token: CancelToken) -> Float? {
        state.withLock { $0.callers.priority(of: token) }
    }

    /// Raises or lowers the priority of one caller.
    func prioritize(_ priority: Float, of token: CancelToken) {
        let isCaller = state.withLock { $0.callers.setPriority(priority, of: token) }
        if isCaller { downloader?.prioritize(self) }
    }

    /// Raises or lowers the priority of all callers.
    func prioritize(_ priority: Float) {
        state.withLock { $0.callers.setPriority(priority) }
        downloader?.prioritize(self)
    }

    /// Passes the priority to the running transfer and the decode jobs; with consumers even if it is unchanged, because the
    /// transport then checks them again.
    func applyPriority() {
        guard let downloader else { return }
        var priority = downloader.priority(of: self)
        var isApplied = false
        while !isApplied {
            // Copied, as shared storage must not leave the lock (decision 0009).
            let (transfer, jobs) = state.withLock { ($0.transfer, $0.jobs.map(\.self)) }
            if let transfer, consumers != nil || transfer.priority != priority {
                transfer.priority = priority
            }
            for job in jobs { WorkerPool.shared.reorder(job, priority: priority) }
            // Another thread may have changed and applied it meanwhile.
            let current = downloader.priority(of: self)
            (isApplied, priority) = (current == priority, current)
        }
    }
}
