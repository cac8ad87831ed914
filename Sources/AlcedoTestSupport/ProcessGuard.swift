import Foundation
import Glibc

/// Kills a process when this one ends, however it ends.
///
/// A shell of its own waits for the end of a pipe that only this process writes to. `PR_SET_PDEATHSIG` would already act when
/// the thread ends that has started the process.
package final class ProcessGuard: Sendable {
    private let shell: pid_t
    private let pipe: Int32

    /// Guards a child of this process.
    package init(_ process: Int32) throws {
        let ends = try Self.makePipe()
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        let words = ["sh", "-c", "read end; kill -KILL $0", "\(process)"]
        var arguments = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        // A group of its own, so that no signal from a terminal ends it before this process.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var id: pid_t = 0
        let status = Launching.alone {
            posix_spawn(&id, "/bin/sh", &actions, &attributes, arguments, environ)
        }
        guard status == 0 else {
            close(ends[1])
            throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO)
        }
        (shell, pipe) = (id, ends[1])
    }

    /// Under the lock of all launches, so that no other program inherits an end.
    private static func makePipe() throws -> [Int32] {
        try Launching.alone {
            var ends: [Int32] = [-1, -1]
            guard Glibc.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return ends
        }
    }

    /// Guards no longer: the process has ended.
    deinit {
        // First, so that it does not kill another process of the same number.
        kill(shell, SIGKILL)
        waitpid(shell, nil, 0)
        close(pipe)
    }
}
