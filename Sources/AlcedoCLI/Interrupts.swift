import AlcedoConsole
import AlcedoLocks
import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT and SIGTERM into a cancellation, so that no staging files are left; a second signal exits immediately.
///
/// What hangs in a call of the system can't be cancelled, so a command has ``limit`` to end. Both ways to end are those of a
/// signal handler and the kernel's timer, as there may be no thread to do it: Dispatch may get none from the system.
final class Interrupts {
    /// What the handler of the signals uses; a process has one.
    private enum Received {
        /// The first signal; 0 if there is none.
        static let signal = Atomic<Int32>(0)

        /// Seconds until the exit; 0 for none.
        static let limit = Atomic<UInt32>(0)

        /// A pipe that becomes readable with the first signal.
        static let pipe: (reading: Int32, writing: Int32) = {
            var ends: [Int32] = [-1, -1]
            Glibc.pipe(&ends)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (ends[0], ends[1])
        }()
    }

    /// Seconds from the signal to the exit of a command; it waits for its cache for 2 s of them.
    private static let limit: UInt32 = 5

    private final class Action: Sendable {
        let block = Lock<(@Sendable () -> Void)?>(nil)
    }

    private let action = Action()
    private let source: any DispatchSourceRead
    private var stopSource: (any DispatchSourceSignal)?

    /// Installs the signal handlers.
    ///
    /// - Parameter isLimited: whether the program exits after ``limit``, whatever hangs.
    init(isLimited: Bool) {
        // Set up here, as a handler can't do it.
        _ = Received.signal.load(ordering: .relaxed)
        Received.limit.store(isLimited ? Self.limit : 0, ordering: .relaxed)
        source = DispatchSource.makeReadSource(fileDescriptor: Received.pipe.reading, queue: .global())
        source.setEventHandler { [action] in
            var byte: UInt8 = 0
            _ = read(Received.pipe.reading, &byte, 1)
            action.block.withLock { $0 }?()
        }
        signal(SIGALRM) { number in
            // Without a signal before, it is a timer that was set before `exec`, which keeps it.
            let first = Received.signal.load(ordering: .relaxed)
            Interrupts.exit(by: first == 0 ? number : first)
        }
        // Nothing is drawn yet; its first call must not be that of a signal handler.
        Terminal.restore()
        for number in [SIGINT, SIGTERM] { signal(number) { Interrupts.receive($0) } }
        // Dispatch's threads take no signals, and nor does the main one while it waits for one of those to be started. Before
        // Dispatch starts any: there may be no other.
        Self.unblock(SIGINT, SIGTERM, SIGALRM)
        _ = DetachedThread.start("alcedo-signals") {
            Interrupts.unblock(SIGINT, SIGTERM, SIGALRM)
            while true { pause() }
        }
        source.resume()
        if isLimited, Terminal.showsOutput || Terminal.showsErrors {
            stopInOrder()
            quitInOrder()
        }
    }

    /// Takes a signal; only with what a signal handler may do.
    private static func receive(_ number: Int32) {
        let (isFirst, first) = Received.signal.compareExchange(
            expected: 0, desired: number, ordering: .relaxed)
        guard isFirst else { exit(by: first) }
        let saved = errno
        let limit = Received.limit.load(ordering: .relaxed)
        if limit > 0 { alarm(limit) }
        var byte: UInt8 = 1
        _ = write(Received.pipe.writing, &byte, 1)
        errno = saved
    }

    /// Leaves the screen in order and exits; only with what a signal handler may do.
    private static func exit(by number: Int32) -> Never {
        Terminal.restore()
        _exit(128 + number)
    }

    /// Leaves the screen in order when SIGTSTP (Ctrl-Z) stops the program, and draws again when it continues.
    private func stopInOrder() {
        guard !Self.isIgnored(SIGTSTP) else { return }
        let source = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: .global())
        source.setEventHandler {
            Terminal.suspend {
                var (standard, own) = (sigaction(), sigaction())
                sigaction(SIGTSTP, &standard, &own)
                Self.unblock(SIGTSTP)
                raise(SIGTSTP)
                // Dispatch uses this thread for other work.
                Self.mask(SIG_BLOCK, [SIGTSTP])
                sigaction(SIGTSTP, &own, nil)
            }
        }
        source.resume()
        stopSource = source
        Self.unblock(SIGTSTP)
    }

    /// Leaves the screen in order when SIGQUIT (Ctrl-\) kills the program.
    private func quitInOrder() {
        guard !Self.isIgnored(SIGQUIT) else { return }
        signal(SIGQUIT) { number in
            Terminal.restore()
            signal(number, SIG_DFL)
            raise(number)
        }
    }

    /// Whether the parent process had a signal ignored, which stays so.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        // The handler is the first field, and SIG_IGN is 1.
        return withUnsafeBytes(of: action) { $0.load(as: Int.self) } == 1
    }

    /// The exit code of the received signal; nil if there was none.
    var exitCode: ExitCode? {
        switch Received.signal.load(ordering: .relaxed) {
        case 0: nil
        case SIGTERM: .terminated
        default: .interrupted
        }
    }

    /// Sets the action; runs it now if a signal was received before.
    func onInterrupt(_ action: @escaping @Sendable () -> Void) {
        // Set before the check: a signal in between may run the action twice, but never not at all.
        self.action.block.withLock { $0 = action }
        if exitCode != nil { action() }
    }

    /// Unblocks signals, because the parent process may have blocked them.
    static func unblock(_ numbers: Int32...) { mask(SIG_UNBLOCK, numbers) }

    private static func mask(_ change: Int32, _ numbers: [Int32]) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(change, &signals, nil)
    }
}
