import Foundation
import Glibc

/// Kills a process when this one ends, however it ends.
///
/// A shell of its own waits for the end of a pipe that only this process writes to. `PR_SET_PDEATHSIG` would already act when
/// the thread ends that has started the process.
package final class ProcessGuard: Sendable {
    private let shell: pid_t
    private let pipe: Int32

    package init(_ process: Int32) throws {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        do {
            // A group of its own, so that no signal from a terminal ends it before this process.
            shell = try spawn(
                ["/bin/sh", "-c", "read end; kill -KILL $0", "\(process)"], input: .descriptor(ends[0]),
                hasOwnGroup: true)
        } catch {
            close(ends[1])
            throw error
        }
        pipe = ends[1]
    }

    /// Guards no longer: the process has ended.
    deinit {
        // First, so that it does not kill another process of the same number.
        kill(shell, SIGKILL)
        waitpid(shell, nil, 0)
        close(pipe)
    }
}
