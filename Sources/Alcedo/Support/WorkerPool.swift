import Foundation

/// A few threads for work that keeps a core busy, as decoding and processing do, or that waits for a disk.
///
/// Neither the main thread nor the cooperative pool waits in a C codec. Work starts in the order in which it
/// comes; it waits in a queue of any length while all threads are busy.
///
/// Safe because `waiting`, `next` and `idleThreads` are only touched between `condition.lock` and `unlock`.
final class WorkerPool: @unchecked Sendable {
    /// As many threads as the machine has cores, and no fewer than two.
    static let shared = WorkerPool(threads: max(2, ProcessInfo.processInfo.activeProcessorCount))

    private let condition = NSCondition()
    private var waiting: [@Sendable () -> Void] = []
    private var next = 0
    private var idleThreads = 0

    init(threads: Int, name: String = "alcedo-cpu") {
        for number in 1...threads {
            let thread = Thread { [self] in work() }
            thread.name = "\(name)-\(number)"
            thread.stackSize = 2 << 20
            thread.start()
        }
    }

    /// Runs `block` on one of the threads.
    func submit(_ block: @Sendable @escaping () -> Void) {
        condition.lock()
        waiting.append(block)
        if idleThreads > 0 { condition.signal() }
        condition.unlock()
    }

    private func work() -> Never {
        while true { take()() }
    }

    private func take() -> @Sendable () -> Void {
        condition.lock()
        defer { condition.unlock() }
        while next == waiting.count {
            idleThreads += 1
            condition.wait()
            idleThreads -= 1
        }
        let block = waiting[next]
        waiting[next] = {}
        next += 1
        if next == waiting.count || next > 1024 {
            waiting.removeFirst(next)
            next = 0
        }
        return block
    }
}
