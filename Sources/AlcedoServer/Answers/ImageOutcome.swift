/// What the work for a request leads to.
enum ImageOutcome: Sendable {
    typealias Spans = [ServedAnswer.Span: Duration]

    case made(StoredResult, Spans)
    /// A cache has it by now; with whether the client's copy is still good.
    case cached(StoredResult, ServedAnswer.Tier, isNotModified: Bool)
    /// The fallback image, and why it is needed.
    case fallback(StoredResult, AnswerFailure, Spans)
    /// The client's copy is still good.
    case notModified(SourceHead, Spans)
    case failed(AnswerFailure, Spans)
    /// A source as it is.
    case raw(ServedAnswer)
    /// There is no worker for it.
    case refused(ServedAnswer)

    var spans: Spans {
        switch self {
        case .made(_, let spans), .fallback(_, _, let spans), .notModified(_, let spans),
            .failed(_, let spans):
            spans
        case .cached: [:]
        case .raw(let answer), .refused(let answer): answer.spans
        }
    }

    /// The same with other spans.
    func with(_ spans: Spans) -> ImageOutcome {
        switch self {
        case .made(let result, _): return .made(result, spans)
        case .fallback(let result, let failure, _): return .fallback(result, failure, spans)
        case .notModified(let head, _): return .notModified(head, spans)
        case .failed(let failure, _): return .failed(failure, spans)
        case .raw(var answer):
            answer.spans = spans
            return .raw(answer)
        case .cached, .refused: return self
        }
    }
}

/// What became of work that several requests may wait for, and when it had to be done: for the first of them.
struct SharedOutcome: Sendable {
    let outcome: ImageOutcome
    let deadline: ContinuousClock.Instant

    /// Whether it failed at the end of its time, which is not that of the others.
    var isLate: Bool {
        switch outcome {
        case .failed, .refused: deadline <= .now
        default: false
        }
    }
}
