import AlcedoConsole
import AlcedoLocks
import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT and SIGTERM into a cancellation, so that no staging files are left; a second signal exits immediately.
///
/// What hangs in a call of the system can't be cancelled, so a command has ``limit`` to end.
final class Interrupts {
    private final class State: Sendable {
        /// The first received signal; 0 if there is none.
        let signal = Atomic<Int32>(0)
        let action = Lock<(@Sendable () -> Void)?>(nil)

        func interrupt(by number: Int32) {
            let (isFirst, first) = signal.compareExchange(
                expected: 0, desired: number, ordering: .relaxed)
            guard isFirst else {
                Terminal.restore()
                _exit(128 + first)
            }
            action.withLock { $0 }?()
        }
    }

    /// Seconds from the signal to the exit of a command; it waits for its cache for 2 s of them.
    private static let limit: UInt32 = 5

    /// The exit code once ``limit`` is over.
    private static let lateCode = Atomic<Int32>(0)

    private let state = State()
    private var sources: [any DispatchSourceSignal] = []

    /// Installs the signal handlers.
    ///
    /// - Parameter isLimited: whether the program exits after ``limit``, whatever hangs.
    init(isLimited: Bool) {
        for number in [SIGINT, SIGTERM] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [state] in
                if isLimited { Self.exitLate(128 + number) }
                state.interrupt(by: number)
            }
            source.resume()
            sources.append(source)
        }
        // Nothing is drawn yet; its first call must not be that of a signal handler.
        Terminal.restore()
        if isLimited, Terminal.showsOutput || Terminal.showsErrors {
            stopInOrder()
            quitInOrder()
        }
        // The last for ``exitLate(_:)``, because Dispatch's threads take no signals.
        Self.unblock(SIGINT, SIGTERM, SIGALRM)
    }

    /// Exits after ``limit``; by the kernel's timer, as no thread may be left to do it.
    private static func exitLate(_ code: Int32) {
        lateCode.store(code, ordering: .relaxed)
        signal(SIGALRM) { _ in
            Terminal.restore()
            _exit(Interrupts.lateCode.load(ordering: .relaxed))
        }
        unblock(SIGALRM)
        alarm(limit)
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
                sigaction(SIGTSTP, &own, nil)
            }
        }
        source.resume()
        sources.append(source)
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
        switch state.signal.load(ordering: .relaxed) {
        case 0: nil
        case SIGTERM: .terminated
        default: .interrupted
        }
    }

    /// Sets the action; runs it now if a signal was received before.
    func onInterrupt(_ action: @escaping @Sendable () -> Void) {
        // Set before the check: a signal in between may run the action twice, but never not at all.
        state.action.withLock { $0 = action }
        if exitCode != nil { action() }
    }

    /// Unblocks signals, because the parent process may have blocked them.
    static func unblock(_ numbers: Int32...) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
