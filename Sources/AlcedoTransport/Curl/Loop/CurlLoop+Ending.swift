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
