import AlcedoLocks

/// Awaits the decision of the program's method with a completion handler, which older code has.
///
/// Later calls of the handler do nothing; one that is released without a call decides `default`.
func awaitingHandler<Decision: Sendable>(
    _ default: Decision, _ decide: (@escaping @Sendable (Decision) -> Void) -> Void
) async -> Decision {
    let decision = OneShot<Decision, Never>()
    // In a scope of its own: only the handler retains the bridge, whose `deinit` notices that it was dropped.
    do {
        let bridge = HandlerBridge(decision, `default`)
        decide { bridge.decision.finish(.success($0)) }
    }
    return await decision.value()
}

/// What the handler retains.
private final class HandlerBridge<Decision: Sendable>: Sendable {
    let decision: OneShot<Decision, Never>
    private let decisionOfNobody: Decision

    init(_ decision: OneShot<Decision, Never>, _ decisionOfNobody: Decision) {
        (self.decision, self.decisionOfNobody) = (decision, decisionOfNobody)
    }

    deinit { decision.finish(.success(decisionOfNobody)) }
}
