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
        let mayBeStored = !transfer.mayHaveCookies(for: transfer.request.url)
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
                state.responseURL = response.url
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
            response.value(forHeader: "set-cookie") != nil || transfer.mayHaveCookies(for: request.url)
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
