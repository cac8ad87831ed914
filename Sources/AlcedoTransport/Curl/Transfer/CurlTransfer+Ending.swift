import CCurl

// How libcurl ended a request, and what follows.

extension CurlTransfer {
    /// libcurl has ended the request with `code`; the easy handle must be attached.
    func end(with code: CURLcode) -> TransferMachine.Conclusion {
        if case .awaitingHeaders = machine.state {
            if code == CURLE_OK {
                if headers.isComplete { _ = evaluateResponse() }
            } else if let trust = check?.found {
                return machine.end(.untrusted(trust))
            } else if isTunnelRefused {
                guard let block = tunnelHeaders else {
                    // Debug output costs time, so it is on only once it is needed.
                    tunnelHeaders = HeaderBlock()
                    return .sendAgain
                }
                _ = perform(machine.handle(.tunnelRefused(response(block))))
            }
        }
        if task.isCancelled { return .fail(.cancelled) }
        let conclusion = machine.end(ending(for: code))
        if case .wait = conclusion { verdict = code }
        return conclusion
    }

    /// The transfer's result; the easy handle must be attached.
    func result(_ response: TransportResponse) -> TransferResult {
        let metrics = collect()
        collected = metrics
        return TransferResult(response: response, body: body.take(), metrics: metrics)
    }

    /// Whether a proxy demands a credential before it opens a tunnel.
    private var isTunnelRefused: Bool {
        url.isSecure && headers.isEmpty && easy?.number(CURLINFO_HTTP_CONNECTCODE) == 407
    }

    /// A new HTTP/1.1 connection that breaks before the response, or before the announced length, counts as a failure:
    /// the next one would break too.
    private func ending(for code: CURLcode) -> TransferMachine.Ending {
        let isBroken =
            switch code {
            case CURLE_HTTP2, CURLE_HTTP2_STREAM: true
            case CURLE_ABORTED_BY_CALLBACK: machine.isStale
            case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
                speaksHTTP2 || headers.value(of: "Transfer-Encoding") != nil
            default: false
            }
        return code == CURLE_OK ? .complete : isBroken ? .connectionBroken : .failed
    }

    /// Whether the request failed for lack of descriptors; stores the `errno`.
    func lacksDescriptors(after code: CURLcode) -> Bool {
        switch code {
        case CURLE_COULDNT_CONNECT: break
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_SSL_CACERT_BADFILE,
            CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            // Name lookups and reading certificates need descriptors too, and do not report the lack.
            shortage = machine.isSent ? nil : Descriptors.shortage
        default: shortage = nil
        }
        return shortage != nil && machine.failure == nil && !task.isCancelled
    }
}
