import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT and SIGTERM into a cancellation, so that nothing is left half written; a second one kills.
final class Interrupts {
    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    private let flag = Flag()
    private var sources: [any DispatchSourceSignal] = []

    init(onInterrupt: @escaping @Sendable () -> Void) {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [flag] in
                if flag.value.exchange(true, ordering: .relaxed) { _exit(130) }
                onInterrupt()
            }
            source.resume()
            sources.append(source)
        }
    }

    var wasInterrupted: Bool { flag.value.load(ordering: .relaxed) }
}
