import AlcedoLocks
import CCurl

extension CurlTransfer {
    /// Why the request failed, by libcurl's code.
    func error(for code: CURLcode) -> TransportError {
        let (url, response) = (url.text, machine.response)
        let reason = easy?.reason(for: code) ?? String(cString: curl_easy_strerror(code))
        if let shortage { return .cannotConnect(reason: Descriptors.reason(shortage), url: url) }
        if let error = proxyError(for: code, reason) { return error }
        switch code {
        case CURLE_ABORTED_BY_CALLBACK where machine.isStale:
            return .connectionLost(reason: "the server sent bytes before the request", url: url)
        case CURLE_OK, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            return .malformedResponse(reason: reason, url: url)
        // libcurl's code for a response in HTTP/0.9 or an unknown version.
        case CURLE_UNSUPPORTED_PROTOCOL where deadlines?.stage != .connecting:
            return .malformedResponse(reason: reason, url: url)
        case CURLE_OUT_OF_MEMORY where deadlines?.stage != .connecting && response == nil,
            alcedo_curl_too_large where deadlines?.stage != .connecting && response == nil:
            // libcurl's codes for a header line beyond its own limit: the second from 8.6 on.
            return .malformedResponse(reason: "a header line is too long", url: url)
        case CURLE_URL_MALFORMAT:
            return .invalidURL(url, reason: reason)
        // A proxy has rejected the tunnel.
        case _ where headers.isEmpty && easy?.number(CURLINFO_HTTP_CONNECTCODE) ?? 0 >= 300:
            return .cannotConnect(reason: reason, url: url)
        case CURLE_COULDNT_RESOLVE_HOST where reason.contains("thread"):
            // libcurl could not start the thread of the name lookup.
            return .cannotConnect(reason: reason, url: url)
        case CURLE_COULDNT_RESOLVE_HOST:
            return .couldNotResolveHost(self.url.host, url: url)
        case CURLE_COULDNT_CONNECT where rejectedAddress != nil:
            return .addressRejected(rejectedAddress ?? "", url: url)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_PROXY:
            return .cannotConnect(reason: reason, url: url)
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut(.connect, seconds: request.timeouts.connect.seconds, url: url)
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

    /// The error if the proxy is at fault, which libcurl's text shows; nil otherwise.
    private func proxyError(for code: CURLcode, _ reason: String) -> TransportError? {
        guard let proxy = request.proxy.text(for: url) else { return nil }
        let endpoint = TransportProxy.endpoint(of: proxy)
        let isAtFault =
            switch code {
            case CURLE_COULDNT_RESOLVE_PROXY: true
            case CURLE_COULDNT_CONNECT: reason.hasPrefix("Unsupported proxy")
            case CURLE_COULDNT_RESOLVE_HOST:
                !endpoint.host.isEmpty && reason.lowercased().hasSuffix(": \(endpoint.host.lowercased())")
                    && endpoint.host.lowercased() != url.host
            default: false
            }
        guard isAtFault else { return nil }
        let shown = TransportProxy.displayText(proxy)
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
