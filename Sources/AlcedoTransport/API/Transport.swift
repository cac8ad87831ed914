/// Moves bytes: turns a request into a response and a body.
///
/// Implement it to load from somewhere else, or to answer from memory in tests. Whoever calls ``start(_:handler:)``
/// relies on this: the handler's methods are called one at a time and in order, and
/// ``TransportHandler/transferDidFinish(_:)`` is called exactly once, last, whatever happens. They may be called
/// before ``start(_:handler:)`` has returned.
public protocol Transport: AnyObject, Sendable {
    /// Starts a transfer and returns at once; `handler` is kept until the transfer has finished.
    ///
    /// May be called on any thread. Errors, a URL that cannot be read among them, arrive at the handler.
    @discardableResult
    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask
}

/// A started transfer, as the one who started it sees it.
public protocol TransportTask: AnyObject, Sendable {
    /// Ends the transfer with ``TransportError/cancelled``, unless it has finished; from any thread, any number of
    /// times.
    func cancel()

    /// From 0 to 1; of the requests that wait for a connection, the highest goes first. May be set at any time.
    var priority: Float { get set }
}

/// Is told what happens to a transfer, on the transport's thread.
///
/// Every method must return soon, for other transfers wait meanwhile. It may start and cancel transfers.
public protocol TransportHandler: AnyObject, Sendable {
    /// The final response's headers are here.
    ///
    /// Call `decide` once, here or later and from any thread: true to receive the body, false to fail with
    /// ``TransportError/rejected(url:)``. The body waits for it. Decides true by default.
    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void)

    /// The server wants the client to go elsewhere.
    ///
    /// Call `decide` once, here or later and from any thread, with the request to send instead, usually `request`;
    /// nil makes `response` the final response, body and all. Decides `request` by default.
    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    )

    /// The server, or a proxy, wants to know who asks.
    ///
    /// Call `decide` once, here or later and from any thread. After five credentials in vain the response counts as
    /// the final one without asking. Goes on without by default.
    func transfer(
        didReceiveChallenge challenge: HTTPChallenge, decide: @escaping @Sendable (ChallengeAnswer) -> Void)

    /// The server has shown its certificate, to a request with a ``TransportRequest/trustScope``.
    ///
    /// Call `decide` once, here or later and from any thread; nothing has been sent yet. By default only valid
    /// certificates are accepted.
    func transfer(didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustAnswer) -> Void)

    /// A piece of the body, decoded, in order; `chunk` is valid only inside the call. Does nothing by default.
    ///
    /// - Parameters:
    ///   - chunk: The bytes that are new.
    ///   - received: Bytes of body so far, with `chunk`.
    ///   - expected: Bytes that the whole body will have, if the server says so and does not compress it.
    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?)

    /// The connection broke amid the body.
    ///
    /// True has the request sent once more, over a new connection: the response comes again from its head, and what came
    /// before counts no more. Asked once, and only if the method is idempotent. False by default.
    func transferMayStartOver() -> Bool

    /// How it went: called just before ``transferDidFinish(_:)`` if a request left the queue, whatever came of it.
    ///
    /// Does nothing by default.
    func transfer(didCollect metrics: TransportMetrics)

    /// It is over: called exactly once, as the last of all.
    func transferDidFinish(_ result: Result<TransferResult, TransportError>)
}

extension TransportHandler {
    /// Accepts every response.
    public func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        decide(true)
    }

    /// Follows every redirect that the transport allows.
    public func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        decide(request)
    }

    /// Has no credentials.
    public func transfer(
        didReceiveChallenge challenge: HTTPChallenge, decide: @escaping @Sendable (ChallengeAnswer) -> Void
    ) {
        decide(.goOnWithout)
    }

    /// Accepts valid certificates only.
    public func transfer(
        didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustAnswer) -> Void
    ) {
        decide(.byDefault)
    }

    /// Takes what has come for what there is.
    public func transferMayStartOver() -> Bool { false }

    /// Ignores them; those of a transfer that went well come with the result.
    public func transfer(didCollect metrics: TransportMetrics) {}

    /// Ignores progress; the whole body comes with the result.
    public func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {}
}
