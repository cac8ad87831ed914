import AlcedoLocks
import Foundation
import Glibc

/// A memcached of the test's own, which ends with this object and with this process.
package final class MemcachedProcess: Sendable {
    private struct Running: Sendable {
        var id: pid_t
        var processGuard: ProcessGuard?
    }

    /// Keeps its port for it while it does not run.
    private let reservation: ClosedPort
    private let process: Lock<Running?>

    package var port: Int { reservation.number }

    package var server: String { "127.0.0.1:\(port)" }

    package init() throws {
        reservation = try ClosedPort()
        guard let running = try Self.start(reservation.number) else { throw POSIXError(.EADDRINUSE) }
        process = Lock(running)
    }

    deinit { kill() }

    /// Ends it at once; its port refuses connections.
    package func kill() {
        var ended = process.withLock { running in
            defer { running = nil }
            return running
        }
        guard let id = ended?.id else { return }
        Glibc.kill(id, SIGKILL)
        // Before another process can have its number.
        ended?.processGuard = nil
        waitpid(id, nil, 0)
    }

    /// Starts it again, empty, on the same port.
    package func restart() throws {
        kill()
        guard let running = try Self.start(port) else { throw POSIXError(.EADDRINUSE) }
        process.withLock { $0 = running }
    }

    /// Has it accept connections and send nothing.
    ///
    /// `kill` returns before the process's other threads have stopped, and one of them could still respond.
    package func stop() {
        process.withLock { running in
            guard let id = running?.id else { return }
            Glibc.kill(id, SIGSTOP)
            var change = siginfo_t()
            while waitid(P_PID, id_t(id), &change, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
        }
    }

    package func resume() {
        process.withLock { running in
            if let id = running?.id { Glibc.kill(id, SIGCONT) }
        }
    }

    /// Starts a process and waits until it listens; nil if it ends before.
    private static func start(_ port: Int) throws -> Running? {
        let words = [
            "/usr/bin/memcached", "-u", "root", "-l", "127.0.0.1", "-p", "\(port)", "-U", "0", "-m", "64",
        ]
        let id = try spawn(words)
        let processGuard = try ProcessGuard(id)
        while waitpid(id, nil, WNOHANG) == 0 {
            if isListening(port) { return Running(id: id, processGuard: processGuard) }
            poll(nil, 0, 5)
        }
        return nil
    }

    private static func isListening(_ port: Int) -> Bool {
        guard let descriptor = connectedSocket(to: UInt16(port)) else { return false }
        close(descriptor)
        return true
    }
}

package func until(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        poll(nil, 0, 5)
        await Task.yield()
    }
}
