import AlcedoLocks
import Dispatch
import Foundation

/// A few threads for work that keeps a core busy, as decoding and processing do, or that waits for a disk.
///
/// Neither the main thread nor the cooperative pool waits in a C codec. Work starts in the order in which it
/// comes; it waits in a queue of any length while all threads are busy.
final class WorkerPool: Sendable {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var first = 0
        var sleeping = 0
        var waking = 0

        /// Whether a thread should be woken: one at a time, for each wakes the next while work is left.
        var wakesAnother: Bool { first < queue.count && sleeping > waking && waking == 0 }

        mutating func takeFirst() -> (@Sendable () -> Void)? {
            guard first < queue.count else { return nil }
            let block = queue[first]
            queue[first] = {}
            first += 1
            if first == queue.count || first == 1024 {
                queue.removeFirst(first)
                first = 0
            }
            return block
        }
    }

    /// As many threads as the machine has cores, and no fewer than two.
    static let shared = WorkerPool(threads: max(2, ProcessInfo.processInfo.activeProcessorCount))

    private let state = Lock(State())
    private let wake = DispatchSemaphore(value: 0)

    init(threads: Int, name: String = "alcedo-cpu") {
        for number in 1...threads {
            let thread = Thread { [self] in
                // A name that is set before the thread runs is lost on Linux.
                Thread.current.name = "\(name)-\(number)"
                work()
            }
            thread.stackSize = 2 << 20
            thread.start()
        }
    }

    /// Runs `block` on one of the threads.
    func submit(_ block: @Sendable @escaping () -> Void) {
        wakeAnother { $0.queue.append(block) }
    }

    private func work() -> Never {
        var wasAsleep = false
        while true {
            var block: (@Sendable () -> Void)?
            wakeAnother { state in
                if wasAsleep {
                    state.sleeping -= 1
                    state.waking -= 1
                }
                block = state.takeFirst()
                if block == nil { state.sleeping += 1 }
            }
            wasAsleep = block == nil
            if let block { block() } else { wake.wait() }
        }
    }

    /// Changes the state and wakes a thread if there is work for one; the system call is made outside the lock.
    private func wakeAnother(after change: (inout State) -> Void) {
        let wakes = state.withLock { state in
            change(&state)
            guard state.wakesAnother else { return false }
            state.waking += 1
            return true
        }
        if wakes { wake.signal() }
    }
}
