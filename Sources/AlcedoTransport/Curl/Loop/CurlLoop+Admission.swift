/// Who starts when a place at an origin is free, and who waits for room in a backlog.
extension CurlLoop {
    /// Starts those of an origin who may start now.
    func admit(from origin: OriginQueue<CurlTransfer>) {
        while let next = origin.next {
            // Who was redirected has begun already, and its time runs.
            let isHeldBack = backlog.isFull(with: finishedBytes) || !hasDescriptors
            if isHeldBack, next.deadlines == nil { return holdBack(origin) }
            guard let transfer = origin.admit(connections: { $0.request.connectionsPerHost }) else { break }
            begin(transfer)
        }
        if origin.isObstructed { holdBack(origin) }
    }

    /// Has the origins that were held back try again.
    func admitHeldBack() {
        var origins: [OriginQueue<CurlTransfer>] = []
        swap(&origins, &heldBack)
        for origin in origins {
            origin.isHeldBack = false
            admit(from: origin)
        }
    }

    private func holdBack(_ origin: OriginQueue<CurlTransfer>) {
        guard !origin.isHeldBack else { return }
        origin.isHeldBack = true
        heldBack.append(origin)
    }

    /// Has those who wait for a transfer's body tell when they have room.
    func watchConsumers(of transfer: CurlTransfer) {
        transfer.task.request.consumers?.observe(for: inbox) { [weak inbox] in _ = inbox?.post(.admit) }
    }

    // MARK: - Time-outs

    /// Has a transfer that waits for its start looked at when it has waited long enough.
    func limitWait(of transfer: CurlTransfer) {
        guard let end = transfer.queueDeadline else { return }
        context.nextExpiry = min(context.nextExpiry, max(end, context.now + Self.queueResolution))
    }

    /// Ends those that have waited too long for their start.
    func expireQueued(_ transfers: some Collection<CurlTransfer>) {
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
