import AlcedoLocks
import CCurl

/// Ends requests, and sends those that follow.
extension CurlLoop {
    /// libcurl has ended a request.
    func conclude(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        var user: UnsafeMutableRawPointer?
        alcedo_curl_get_pointer(easy, CURLINFO_PRIVATE, &user)
        if let user { end(CurlTransfer.at(user), code) }
    }

    /// Ends a transfer whose machine wants to abort.
    func abort(_ transfer: CurlTransfer) { end(transfer, CURLE_WRITE_ERROR) }

    func end(_ transfer: CurlTransfer, _ code: CURLcode) {
        if transfer.lacksDescriptors(after: code), requeue(transfer) { return }
        carryOut(transfer.end(with: code), transfer, code)
    }

    private func carryOut(
        _ conclusion: TransferMachine.Conclusion, _ transfer: CurlTransfer, _ code: CURLcode
    ) {
        switch conclusion {
        case .wait: break
        case .succeed(let response): finish(transfer, .success(transfer.result(response)))
        case .fail(let error): finish(transfer, .failure(error))
        case .failAsReported: finish(transfer, .failure(transfer.error(for: code)))
        case .sendAgain: restart(transfer)
        case .follow(let next): follow(next, transfer)
        case .offerToStartOver:
            let isAllowed = transfer.handler.transferMayStartOver()
            carryOut(transfer.machine.startOver(isAllowed: isAllowed), transfer, code)
        case .judge(let trust): judge(trust, transfer)
        }
    }

    /// Sends the request again, with the same easy handle and without queueing.
    func restart(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        if transfer.machine.isSent { transfer.recordRequest() }
        multi.remove(easy)
        transfer.reset()
        // What follows sets options that no later transfer may keep.
        easy.profile = nil
        easy.setHeaders(of: transfer.request)
        easy.chooseConnection(for: transfer)
        easy.authenticate(transfer)
        if transfer.tunnelHeaders != nil { easy.reportTunnel(to: transfer) }
        launch(transfer, easy)
    }

    private func follow(_ next: TransportRequest, _ transfer: CurlTransfer) {
        do throws(TransportError) {
            let url = try RequestCheck.url(of: next)
            try RedirectPolicy.check(from: transfer.url, to: url)
            // Before `release`, which takes the easy handle with the measurements.
            transfer.recordRequest()
            release(transfer)
            let origin = origins[url, next.trustScope]
            transfer.follow(next, at: url, origin: origin)
            origin.enqueue(transfer)
            admit(from: origin)
        } catch {
            finish(transfer, .failure(error))
        }
    }
}

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
        // Ending one may end or restart others, which have waited for its decision about a certificate.
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
