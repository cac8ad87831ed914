import AlcedoLocks
import AlcedoTestSupport
import Foundation

@testable import Alcedo
@testable import AlcedoCaches

/// Lets a test say when the queues look whether their disk hangs.
final class ManualStallCheck: Sendable {
    private let checks = Recorder<@Sendable () -> Void>()
    private let done = Lock(0)

    var check: DiskStallCheck {
        DiskStallCheck(schedule: { [checks] in checks.append($0) }, error: DiskStallError(seconds: 5))
    }

    /// Lets an interval pass: runs the checks that are scheduled now.
    func tick() {
        let due = checks.values
        let first = done.withLock { done in
            defer { done = due.count }
            return done
        }
        for check in due[first...] { check() }
    }
}
