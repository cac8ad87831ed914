import CCurl

extension CurlTransfer {
    /// What libcurl's verdict amounts to.
    enum Ending {
        /// The handler has yet to decide.
        case pending
        case redirect(TransportRequest)
        case finished(Result<TransferResult, TransportError>)
    }

    /// Draws the conclusion from libcurl's verdict; the easy handle must still be there.
    func end(with code: CURLcode) -> Ending {
        if code == CURLE_OK, case .awaitingHeaders = state, headers.isComplete { _ = present() }
        if task.isCancelled { return .finished(.failure(.cancelled)) }
        if let failure { return .finished(.failure(failure)) }
        switch state {
        case .offered, .redirecting:
            verdict = code
            return .pending
        case .leaving(let next, _):
            return .redirect(next)
        case .awaitingHeaders, .receivingBody:
            guard code == CURLE_OK, let response else { return .finished(.failure(error(for: code))) }
            return .finished(
                .success(TransferResult(response: response, body: body.take(), metrics: metrics)))
        }
    }

    // MARK: - Errors

    private func error(for code: CURLcode) -> TransportError {
        let url = url.text
        let reason = easy?.reason(for: code) ?? String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_OK, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            return .malformedResponse(reason: reason, url: url)
        case CURLE_UNSUPPORTED_PROTOCOL where deadlines?.stage != .connecting:
            return .malformedResponse(reason: reason, url: url)
        case CURLE_OUT_OF_MEMORY where deadlines?.stage != .connecting && response == nil:
            // What libcurl says of a header line that is longer than its own limit.
            return .malformedResponse(reason: "a line of its headers is too long", url: url)
        case CURLE_URL_MALFORMAT:
            return .invalidURL(url, reason: reason)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return .couldNotResolveHost(self.url.host, url: url)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_PROXY:
            return .cannotConnect(reason: reason, url: url)
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut(.connect, seconds: request.timeouts.connect, url: url)
        case CURLE_PARTIAL_FILE:
            return .incompleteBody(received: Int64(body.count), expected: response?.expectedBytes, url: url)
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return .connectionLost(reason: reason, url: url)
        case _ where Self.tlsCodes.contains(code.rawValue):
            return .tls(reason: reason, url: url)
        default:
            return .other(code: Int(code.rawValue), reason: reason, url: url)
        }
    }

    private static let tlsCodes: Set<UInt32> = Set(
        [
            CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
        ].map(\.rawValue))

    // MARK: - Metrics

    private var metrics: TransportMetrics {
        var metrics = TransportMetrics()
        guard let easy, let deadlines else { return metrics }
        metrics.start = startDate
        metrics.queued = deadlines.start - task.posted
        metrics.total = MonotonicClock.now - deadlines.start
        metrics.isConnectionReused = easy.number(CURLINFO_NUM_CONNECTS) == 0
        if !metrics.isConnectionReused {
            metrics.nameLookup = easy.seconds(CURLINFO_NAMELOOKUP_TIME_T)
            metrics.connect = easy.seconds(CURLINFO_CONNECT_TIME_T)
            metrics.tls = easy.seconds(CURLINFO_APPCONNECT_TIME_T)
        }
        metrics.requestStart = easy.seconds(CURLINFO_PRETRANSFER_TIME_T)
        metrics.firstByte = easy.seconds(CURLINFO_STARTTRANSFER_TIME_T)
        metrics.bytesSent = Int64(easy.number(CURLINFO_REQUEST_SIZE))
        metrics.bytesReceived =
            easy.size(CURLINFO_SIZE_DOWNLOAD_T) + Int64(easy.number(CURLINFO_HEADER_SIZE))
        metrics.redirectCount = redirectCount
        return metrics
    }
}

extension EasyHandle {
    /// A time that libcurl measured; nil if there was nothing to measure.
    fileprivate func seconds(_ info: CURLINFO) -> Double? {
        let microseconds = size(info)
        return microseconds > 0 ? Double(microseconds) / 1e6 : nil
    }
}
