import Dispatch
import Foundation

/// Threads for work that occupies a core, such as decoding and processing.
///
/// Nothing that waits for a file system runs here: one that hangs would take the threads of all images.
/// Keeps C codecs off the main thread and the cooperative pool. Queued blocks run by priority, then in order of submission;
/// the queue is unbounded. A thread that the system does not start is tried again with each block.
package final class WorkerPool: Sendable {
    package struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private final class Job: Ranked {
        let block: @Sendable () -> Void
        var rank: Rank
        var heapIndex: Int?

        init(_ block: @escaping @Sendable () -> Void, rank: Rank) {
            self.block = block
            self.rank = rank
        }
    }

    private struct State {
        var queue = PriorityHeap<Job>()
        var jobs: [UInt64: Job] = [:]
        var submitted: UInt64 = 0
        var sleeping = 0
        var waking = 0

        /// Whether the threads yield to others; each lowers its priority before its next block.
        var yields = false

        /// Whether to wake a thread: one at a time, because each wakes the next while blocks are queued.
        private var wakesAnother: Bool { !queue.isEmpty && sleeping > waking && waking == 0 }

        /// Counts a thread as waking, if one is to be woken.
        mutating func wake() -> Bool {
            guard wakesAnother else { return false }
            waking += 1
            return true
        }

        mutating func append(_ block: @escaping @Sendable () -> Void, priority: Float) -> UInt64 {
            submitted += 1
            let job = Job(block, rank: Rank(priority: priority, sequence: submitted))
            jobs[submitted] = job
            queue.insert(job)
            return submitted
        }

        mutating func dequeue() -> (@Sendable () -> Void)? {
            guard let job = queue.first else { return nil }
            queue.remove(job)
            jobs[job.rank.sequence] = nil
            return job.block
        }
    }

    /// A thread more than there are cores for the process, so that they are busy while one waits for a worker process.
    package static let shared = WorkerPool(threads: ProcessorCount.usable + 1)

    package let threadCount: Int
    private let state = Lock(State())
    private let wake = DispatchSemaphore(value: 0)
    private let crew: ThreadCrew

    init(
        threads: Int, name: String = "alcedo-cpu",
        start: @escaping ThreadCrew.Start = { DetachedThread.start($0, stackSize: 2 << 20, $1) }
    ) {
        threadCount = threads
        crew = ThreadCrew(of: threads, name: name, start: start)
        startThreads()
    }

    /// Starts the threads that the system did not start before; returns 0 if there is one, or else its error.
    @discardableResult
    package func startThreads() -> Int32 { crew.fill { [self] in work() } }

    /// Runs `block` on one of the threads; `priority` is from 0 to 1.
    ///
    /// While there is no thread, the block waits for a later call that can start one; see ``startThreads()``.
    @discardableResult
    package func submit(priority: Float = 0.5, _ block: @Sendable @escaping () -> Void) -> Ticket {
        startThreads()
        let (number, wakes) = state.withLock { state in
            (state.append(block, priority: priority), state.wake())
        }
        if wakes { wake.signal() }
        return Ticket(number: number)
    }

    /// Runs the end of a read on one of the threads; the read's thread waits for it, so that no more is read than is used.
    package func finish<Value, Failure: Error>(
        _ read: Result<Value, Failure>, _ block: @Sendable @escaping () -> Void
    ) {
        // An error comes on a thread of Dispatch's, and holds nothing.
        guard case .success = read else {
            submit(block)
            return
        }
        let hasEnded = DispatchSemaphore(value: 0)
        submit {
            block()
            hasEnded.signal()
        }
        hasEnded.wait()
    }

    /// Lets a main loop run first when cores are short, from now on.
    package static func yieldToMainLoop() { shared.yieldToOthers() }

    /// Lowers the scheduling priority of the threads, which cannot be raised again without privileges.
    func yieldToOthers() { state.withLock { $0.yields = true } }

    package var queuedCount: Int { state.withLock { $0.jobs.count } }

    package func reorder(_ ticket: Ticket, priority: Float) {
        state.withLock { state in
            guard let job = state.jobs[ticket.number] else { return }
            job.rank = Rank(priority: priority, sequence: ticket.number)
            state.queue.update(job)
        }
    }

    private func work() -> Never {
        var wasAsleep = false
        var hasYielded = false
        while true {
            let (block, wakes, yields) = state.withLock { [wasAsleep] state in
                if wasAsleep {
                    state.sleeping -= 1
                    state.waking -= 1
                }
                let block = state.dequeue()
                if block == nil { state.sleeping += 1 }
                return (block, state.wake(), state.yields)
            }
            // After the lock, because it is a system call.
            if wakes { wake.signal() }
            wasAsleep = block == nil
            if yields, !hasYielded {
                hasYielded = true
                // Of the calling thread, on Linux.
                nice(5)
            }
            if let block { block() } else { wake.wait() }
        }
    }
}
