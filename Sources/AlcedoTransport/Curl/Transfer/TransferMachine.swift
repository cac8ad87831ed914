/// Decides what a transfer does next: events go in, actions come out.
///
/// Has no I/O, clock or lock. ``CurlTransfer`` turns libcurl's callbacks and the handler's decisions into events and
/// carries out the actions. Follows RFC 9110: idempotent methods (9.2.2), authentication (11), redirects (15.4).
struct TransferMachine {
    /// Most bytes of a non-final body that are read to keep its connection.
    static let drainLimit = 64 << 10

    /// Where the current request stands.
    enum State {
        /// The final response's headers are incomplete.
        case awaitingHeaders
        /// The handshake failed because the handler must decide about the server's certificate first.
        case awaitingTrust(ServerTrust)
        /// The handler decides about a redirect.
        case awaitingRedirect(TransportResponse)
        /// The handler decides about a challenge of the server or the proxy.
        case awaitingCredential(HTTPChallenge)
        /// The handler decides whether to receive the body.
        case awaitingAcceptance
        case receivingBody
        /// Reads a non-final body, and then sends `next`, or the same request if that is nil.
        case draining(next: TransportRequest?, discarded: Int)
    }

    enum Event: Sendable {
        /// The connection is ready and the request is sent; a second time if libcurl retries.
        case sending(hasHeaders: Bool)
        /// The reused connection is closed, or has input that belongs to no request.
        case foundStaleConnection
        /// The final response's headers are complete.
        case response(TransportResponse)
        /// The proxy rejected a tunnel with a 407.
        case tunnelRejected(TransportResponse)
        /// The driver found a reason to fail.
        case failed(TransportError)
        /// The handler's decision about a response.
        case accepted(Bool)
        /// The handler's decision about a redirect; nil makes the redirect the final response.
        case redirected(to: TransportRequest?)
        /// The handler's decision about a challenge.
        case authenticated(ChallengeDecision)
    }

    /// What to do about an event.
    enum Action {
        case proceed
        /// Abort the request; ``TransferMachine/end(_:)`` then decides what follows.
        case abort
        // Have the handler decide.
        case offer(TransportResponse)
        case redirect(TransportResponse, to: TransportRequest)
        case challenge(HTTPChallenge)
    }

    /// What to do about a part of the body.
    enum ChunkAction {
        case deliver, discard, abort
        /// Wait for the handler's decision.
        case pause
    }

    enum Ending {
        case complete
        case untrusted(ServerTrust)
        /// The connection closed early.
        case connectionBroken
        case failed
    }

    /// What to do after libcurl ended the request.
    enum Conclusion {
        /// Wait for the handler's decision.
        case wait
        case succeed(TransportResponse)
        case fail(TransportError)
        /// Fail with libcurl's reason.
        case failAsReported
        case sendAgain
        case follow(TransportRequest)
        /// Have the handler decide about ``startOver(isAllowed:)``.
        case offerToStartOver
        /// Have the handler decide about the certificate.
        case judge(ServerTrust)
    }

    private(set) var request: TransportRequest
    private(set) var url: WebURL
    private(set) var state = State.awaitingHeaders
    private(set) var response: TransportResponse?
    /// Why the transfer fails; the first reason counts.
    private(set) var failure: TransportError?
    private(set) var redirectCount = 0
    private(set) var credentials: CredentialExchange
    private(set) var isSent = false
    private(set) var isStale = false
    /// Whether the request was sent again after its connection broke, by libcurl or by this machine.
    private(set) var hasStartedOver = false

    init(_ request: TransportRequest, at url: WebURL) {
        (self.request, self.url) = (request, url)
        credentials = CredentialExchange(for: request)
    }

    mutating func handle(_ event: Event) -> Action {
        switch (event, state) {
        case (.sending(let hasHeaders), _):
            // With headers, libcurl sends it again with a credential; without any, the connection has broken.
            if isSent, !hasHeaders { hasStartedOver = true }
            isSent = true
            return .proceed
        case (.foundStaleConnection, _):
            isStale = true
            return .abort
        case (.failed(let error), _): return fail(error)
        case (.response(let response), .awaitingHeaders): return evaluate(response)
        case (.tunnelRejected(let response), .awaitingHeaders): return evaluateTunnel(response)
        case (.accepted(true), .awaitingAcceptance):
            state = .receivingBody
            return .proceed
        case (.accepted(false), .awaitingAcceptance): return fail(.rejected(url: url.text))
        case (.redirected(let next?), .awaitingRedirect(let response)): return drain(response, then: next)
        case (.redirected(nil), .awaitingRedirect(let response)): return offer(response)
        case (.authenticated(let decision), .awaitingCredential(let challenge)):
            return authenticate(decision, challenge)
        default: return .proceed
        }
    }

    /// A part of the body has `byteCount` bytes, and follows `received` delivered ones.
    mutating func handleChunk(_ byteCount: Int, after received: Int) -> ChunkAction {
        switch state {
        case .awaitingHeaders, .awaitingTrust: return .abort
        case .awaitingAcceptance, .awaitingRedirect, .awaitingCredential: return .pause
        case .receivingBody:
            if byteCount <= request.maximumBodyBytes - received { return .deliver }
            _ = fail(tooLarge)
            return .abort
        case .draining(let next, let discarded):
            state = .draining(next: next, discarded: discarded + byteCount)
            return discarded + byteCount > Self.drainLimit ? .abort : .discard
        }
    }

    /// libcurl is done with the request, or was aborted.
    mutating func end(_ ending: Ending) -> Conclusion {
        if case .untrusted(let trust) = ending {
            state = .awaitingTrust(trust)
            return .judge(trust)
        }
        if let failure { return .fail(failure) }
        switch state {
        case .awaitingTrust, .awaitingAcceptance, .awaitingRedirect, .awaitingCredential: return .wait
        case .draining(let next?, _): return .follow(next)
        case .draining(nil, _): return .sendAgain
        case .awaitingHeaders, .receivingBody:
            if case .complete = ending, let response { return .succeed(response) }
            // Nothing was sent, and libcurl closed the connection; the next one may be stale too.
            if isStale, !isSent { return .sendAgain }
            guard case .connectionBroken = ending, isSent, !hasStartedOver, request.isIdempotent else {
                return .failAsReported
            }
            return response == nil ? startOver(isAllowed: true) : .offerToStartOver
        }
    }

    /// Sends the request once more over a new connection, if the handler allows it.
    mutating func startOver(isAllowed: Bool) -> Conclusion {
        hasStartedOver = isAllowed
        return isAllowed ? .sendAgain : .failAsReported
    }

    // MARK: - Next requests

    /// Prepares for sending the same request again.
    mutating func reset() {
        state = .awaitingHeaders
        (response, failure, isSent, isStale) = (nil, nil, false, false)
    }

    /// Prepares for the request that a redirect leads to.
    mutating func follow(_ next: TransportRequest, at url: WebURL) {
        credentials.follow(from: request, at: self.url, to: next, at: url)
        (request, self.url) = (next, url)
        redirectCount += 1
        reset()
    }

    // MARK: - Steps

    private mutating func evaluate(_ response: TransportResponse) -> Action {
        self.response = response
        if let defect = ResponseCheck.defect(of: response.block, to: request) {
            return fail(.malformedResponse(reason: defect, url: url.text))
        }
        do throws(TransportError) {
            if let next = try RedirectPolicy.request(
                after: response, to: request, at: url, followed: redirectCount)
            {
                state = .awaitingRedirect(response)
                return .redirect(response, to: next)
            }
        } catch { return fail(error) }
        switch credentials.evaluate(response, to: &request, at: url) {
        case .accept: return offer(response)
        case .retry: return drain(response, then: nil)
        case .challenge(let challenge):
            state = .awaitingCredential(challenge)
            return .challenge(challenge)
        }
    }

    private mutating func evaluateTunnel(_ response: TransportResponse) -> Action {
        let step = credentials.evaluateProxy(response, to: request, at: url)
        guard case .challenge(let challenge) = step else { return .proceed }
        state = .awaitingCredential(challenge)
        return .challenge(challenge)
    }

    private mutating func authenticate(_ decision: ChallengeDecision, _ challenge: HTTPChallenge) -> Action {
        switch decision {
        case .use(let credential):
            credentials.use(credential, for: challenge, with: &request)
            return drain(challenge.response, then: nil)
        case .goOnWithout where response == nil:
            return fail(.cannotConnect(reason: "the proxy requires a credential", url: url.text))
        case .goOnWithout: return offer(challenge.response)
        case .cancel: return fail(.authenticationCancelled(url: url.text))
        }
    }

    private mutating func offer(_ response: TransportResponse) -> Action {
        let announced = request.method == "HEAD" ? 0 : response.expectedBytes ?? 0
        if announced > request.maximumBodyBytes { return fail(tooLarge) }
        state = .awaitingAcceptance
        return .offer(response)
    }

    private mutating func drain(_ response: TransportResponse, then next: TransportRequest?) -> Action {
        state = .draining(next: next, discarded: 0)
        return response.expectedBytes ?? 0 <= Self.drainLimit ? .proceed : .abort
    }

    private var tooLarge: TransportError { .tooLarge(limit: request.maximumBodyBytes, url: url.text) }

    private mutating func fail(_ error: TransportError) -> Action {
        failure = failure ?? error
        return .abort
    }
}
