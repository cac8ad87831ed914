import AlcedoLocks
import AlcedoTestSupport
import AlcedoTransport

/// Lets a test say when the intervals of a file queue pass.
final class ManualIntervals: Sendable {
    private let checks = Recorder<@Sendable () -> Void>()
    private let done = Lock(0)

    var schedule: FileQueue.Schedule { { [checks] in checks.append($0) } }

    /// Lets intervals pass: runs the checks that are scheduled.
    func pass(_ intervals: Int = 1) {
        for _ in 0..<intervals {
            let due = checks.values
            let first = done.withLock { done in
                defer { done = due.count }
                return done
            }
            for check in due[first...] { check() }
        }
    }
}
