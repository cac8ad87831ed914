import AlcedoLocks
import Foundation

/// Handles one attempt of a transfer: presents the partial response and its rest as one response, and stores the body.
final class ResumingTransferHandler: TransportHandler {
    /// A response that broke off within the same transfer.
    struct Broken: Sendable {
        /// Bytes that the handler has received.
        let received: Int
        let error: TransportError
    }

    struct State {
        /// The response whose rest is requested; nil once the server has sent another.
        var partial: PartialResponse?
        var keeper: PartialKeeper?

        /// The URL of the rest; nil before its head has come.
        var responseURL: String?

        /// Whether the handler has the head of this attempt's response.
        var isAnnounced = false

        /// Whether the handler has the bytes of `partial`.
        var hasPrefix = false

        /// Whether the response does not continue `partial`.
        var isMismatched = false

        /// Whether there are more bytes than `partial` lacks.
        var isOverlong = false

        /// Whether the attempt is to be resumed by another one.
        var isResumed = false
        var mayBeStored: Bool

        /// The failure instead of the transport's.
        var failure: TransportError?
        var metrics: TransportMetrics?

        /// Whether the handler is getting the bytes of `partial`, on another thread.
        var isDeliveringPrefix = false

        /// The result, which is delivered after them.
        var delayedResult: Result<TransferResult, TransportError>?
    }

    /// What follows a response.
    private enum Step {
        case announce(TransportResponse)
        case proceed
        case reject
    }

    let transfer: ResumingTransportTask
    let handler: any TransportHandler
    let broken: Broken?
    let state: Lock<State>

    init(
        of transfer: ResumingTransportTask,
        continuing partial: (response: PartialResponse, file: any PartialFile)?,
        for handler: any TransportHandler, after broken: Broken?
    ) {
        self.transfer = transfer
        self.handler = handler
        self.broken = broken
        let mayBeStored = !transfer.mayHaveCookies(for: transfer.request.address)
        let keeper = partial.map {
            PartialKeeper(
                $0.response, in: $0.file, forKey: transfer.key, store: transfer.transport.store,
                isWriting: mayBeStored)
        }
        state = Lock(State(partial: partial?.response, keeper: keeper, mayBeStored: mayBeStored))
    }

    // MARK: - Head

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        switch state.withLock({ evaluate(response, &$0) }) {
        case .announce(let response):
            // The handler has bytes of the response that broke off, and this one starts anew.
            if let broken, broken.received > 0, !handler.transferMayStartOver() {
                state.withLock { $0.failure = broken.error }
                return decide(false)
            }
            handler.transfer(didReceive: response) { [self] isWanted in
                if isWanted { deliverPrefix { decide(true) } } else { decide(false) }
            }
        case .proceed: decide(true)
        case .reject: decide(false)
        }
    }

    private func evaluate(_ response: TransportResponse, _ state: inout State) -> Step {
        // The transport may start over within the body; the stored part of it is void.
        let isRepeated = state.isAnnounced
        state.isAnnounced = true
        if let partial = state.partial {
            if partial.isContinued(by: response) {
                state.responseURL = response.url.absoluteString
                if isRepeated { state.keeper?.rewind() }
                state.keeper?.isWriting = state.mayBeStored
                state.hasPrefix = !isRepeated && broken?.received == partial.body.count
                return state.hasPrefix ? .proceed : .announce(partial.whole(updatedBy: response))
            }
            state.isMismatched = response.status == 206 || response.status == 416
            if state.isMismatched { return .reject }
            // A server that is overloaded has not changed the image.
            state.keeper?.end(keeps: response.isTransient && !isRepeated)
            state.partial = nil
            state.keeper = nil
            // Takes the transfer's lock inside this one; nothing takes them the other way round.
            transfer.discardPrefix()
        }
        state.keeper?.end(keeps: false)
        state.keeper = state.mayBeStored ? PartialResponse(response).map { keeper($0, state) } : nil
        return .announce(response)
    }

    private func keeper(_ response: PartialResponse, _ state: State) -> PartialKeeper {
        PartialKeeper(
            response, forKey: transfer.key, store: transfer.transport.store, isWriting: state.mayBeStored)
    }

    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        var request = request
        let sendsCookies =
            response.value(forHeader: "set-cookie") != nil || transfer.mayHaveCookies(for: request.address)
        let partial = state.withLock { state in
            if sendsCookies { state.mayBeStored = false }
            return state.partial
        }
        // Another URL has another body, of which the range means nothing.
        if let partial, !partial.isOf(request.url) {
            let names = Set(partial.rangeFields.map { $0.name.lowercased() })
            request.headers.removeAll { names.contains($0.name.lowercased()) }
        }
        handler.transfer(willRedirect: response, to: request, decide: decide)
    }
}

extension TransportResponse {
    /// Whether the server may send the image later.
    fileprivate var isTransient: Bool { status >= 500 || status == 429 || status == 408 }
}

// The body, and the end of an attempt.

extension ResumingTransferHandler {
    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        let bytes = chunk.withUnsafeBytes { Data($0) }
        let partial = state.withLock { state in
            if let partial = state.partial, partial.count + received > partial.total {
                state.isOverlong = true
            } else {
                state.keeper?.append(bytes)
            }
            return state.partial
        }
        guard let partial else {
            return handler.transfer(didReceive: chunk, received: received, expected: expected)
        }
        // The transport may not know where such a body ends.
        guard partial.count + received <= partial.total else { return transfer.cancelAttempt() }
        handler.transfer(didReceive: chunk, received: partial.count + received, expected: partial.total)
    }

    /// Passes the bytes of the partial response on, then calls `then`.
    ///
    /// Not on this thread, the network's, since the handler may copy them.
    private func deliverPrefix(then: @escaping @Sendable () -> Void) {
        let partial = state.withLock { state -> PartialResponse? in
            guard let partial = state.partial, !state.hasPrefix else { return nil }
            (state.hasPrefix, state.isDeliveringPrefix) = (true, true)
            return partial
        }
        guard let partial else { return then() }
        LocalTransport.memory.async { [self] in
            let body = partial.body
            handler.transfer(
                didReceive: body.bytes, received: partial.count, expected: partial.total)
            let result = state.withLock { state in
                state.isDeliveringPrefix = false
                return state.delayedResult.take()
            }
            if let result { transferDidFinish(result) } else { then() }
        }
    }

    /// Keeps the body at once, so that a request after the cancellation finds it.
    func cancelStoring() {
        state.withLock { state in
            state.keeper?.end(keeps: true)
            state.keeper = nil
            state.mayBeStored = false
        }
    }

    /// Resumes instead, if enough of the body is stored.
    func transferMayStartOver() -> Bool {
        let isResumable = state.withLock { state in
            (state.keeper?.count ?? 0) >= PartialResponse.minimumBytes && state.mayBeStored
                && (state.hasPrefix || state.partial == nil)
        }
        guard isResumable, transfer.mayResume() else { return handler.transferMayStartOver() }
        state.withLock { $0.isResumed = true }
        return false
    }

    // MARK: - Decisions

    func transfer(
        didReceiveChallenge challenge: HTTPChallenge, decide: @escaping @Sendable (ChallengeDecision) -> Void
    ) {
        handler.transfer(didReceiveChallenge: challenge) { [self] decision in
            // A response to a credential may be for this user only.
            if case .use = decision, !challenge.isProxy { state.withLock { $0.mayBeStored = false } }
            decide(decision)
        }
    }

    func transfer(
        didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustDecision) -> Void
    ) {
        handler.transfer(didReceiveTrust: trust, decide: decide)
    }

    // MARK: - End

    /// Kept until it is clear whether another attempt follows.
    func transfer(didCollect metrics: TransportMetrics) { state.withLock { $0.metrics = metrics } }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        let isDelayed = state.withLock { state in
            if state.isDeliveringPrefix { state.delayedResult = result }
            return state.isDeliveringPrefix
        }
        // The handler gets the result after the bytes that another thread delivers.
        guard !isDelayed else { return }
        transfer.detach()
        let end = state.withLock { $0 }
        switch result {
        case .success(let result):
            endKeeper(keeps: false)
            guard let partial = end.partial else { return finish(.success(result)) }
            complete(partial, with: result)
        case .failure(let error):
            // The response does not continue the body that broke off.
            if end.isMismatched || isRejectedAsPart(error, end) {
                endKeeper(keeps: false)
                return transfer.load(for: handler, after: broken)
            }
            if let partial = end.partial, end.isOverlong {
                endKeeper(keeps: false)
                let reason = "the rest of the body has more than \(partial.total &- partial.count) bytes"
                let url = end.responseURL ?? transfer.request.address
                return startOver(or: .failure(.malformedResponse(reason: reason, url: url)))
            }
            endKeeper(keeps: error.leavesPart)
            let whole = end.partial.map { error.counted(from: $0) } ?? error
            guard end.isResumed, !error.isCancellation else { return finish(.failure(end.failure ?? whole)) }
            transfer.start(handler, after: Broken(received: end.keeper?.count ?? 0, error: whole))
        }
    }

    /// Whether the transport itself has rejected a 206 that does not match the request.
    private func isRejectedAsPart(_ error: TransportError, _ end: State) -> Bool {
        if case .malformedResponse = error { end.partial != nil && !end.isAnnounced } else { false }
    }

    private func complete(_ partial: PartialResponse, with result: TransferResult) {
        let count = partial.count + Int64(result.body.count)
        guard count == partial.total else {
            let error = TransportError.incompleteBody(
                received: count, expected: partial.total, url: result.response.url.absoluteString)
            return startOver(or: .failure(error))
        }
        transfer.transport.join(partial.body, result.body) { [self] body, isSound in
            let whole = TransferResult(
                response: partial.whole(updatedBy: result.response), body: body, metrics: result.metrics)
            if isSound { finish(.success(whole)) } else { startOver(or: .success(whole)) }
        }
    }

    /// Loads the body from its start, or ends with `result` if the handler can't start over.
    private func startOver(or result: Result<TransferResult, TransportError>) {
        guard handler.transferMayStartOver() else { return finish(result) }
        transfer.load(for: handler)
    }

    private func endKeeper(keeps: Bool) { state.withLock { $0.keeper?.end(keeps: keeps) } }

    private func finish(_ result: Result<TransferResult, TransportError>) {
        if let metrics = state.withLock({ $0.metrics }) { handler.transfer(didCollect: metrics) }
        handler.transferDidFinish(result)
    }
}

extension TransportError {
    /// Whether the body that was received before it is worth keeping: not if it is at fault.
    fileprivate var leavesPart: Bool {
        switch self {
        case .tooLarge, .malformedResponse, .rejected: false
        default: true
        }
    }

    fileprivate var isCancellation: Bool { if case .cancelled = self { true } else { false } }

    /// The error of the rest, with the counts of the whole body.
    fileprivate func counted(from partial: PartialResponse) -> TransportError {
        guard case .incompleteBody(let received, _, let url) = self else { return self }
        return .incompleteBody(received: partial.count + received, expected: partial.total, url: url)
    }
}
