import AlcedoLocks
import AlcedoTransport
import Foundation

/// A handler that notes what happens and lets a test wait for it.
final class Recorder: TransportHandler {
    typealias Outcome = Result<TransferResult, TransportError>
    typealias Decision = @Sendable (Bool) -> Void
    typealias Redirection = @Sendable (TransportRequest?) -> Void

    private struct State {
        var events: [String] = []
        var outcomes: [Outcome] = []
        var waiters: [CheckedContinuation<Outcome, Never>] = []
        var body: [UInt8] = []
    }

    private let state = Lock(State())
    private let onResponse: @Sendable (TransportResponse, @escaping Decision) -> Void
    private let onRedirect: @Sendable (TransportRequest, @escaping Redirection) -> Void
    private let onChunk: @Sendable (Int64) -> Void
    private let onFinish: @Sendable (Outcome) -> Void

    init(
        onResponse: @escaping @Sendable (TransportResponse, @escaping Decision) -> Void = { $1(true) },
        onRedirect: @escaping @Sendable (TransportRequest, @escaping Redirection) -> Void = { $1($0) },
        onChunk: @escaping @Sendable (Int64) -> Void = { _ in },
        onFinish: @escaping @Sendable (Outcome) -> Void = { _ in }
    ) {
        self.onRedirect = onRedirect
        self.onChunk = onChunk
        self.onFinish = onFinish
        self.onResponse = onResponse
    }

    /// What has happened, in order: `response 200`, `redirect URL`, `chunk`, `finish`.
    var events: [String] { state.withLock { $0.events } }

    /// The chunks joined.
    var received: [UInt8] { state.withLock { $0.body } }

    /// Calls of `transferDidFinish`.
    var finishCount: Int { state.withLock { $0.outcomes.count } }

    /// Waits for the end.
    var outcome: Outcome {
        get async {
            await withCheckedContinuation { waiter in
                let early: Outcome? = state.withLock { state in
                    if let outcome = state.outcomes.first { return outcome }
                    state.waiters.append(waiter)
                    return nil
                }
                if let early { waiter.resume(returning: early) }
            }
        }
    }

    /// Waits for the end, which must be a good one.
    var result: TransferResult { get async throws { try await outcome.get() } }

    /// Waits for the end, which must be an error; nil if it is not.
    var error: TransportError? {
        get async {
            switch await outcome {
            case .success: nil
            case .failure(let error): error
            }
        }
    }

    func transfer(didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void) {
        state.withLock { $0.events.append("response \(response.status)") }
        onResponse(response, decide)
    }

    func transfer(
        willRedirect response: TransportResponse,
        to request: TransportRequest,
        decide: @escaping @Sendable (TransportRequest?) -> Void
    ) {
        state.withLock { $0.events.append("redirect \(request.url)") }
        onRedirect(request, decide)
    }

    func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
        state.withLock { state in
            if state.events.last != "chunk" { state.events.append("chunk") }
            chunk.withUnsafeBytes { state.body += $0 }
        }
        onChunk(received)
    }

    func transferDidFinish(_ outcome: Outcome) {
        onFinish(outcome)
        let waiters = state.withLock { state in
            state.events.append("finish")
            state.outcomes.append(outcome)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}

extension Transport {
    /// Starts a transfer that accepts everything, and waits for its end.
    func load(
        _ url: String, _ configure: (inout TransportRequest) -> Void = { _ in }
    ) async -> Recorder.Outcome {
        let recorder = Recorder()
        start(TransportRequest(url: url, configure), handler: recorder)
        return await recorder.outcome
    }

    /// Starts a transfer that must fail, and waits for its error; nil if it does not fail.
    func failure(
        _ url: String, _ configure: (inout TransportRequest) -> Void = { _ in }
    ) async -> TransportError? {
        switch await load(url, configure) {
        case .success: nil
        case .failure(let error): error
        }
    }
}

extension TransferResult {
    var text: String { String(decoding: body, as: UTF8.self) }
}
