/// Handles messages from other threads.
extension CurlLoop {
    func handle(_ message: Inbox.Message) {
        switch message {
        case .start(let task, let handler):
            enqueue(task, handler)
        case .cancel(let id):
            if let transfer = transfers[id] { finish(transfer, .failure(.cancelled)) }
        case .reorder(let id):
            guard let transfer = transfers[id] else { return }
            transfer.rank = Rank(priority: transfer.task.priority, sequence: id)
            watchConsumers(of: transfer)
            transfer.origin.reorder(transfer)
            admit(from: transfer.origin)
        case .decided(let id):
            if let transfer = transfers[id] { applyDecision(to: transfer) }
        case .admit: admitBlocked()
        }
    }

    private func enqueue(_ task: CurlTransportTask, _ handler: any TransportHandler) {
        guard !task.isCancelled else { return handler.transferDidFinish(.failure(.cancelled)) }
        do throws(TransportError) {
            let url = try RequestCheck.url(of: task.request, after: lastURL)
            lastURL = url
            let origin = origins[url, task.request.trustScope]
            let transfer = CurlTransfer(task, handler: handler, url: url, origin: origin, context: context)
            transfers[task.id] = transfer
            watchConsumers(of: transfer)
            origin.enqueue(transfer)
            admit(from: origin)
            limitWait(of: transfer)
        } catch {
            handler.transferDidFinish(.failure(error))
        }
    }

    /// The handler has made a decision that the transfer waits for.
    private func applyDecision(to transfer: CurlTransfer) {
        if case .awaitingTrust = transfer.machine.state { return applyTrustDecision(to: transfer) }
        if !transfer.applyDecision() { return abort(transfer) }
        if let verdict = transfer.verdict { return end(transfer, verdict) }
        guard transfer.isPaused, transfer.deadlines?.stage != .suspended else { return }
        transfer.isPaused = false
        transfer.easy?.resume()
        hasPendingWork = true
        if transfer.machine.failure != nil { abort(transfer) }
    }
}
