import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT and SIGTERM into a cancellation, so that nothing is left half written; a second one kills.
final class Interrupts: Sendable {
    private let interrupted = Atomic(false)
    private let sources: [any DispatchSourceSignal]

    init(onInterrupt: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for source in sources {
            source.setEventHandler { [weak self] in
                if self?.interrupted.exchange(true, ordering: .relaxed) == true { _exit(130) }
                onInterrupt()
            }
            source.resume()
        }
    }

    var wasInterrupted: Bool { interrupted.load(ordering: .relaxed) }
}
