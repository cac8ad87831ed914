import CCurl

extension CurlTransfer {
    /// What libcurl's verdict amounts to.
    enum Ending {
        /// The handler has yet to decide.
        case pending
        /// The server's certificate waits for a decision.
        case unproven(ServerTrust)
        case redirect(TransportRequest)
        /// The same request is to be sent again, with the same handle.
        case again
        case finished(Result<TransferResult, TransportError>)
    }

    /// Draws the conclusion from libcurl's verdict; the easy handle must still be there.
    func end(with code: CURLcode) -> Ending {
        if case .awaitingHeaders = state {
            if code == CURLE_OK, headers.isComplete { _ = present() }
            if code != CURLE_OK, let trust = check?.found { return .unproven(trust) }
            if code != CURLE_OK, isTunnelRefused {
                guard let block = tunnelHeaders else {
                    // Only now is it worth the effort to have libcurl tell what the proxy says.
                    tunnelHeaders = HeaderBlock()
                    return .again
                }
                presentTunnel(block)
            }
        }
        if task.isCancelled { return .finished(.failure(.cancelled)) }
        if let failure { return .finished(.failure(failure)) }
        switch state {
        case .offered, .redirecting, .challenged, .unproven:
            verdict = code
            return .pending
        case .leaving(.redirect(let next), _):
            return .redirect(next)
        case .leaving(.again, _):
            return .again
        case .awaitingHeaders, .receivingBody:
            guard code == CURLE_OK, let response else {
                return mayStartOver(after: code) ? .again : .finished(.failure(error(for: code)))
            }
            let metrics = collect()
            collected = metrics
            return .finished(
                .success(TransferResult(response: response, body: body.take(), metrics: metrics)))
        }
    }

    /// Whether a proxy wants a credential before it opens a tunnel.
    private var isTunnelRefused: Bool {
        url.isSecure && headers.isEmpty && easy?.number(CURLINFO_HTTP_CONNECTCODE) == 407
    }

    /// Whether a connection that broke is a reason to send the request once more, over a new one; notes that it is.
    ///
    /// A new HTTP/1.1 connection that breaks before the response, or before a length that the server has told, is an
    /// error: the next would too.
    private func mayStartOver(after code: CURLcode) -> Bool {
        // Nothing was sent, and libcurl has closed the connection; the next one may be used again too.
        if isStale, !isSent { return true }
        guard isSent, !hasStartedOver, request.isIdempotent, hasBroken(code) else { return false }
        guard response == nil || handler.transferMayStartOver() else { return false }
        hasStartedOver = true
        body.reset()
        return true
    }

    private func hasBroken(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: true
        case CURLE_ABORTED_BY_CALLBACK: isStale
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
            speaksHTTP2 || headers.value(of: "Transfer-Encoding") != nil
        default: false
        }
    }

    /// Whether there is no connection because the process has no descriptor for it; notes why.
    func lacksDescriptors(after code: CURLcode) -> Bool {
        switch code {
        case CURLE_COULDNT_CONNECT: break
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_SSL_CACERT_BADFILE,
            CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            // Looking up a name and reading certificates need descriptors too, and don't tell what was missing.
            shortage = isSent ? nil : Descriptors.shortage
        default: shortage = nil
        }
        return shortage != nil && failure == nil && !task.isCancelled
    }

    // MARK: - Errors

    private func error(for code: CURLcode) -> TransportError {
        let url = url.text
        let reason = easy?.reason(for: code) ?? String(cString: curl_easy_strerror(code))
        if let shortage { return .cannotConnect(reason: Descriptors.reason(shortage), url: url) }
        if let error = proxyError(for: code, reason) { return error }
        switch code {
        case CURLE_ABORTED_BY_CALLBACK where isStale:
            return .connectionLost(reason: "the server sent bytes that no request had asked for", url: url)
        case CURLE_OK, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            return .malformedResponse(reason: reason, url: url)
        case CURLE_UNSUPPORTED_PROTOCOL where deadlines?.stage != .connecting:
            return .malformedResponse(reason: reason, url: url)
        case CURLE_OUT_OF_MEMORY where deadlines?.stage != .connecting && response == nil:
            // What libcurl says of a header line that is longer than its own limit.
            return .malformedResponse(reason: "a line of its headers is too long", url: url)
        case CURLE_URL_MALFORMAT:
            return .invalidURL(url, reason: reason)
        case _ where headers.isEmpty && easy?.number(CURLINFO_HTTP_CONNECTCODE) ?? 0 >= 300:
            return .cannotConnect(reason: reason, url: url)
        case CURLE_COULDNT_RESOLVE_HOST where reason.contains("thread"):
            // The one that looks up the name.
            return .cannotConnect(reason: reason, url: url)
        case CURLE_COULDNT_RESOLVE_HOST:
            return .couldNotResolveHost(self.url.host, url: url)
        case CURLE_COULDNT_CONNECT where refusedAddress != nil:
            return .addressRefused(refusedAddress ?? "", url: url)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_PROXY:
            return .cannotConnect(reason: reason, url: url)
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut(.connect, seconds: request.timeouts.connect, url: url)
        case CURLE_PARTIAL_FILE where response != nil,
            CURLE_RECV_ERROR where response != nil,
            CURLE_HTTP2 where response != nil,
            CURLE_HTTP2_STREAM where response != nil:
            return .incompleteBody(received: Int64(body.count), expected: response?.expectedBytes, url: url)
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            return .connectionLost(reason: reason, url: url)
        case _ where Self.tlsCodes.contains(code.rawValue):
            return .tls(reason: reason, url: url)
        default:
            return .other(code: Int(code.rawValue), reason: reason, url: url)
        }
    }

    /// What is wrong with the proxy, if it is the proxy: libcurl tells by its words.
    private func proxyError(for code: CURLcode, _ reason: String) -> TransportError? {
        guard let proxy = request.proxy.text(for: url) else { return nil }
        let place = TransportProxy.place(of: proxy)
        let isAtFault =
            switch code {
            case CURLE_COULDNT_RESOLVE_PROXY: true
            case CURLE_COULDNT_CONNECT: reason.hasPrefix("Unsupported proxy")
            case CURLE_COULDNT_RESOLVE_HOST:
                !place.host.isEmpty && reason.lowercased().hasSuffix(": \(place.host.lowercased())")
                    && place.host.lowercased() != url.host
            default: false
            }
        guard isAtFault else { return nil }
        let shown = TransportProxy.shown(proxy)
        let reason = reason.replacing(proxy, with: shown)
        return .cannotUseProxy(shown, reason: reason, url: url.text)
    }

    private static let tlsCodes: Set<UInt32> = Set(
        [
            CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
        ].map(\.rawValue))
}
