import AlcedoLocks
import AlcedoWaiting
import CSpawn
package import Foundation
import Glibc

/// A program that a test has started.
///
/// Foundation's `Process` lists this process's descriptors before it starts a program, and with more than about 1,300 of them
/// it reads past the end of that list, which crashes the tests now and then. It also gives a program the pipes of another one
/// that is being started.
package final class ChildProcess: Sendable {
    package struct End: Sendable {
        /// The exit status, or the signal that killed it.
        package let status: Int32
        package let isKilled: Bool
    }

    package let id: Int32
    private let end = Lock<End?>(nil)
    private let hasEnded = Gate()

    /// Starts a program.
    ///
    /// `words` are its path and its arguments; a nil environment or folder is this process's. With `hasOwnGroup` it
    /// is in a process group of its own, as a shell's jobs are.
    package init(
        _ words: [String], environment: [String: String]? = nil, folder: URL? = nil,
        input: ProgramStream = .null, output: ProgramStream = .inherited, errors: ProgramStream = .inherited,
        hasOwnGroup: Bool = false
    ) throws {
        id = try spawn(
            words, environment: environment, folder: folder, input: input, output: output, errors: errors,
            hasOwnGroup: hasOwnGroup)
        Thread { [self] in reap() }.start()
    }

    /// Sends a signal, if the program has not ended.
    package func signal(_ number: Int32) {
        // Under the lock of its end, so that the number is not another process's by now.
        end.withLock { if $0 == nil { kill(id, number) } }
    }

    /// Waits until it ends, and kills it if the task is cancelled.
    ///
    /// - Throws: `CancellationError`.
    @discardableResult
    package func waitForEnd() async throws -> End {
        await hasEnded.pass()
        guard let end = end.withLock({ $0 }) else {
            signal(SIGKILL)
            throw CancellationError()
        }
        return end
    }

    private func reap() {
        var change = siginfo_t()
        while waitid(P_PID, id_t(id), &change, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        end.withLock { end in
            var status: Int32 = 0
            waitpid(id, &status, 0)
            let signal = status & 0x7F
            end = End(status: signal == 0 ? status >> 8 & 0xFF : signal, isKilled: signal != 0)
        }
        hasEnded.open()
    }
}

/// A program's standard input, output or error.
package enum ProgramStream {
    case inherited
    case null
    case descriptor(Int32)

    package static func handle(_ handle: FileHandle) -> Self { .descriptor(handle.fileDescriptor) }
}

/// Starts a program like ``ChildProcess``, and returns its number; it gets no other descriptors of this process, nor its signal
/// mask.
///
/// With `hasOwnGroup`, signals of this process's terminal don't reach it.
func spawn(
    _ words: [String], environment: [String: String]? = nil, folder: URL? = nil,
    input: ProgramStream = .null, output: ProgramStream = .null, errors: ProgramStream = .null,
    hasOwnGroup: Bool = false
) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [input, output, errors].enumerated() {
        switch stream {
        case .inherited: break
        case .null: posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
        case .descriptor(let descriptor):
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder.path) }

    // Dispatch's threads block signals, and a test may ignore some.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let environment = environment ?? ProcessInfo.processInfo.environment
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var id: pid_t = 0
    let status = posix_spawn(&id, words[0], &actions, &attributes, &arguments, &variables)
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
    return id
}
