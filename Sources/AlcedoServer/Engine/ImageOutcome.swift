/// What the work for requests led to.
struct ImageOutcome: Sendable {
    typealias Spans = [ServerResponse.Span: Duration]

    enum Value: Sendable {
        case result(StoredResult, ServerResponse.Tier)
        /// The client's copy is still good.
        case notModified(SourceHead)
        /// The fallback image, and why it is needed.
        case fallback(StoredResult, RequestFailure)
        /// A source as it is.
        case raw(ServerResponse)
        case failed(RequestFailure)
    }

    let value: Value
    let spans: Spans

    /// The deadline of the first request.
    let deadline: ContinuousClock.Instant

    /// Whether it failed at the end of its time, which is not that of the others.
    var isLate: Bool { if case .failed = value { deadline <= .now } else { false } }
}
