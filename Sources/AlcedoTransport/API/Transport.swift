/// Loads the response and the body of a request.
///
/// Implement it to load from another source, or from memory in tests. An implementation calls the handler's methods one
/// at a time and in order, and ``TransportHandler/transferDidFinish(_:)`` exactly once and last, in all cases. It may call
/// them before ``start(_:handler:)`` has returned.
public protocol Transport: AnyObject, Sendable {
    /// Starts a transfer and returns at once; `handler` is kept alive until the transfer has finished.
    ///
    /// May be called on any thread. Passes all errors to the handler, that of an invalid URL too.
    @discardableResult
    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask
}

/// The caller's handle of a started transfer.
public protocol TransportTask: AnyObject, Sendable {
    /// Ends the transfer with ``TransportError/cancelled``, unless it has finished; on any thread, any number of times.
    func cancel()

    /// From 0 to 1: the queued request with the highest priority starts first. May be set at any time.
    var priority: Float { get set }
}

/// Handles the events of a transfer, on the transport's thread.
///
/// Every method must return soon, because it blocks other transfers. It may start and cancel transfers.
public protocol TransportHandler: AnyObject, Sendable {
    /// The final response's headers are complete.
    ///
    /// Call `decide` once, now or later and on any thread: true to receive the body, false to fail with
    /// ``TransportError/rejected(url:)``. The body is paused until then. Decides true by default.
    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void)

    /// The server redirects the request.
    ///
    /// Call `decide` once, now or later and on any thread, with the request to send instead, usually `request`;
    /// nil makes `response` the final response, body and all. Decides `request` by default.
    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    )

    /// The server, or a proxy, demands a credential.
    ///
    /// Call `decide` once, now or later and on any thread. After five rejected credentials the response is final without
    /// this call. Decides ``ChallengeDecision/goOnWithout`` by default.
    func transfer(
        didReceiveChallenge challenge: HTTPChallenge, decide: @escaping @Sendable (ChallengeDecision) -> Void)

    /// The server has sent its certificate to a request with a ``TransportRequest/trustScope``.
    ///
    /// Call `decide` once, now or later and on any thread; the request has not been sent. Accepts only valid certificates by
    /// default.
    func transfer(didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustDecision) -> Void)

    /// A decoded part of the body, in order; `chunk` is valid only inside the call. Does nothing by default.
    ///
    /// - Parameters:
    ///   - chunk: The new bytes.
    ///   - received: Bytes of the body so far, with `chunk`.
    ///   - expected: Bytes of the whole body; nil if the server does not announce them, or compresses it.
    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?)

    /// The connection broke within the body.
    ///
    /// True sends the request once more, over a new connection: the response starts again with its headers, and earlier
    /// chunks are void. Called once, and only if the method is idempotent. False by default.
    func transferMayStartOver() -> Bool

    /// The measurements: called before ``transferDidFinish(_:)`` if a request left the queue, after failures too.
    ///
    /// Does nothing by default.
    func transfer(didCollect metrics: TransportMetrics)

    /// The transfer has ended: called exactly once, and last.
    func transferDidFinish(_ result: Result<TransferResult, TransportError>)
}

extension TransportHandler {
    public func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        decide(true)
    }

    public func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        decide(request)
    }

    public func transfer(
        didReceiveChallenge challenge: HTTPChallenge, decide: @escaping @Sendable (ChallengeDecision) -> Void
    ) {
        decide(.goOnWithout)
    }

    public func transfer(
        didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustDecision) -> Void
    ) {
        decide(.byDefault)
    }

    public func transferMayStartOver() -> Bool { false }

    /// Does nothing; the result of a successful transfer has the metrics too.
    public func transfer(didCollect metrics: TransportMetrics) {}

    /// Does nothing; the result has the whole body.
    public func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {}
}
