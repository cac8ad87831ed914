import AlcedoLocks
import AlcedoPixels
import Glibc

extension DecoderPool {
    /// Counts a failure, for ``failures``.
    func count(_ failure: DecodeSandbox.Failure) {
        state.withLock { $0.failures[failure.kind, default: 0] += 1 }
    }

    /// How often a worker has failed, by reason: `killed` by the system, `crashed` by a signal, `exited`, `timeout`,
    /// `memory`, `invalid` responses; `quarantined`, `busy` and `unavailable` have not reached one.
    package var failures: [(reason: String, count: Int)] {
        state.withLock { state in state.failures.map { (reason: $0.key, count: $0.value) } }
    }
}

extension DecodeSandbox.Failure {
    /// A word for each reason.
    fileprivate var kind: String {
        switch self {
        case .died(signal: SIGKILL): "killed"
        case .died: "crashed"
        case .exited: "exited"
        case .timedOut: "timeout"
        case .outOfMemory: "memory"
        case .invalidResponse: "invalid"
        case .quarantined: "quarantined"
        case .busy: "busy"
        case .unavailable: "unavailable"
        }
    }
}
