import AlcedoLocks

/// Admits work that waits for an origin, or for none: runs `work` and returns its answer, or returns one of its own.
///
/// It is called for what no cache has, and once for requests for the same at the same time.
package typealias WorkGate =
    @Sendable (
        _ request: ServedRequest, _ origin: String?, _ work: @escaping @Sendable () async -> ServedAnswer
    ) async -> ServedAnswer

extension ImageOutcome {
    /// The outcome of `work` if `gate` runs it.
    static func admitted(
        _ request: ServedRequest, from origin: String?, by gate: WorkGate,
        _ work: @escaping @Sendable () async -> ImageOutcome
    ) async -> ImageOutcome {
        let made = Lock<ImageOutcome?>(nil)
        let answer = await gate(request, origin) {
            let outcome = await work()
            made.withLock { $0 = outcome }
            return ServedAnswer(status: 200, spans: outcome.spans)
        }
        guard let outcome = made.withLock({ $0 }) else { return .refused(answer) }
        return outcome.with(answer.spans)
    }
}
