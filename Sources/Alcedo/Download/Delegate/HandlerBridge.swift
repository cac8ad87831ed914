import AlcedoLocks

/// Awaits the decision of the program's method with a completion handler, which older code has.
///
/// Later calls of the handler do nothing; one that is released without a call decides `default`.
func awaitingHandler<Decision: Sendable>(
    _ default: Decision, _ decide: (@escaping @Sendable (Decision) -> Void) -> Void
) async -> Decision {
    await withCheckedContinuation { continuation in
        let bridge = HandlerBridge(continuation, `default`)
        decide { bridge.resume($0) }
    }
}

private final class HandlerBridge<Decision: Sendable>: Sendable {
    private let continuation: Lock<CheckedContinuation<Decision, Never>?>
    private let decisionOfNobody: Decision

    init(_ continuation: CheckedContinuation<Decision, Never>, _ decisionOfNobody: Decision) {
        self.continuation = Lock(continuation)
        self.decisionOfNobody = decisionOfNobody
    }

    func resume(_ decision: Decision) {
        continuation.withLock { $0.take() }?.resume(returning: decision)
    }

    deinit { resume(decisionOfNobody) }
}
