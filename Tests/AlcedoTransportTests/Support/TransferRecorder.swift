import AlcedoTestSupport
import AlcedoTransport
import Foundation

/// A handler that notes what happens and lets a test wait for it.
final class TransferRecorder: TransportHandler {
    typealias Outcome = Result<TransferResult, TransportError>
    typealias Decision = @Sendable (Bool) -> Void
    typealias Redirection = @Sendable (TransportRequest?) -> Void

    typealias Answer = @Sendable (ChallengeDecision) -> Void
    typealias Verdict = @Sendable (TrustDecision) -> Void

    private struct State {
        var events: [String] = []
        var outcomes: [Outcome] = []
        var body: [UInt8] = []
        var metrics: [TransportMetrics] = []
    }

    private let state = Monitor(State())
    private let onResponse: @Sendable (TransportResponse, @escaping Decision) -> Void
    private let onRedirect: @Sendable (TransportRequest, @escaping Redirection) -> Void
    private let onChallenge: @Sendable (HTTPChallenge, @escaping Answer) -> Void
    private let onTrust: @Sendable (ServerTrust, @escaping Verdict) -> Void
    private let onChunk: @Sendable (Int64) -> Void
    private let startsOver: Bool
    private let onFinish: @Sendable (Outcome) -> Void

    init(
        onResponse: @escaping @Sendable (TransportResponse, @escaping Decision) -> Void = { $1(true) },
        onRedirect: @escaping @Sendable (TransportRequest, @escaping Redirection) -> Void = { $1($0) },
        onChallenge: @escaping @Sendable (HTTPChallenge, @escaping Answer) -> Void = { $1(.goOnWithout) },
        onTrust: @escaping @Sendable (ServerTrust, @escaping Verdict) -> Void = { $1(.byDefault) },
        onChunk: @escaping @Sendable (Int64) -> Void = { _ in },
        onFinish: @escaping @Sendable (Outcome) -> Void = { _ in },
        startsOver: Bool = false
    ) {
        self.startsOver = startsOver
        self.onRedirect = onRedirect
        self.onChallenge = onChallenge
        self.onTrust = onTrust
        self.onChunk = onChunk
        self.onFinish = onFinish
        self.onResponse = onResponse
    }

    /// What has happened, in order: `response 200`, `redirect URL`, `challenge REALM`,
    /// `trust HOST`, `chunk`, `finish`.
    var events: [String] { state.read { $0.events.map(\.self) } }

    /// The chunks joined.
    var received: [UInt8] { state.read { $0.body.map(\.self) } }

    /// What was collected before the end.
    var metrics: [TransportMetrics] { state.read { $0.metrics.map(\.self) } }

    /// Calls of `transferDidFinish`.
    var finishCount: Int { state.read { $0.outcomes.count } }

    /// Waits for the end; nil if the test is cancelled before.
    var outcome: Outcome? {
        get async {
            await state.wait { !$0.outcomes.isEmpty }
            return state.read { $0.outcomes.first }
        }
    }

    /// Waits for the end, which must be a good one.
    var result: TransferResult {
        get async throws {
            guard let outcome = await outcome else { throw CancellationError() }
            return try outcome.get()
        }
    }

    /// Waits for the end, which must be an error; nil if it is not.
    var error: TransportError? {
        get async {
            if case .failure(let error) = await outcome { error } else { nil }
        }
    }

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        state.update { $0.events.append("response \(response.status)") }
        onResponse(response, decide)
    }

    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        state.update { $0.events.append("redirect \(request.address)") }
        onRedirect(request, decide)
    }

    func transfer(
        didReceiveChallenge challenge: HTTPChallenge, decide: @escaping @Sendable (ChallengeDecision) -> Void
    ) {
        state.update { $0.events.append("challenge \(challenge.realm ?? "-")") }
        onChallenge(challenge, decide)
    }

    func transfer(didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustDecision) -> Void) {
        state.update { $0.events.append("trust \(trust.host)") }
        onTrust(trust, decide)
    }

    func transferMayStartOver() -> Bool { startsOver }

    func transfer(didCollect metrics: TransportMetrics) {
        state.update { state in
            if state.outcomes.isEmpty { state.metrics.append(metrics) }
        }
    }

    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        state.update { state in
            if state.events.last != "chunk" { state.events.append("chunk") }
            chunk.withUnsafeBytes { state.body += $0 }
        }
        onChunk(received)
    }

    func transferDidFinish(_ outcome: Outcome) {
        onFinish(outcome)
        state.update { state in
            state.events.append("finish")
            state.outcomes.append(outcome)
        }
    }
}
