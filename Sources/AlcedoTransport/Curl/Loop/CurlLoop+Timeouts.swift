/// What the loop does about transfers whose time is up.
extension CurlLoop {
    func expire() {
        context.nextExpiry = .infinity
        var late: [CurlTransfer] = []
        for transfer in active {
            guard let next = transfer.deadlines?.next else { continue }
            if next.at <= context.now { late.append(transfer) }
            if next.at > context.now { context.nextExpiry = min(context.nextExpiry, next.at) }
        }
        for transfer in late where transfer.easy != nil {
            guard let next = transfer.deadlines?.next, next.at <= context.now else { continue }
            finish(
                transfer,
                .failure(.timedOut(next.phase, seconds: next.seconds, url: transfer.url.text)))
        }
        expireQueued(transfers.values)
    }

    // MARK: - Queued transfers

    /// Has a transfer that waits for its start looked at when it has waited long enough.
    func limitWait(of transfer: CurlTransfer) {
        guard let end = transfer.queueDeadline else { return }
        context.nextExpiry = min(context.nextExpiry, max(end, context.now + Self.queueResolution))
    }

    /// Ends those that have waited too long for their start.
    private func expireQueued(_ transfers: some Collection<CurlTransfer>) {
        let queued = transfers.filter { $0.queueDeadline != nil }
        for transfer in queued {
            guard let end = transfer.queueDeadline, end <= context.now else {
                limitWait(of: transfer)
                continue
            }
            let seconds = transfer.request.timeouts.queue
            finish(
                transfer,
                .failure(
                    .queueTimedOut(
                        waitingFor: reason(transfer), seconds: seconds, url: transfer.url.text)))
        }
    }

    /// In seconds: so that many that wait do not have all looked at for each of them.
    private static var queueResolution: Double { 0.02 }

    /// What a transfer waits for.
    private func reason(_ transfer: CurlTransfer) -> String {
        if let obstacle = transfer.obstacle { return obstacle.name }
        if backlog.isFull(with: finishedBytes) { return backlog.name }
        return "a connection to \(transfer.url.host)"
    }
}

extension CurlTransfer {
    /// When it has waited too long for its start; nil if it has begun, or may wait for ever.
    fileprivate var queueDeadline: Double? {
        guard deadlines == nil, task.request.timeouts.queue > 0 else { return nil }
        return task.posted + task.request.timeouts.queue
    }
}
