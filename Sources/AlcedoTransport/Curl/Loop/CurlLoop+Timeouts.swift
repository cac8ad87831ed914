import AlcedoLocks

extension CurlLoop {
    /// Ends late transfers and finds the next timeout.
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

    /// Wakes the loop when a queued transfer's timeout expires.
    func limitWait(of transfer: CurlTransfer) {
        guard let end = transfer.queueDeadline else { return }
        context.nextExpiry = min(context.nextExpiry, max(end, context.now + Self.queueResolution))
    }

    private func expireQueued(_ transfers: some Collection<CurlTransfer>) {
        let queued = transfers.filter { $0.queueDeadline != nil }
        for transfer in queued {
            guard let end = transfer.queueDeadline, end <= context.now else {
                limitWait(of: transfer)
                continue
            }
            let seconds = transfer.request.timeouts.queue.seconds
            finish(
                transfer,
                .failure(
                    .queueTimedOut(
                        waitingFor: reason(transfer), seconds: seconds, url: transfer.url.text)))
        }
    }

    /// Seconds between two checks of all queued transfers, so that many of them do not cost a check each.
    private static var queueResolution: Double { 0.02 }

    /// What a transfer waits for.
    private func reason(_ transfer: CurlTransfer) -> String {
        if let blocker = transfer.blocker { return blocker.name }
        if backpressure.isFull(with: finishedBytes) { return backpressure.name }
        if isFull(transfer.origin) { return "the images in flight from \(transfer.url.host)" }
        if holdsTooMuch { return "the images in flight" }
        return "a connection to \(transfer.url.host)"
    }
}

extension CurlTransfer {
    /// When its queue timeout expires; nil once it has started, or without such a timeout.
    fileprivate var queueDeadline: Double? {
        guard deadlines == nil, task.request.timeouts.queue > .zero else { return nil }
        return task.posted + task.request.timeouts.queue.seconds
    }
}
