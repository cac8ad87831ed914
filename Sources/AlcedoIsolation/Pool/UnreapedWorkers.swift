import AlcedoLocks
import CIsolation
import Glibc

/// Killed workers that have not ended: the kernel ends no process while it waits for some disks, or is being traced.
///
/// Nobody waits for them. Those that have ended since are reaped when the next worker is started.
enum UnreapedWorkers {
    private static let processes = Lock<[pid_t]>([])

    static var count: Int { processes.withLock { $0.count } }

    static func add(_ process: pid_t) { processes.withLock { $0.append(process) } }

    static func reap() {
        processes.withLock { processes in
            processes.removeAll { process in
                var (status, signal): (Int32, Int32) = (-1, -1)
                return alcedo_reap(process, -1, 0, &status, &signal) != 0
            }
        }
    }
}
