/// The credentials of one transfer: what it has sent to the server and the proxy, and what follows a 401 or 407.
struct CredentialExchange {
    /// What follows a 401 or a 407.
    enum Step {
        /// The response is final.
        case accept
        /// Send the request again with the credential that it came with.
        case retry
        case challenge(HTTPChallenge)
    }

    private(set) var server = Authentication()
    private(set) var proxy = Authentication()

    init(for request: TransportRequest) { resetProxy(for: request) }

    /// Whether headers with this status are final: interim responses are not, nor is a challenge that libcurl itself responds to.
    func isFinal(status: Int) -> Bool {
        switch status {
        case ..<200: false
        case 401: server.sent == nil
        case 407: proxy.sent == nil
        default: true
        }
    }

    /// Counts a 401 or 407, if `response` is one.
    mutating func evaluate(
        _ response: TransportResponse, to request: inout TransportRequest, at url: WebURL
    ) -> Step {
        switch response.status {
        case 401:
            let unused = server.sent == nil && server.failures == 0 ? request.credential : nil
            server.fail()
            guard let best = ChallengeParser.best(of: response.values(forHeader: "WWW-Authenticate")) else {
                return .accept
            }
            if let unused {
                sendToServer(unused, by: best.scheme, with: &request)
                return .retry
            }
            guard server.mayChallenge else { return .accept }
            return .challenge(
                HTTPChallenge(
                    host: url.host, port: url.port, urlScheme: url.scheme, realm: best.realm,
                    scheme: best.scheme, isProxy: false, previousFailures: server.failures,
                    response: response))
        case 407 where request.proxy.mayChallenge(for: url):
            return evaluateProxy(response, to: request, at: url)
        default:
            return .accept
        }
    }

    /// Counts a 407.
    mutating func evaluateProxy(
        _ response: TransportResponse, to request: TransportRequest, at url: WebURL
    ) -> Step {
        proxy.fail()
        guard let best = ChallengeParser.best(of: response.values(forHeader: "Proxy-Authenticate")),
            proxy.mayChallenge
        else { return .accept }
        let endpoint = request.proxy.endpoint(for: url)
        return .challenge(
            HTTPChallenge(
                host: endpoint.host, port: endpoint.port, urlScheme: url.scheme, realm: best.realm,
                scheme: best.scheme, isProxy: true, previousFailures: proxy.failures, response: response))
    }

    /// Sends `credential` with the next request.
    mutating func use(
        _ credential: TransportCredential, for challenge: HTTPChallenge, with request: inout TransportRequest
    ) {
        if challenge.isProxy {
            proxy.send(credential, by: challenge.scheme)
        } else {
            sendToServer(credential, by: challenge.scheme, with: &request)
        }
    }

    private mutating func sendToServer(
        _ credential: TransportCredential, by scheme: HTTPChallenge.Scheme,
        with request: inout TransportRequest
    ) {
        request.credential = credential
        // libcurl writes the field only if it is not set.
        request.headers.removeAll { $0.name.lowercased() == "authorization" }
        server.send(credential, by: scheme)
    }

    /// Drops credentials that do not belong to the target of a redirect.
    mutating func follow(
        from request: TransportRequest, at url: WebURL, to next: TransportRequest, at target: WebURL
    ) {
        if target.isSameOrigin(as: url), next.credential == request.credential {
            server.followRedirect()
        } else {
            server = Authentication()
        }
        // The environment can name a proxy for each scheme.
        let mayDiffer = next.proxy == .environment && target.scheme != url.scheme
        if next.proxy != request.proxy || mayDiffer { resetProxy(for: next) }
    }

    private mutating func resetProxy(for request: TransportRequest) {
        proxy = Authentication()
        if case .server(let server) = request.proxy, let credential = server.credential {
            proxy.send(credential, by: nil)
        }
    }
}
