import AlcedoLocks
import AlcedoPixels
import CIsolation
import Glibc

/// Starts helper programs, whose files may be on a disk that hangs.
enum HelperStart {
    /// Starts a program with an end of a channel; returns its process, or a negative number and sets `errno`.
    typealias Spawn = @Sendable (_ path: String, _ environment: [String], _ channel: Channel) -> pid_t

    private enum Outcome {
        case pending
        case started(pid_t, error: Int32)

        /// The caller has stopped waiting.
        case abandoned
    }

    /// Programs of which a start was abandoned and has not returned; each has cost a thread, and costs no other.
    private static let hung = Lock<Set<String>>([])

    /// Starts a program, and closes this process's copy of `channel`.
    ///
    /// - Parameters:
    ///   - path: the program.
    ///   - environment: its variables as `NAME=value`.
    ///   - channel: the end of the channel that it gets.
    ///   - milliseconds: how long it may take; one that starts later is killed.
    ///   - spawn: starts it.
    /// - Throws: ``DecodeSandbox/Failure/unavailable(reason:)``.
    /// - Returns: its process.
    static func process(
        _ path: String, _ environment: [String], _ channel: Channel, within milliseconds: Int32,
        spawn: @escaping Spawn = { HelperStart.start($0, $1, $2) }
    ) throws(DecodeSandbox.Failure) -> pid_t {
        let seconds = (Int(milliseconds) + 999) / 1000
        let late = DecodeSandbox.Failure.unavailable(
            reason: "\(path) has not been started in \(seconds) s: check whether its file system hangs")
        if hung.withLock({ $0.contains(path) }) {
            channel.close()
            throw late
        }
        let outcome = Lock(Outcome.pending)
        DetachedThread.wait("alcedo-spawn", seconds: seconds) {
            let process = spawn(path, environment, channel)
            let reason = errno
            channel.close()
            let isWanted = outcome.withLock { outcome in
                guard case .pending = outcome else { return false }
                outcome = .started(process, error: reason)
                return true
            }
            if !isWanted { endLate(process, path) }
        }
        let (process, reason) =
            outcome.withLock { outcome -> (pid_t, Int32)? in
                if case .started(let process, let reason) = outcome { return (process, reason) }
                outcome = .abandoned
                // Before its thread can see that it is.
                hung.withLock { _ = $0.insert(path) }
                return nil
            } ?? (-1, ETIMEDOUT)
        guard process > 0 else {
            if reason == ETIMEDOUT { throw late }
            throw .unavailable(reason: "\(path) does not start: \(String(cString: strerror(reason)))")
        }
        return process
    }

    private static func endLate(_ process: pid_t, _ path: String) {
        hung.withLock { _ = $0.remove(path) }
        guard process > 0 else { return }
        kill(process, SIGKILL)
        UnreapedWorkers.add(process)
    }

    private static func start(_ path: String, _ environment: [String], _ channel: Channel) -> pid_t {
        withStrings([path]) { arguments in
            withStrings(environment) { environment in
                alcedo_spawn(path, arguments, environment, channel.socket)
            }
        }
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
