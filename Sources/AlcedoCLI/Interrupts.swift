import AlcedoLocks
import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT and SIGTERM into a cancellation, so that nothing is left half written; a second one kills.
final class Interrupts {
    private final class State: Sendable {
        let wasInterrupted = Atomic(false)
        let action = Lock<(@Sendable () -> Void)?>(nil)

        func interrupt() {
            if wasInterrupted.exchange(true, ordering: .relaxed) { _exit(130) }
            action.withLock { $0 }?()
        }
    }

    private let state = State()
    private var sources: [any DispatchSourceSignal] = []

    /// Begins to watch.
    init() {
        for number in [SIGINT, SIGTERM] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [state] in state.interrupt() }
            source.resume()
            sources.append(source)
        }
        Self.unblock(SIGINT, SIGTERM)
    }

    var wasInterrupted: Bool { state.wasInterrupted.load(ordering: .relaxed) }

    /// Says what to do; that is done at once if the interrupt has come already.
    func onInterrupt(_ action: @escaping @Sendable () -> Void) {
        state.action.withLock { $0 = action }
        if wasInterrupted { action() }
    }

    /// Lets signals in that the program that started this one had blocked.
    private static func unblock(_ numbers: Int32...) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
