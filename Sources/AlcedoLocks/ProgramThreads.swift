import Dispatch
import Foundation
import Synchronization

/// Threads for code of the program, which may block: for blocks, and as the executor of tasks.
///
/// There are as many threads as cores at first. While code is queued, code that has blocked its thread for 10 ms gets the pool
/// another one, up to ``limit``. Code that computes does so after a second only, because more threads than cores would not help
/// it. Idle threads end after 10 s. Queued code starts by priority, then in order of submission.
package final class ProgramThreads: TaskExecutor {
    private final class Job: Ranked {
        enum Code: Sendable {
            case block(@Sendable () -> Void)
            case task(UnownedJob)
        }

        let code: Code
        let rank: Rank
        var heapIndex: Int?

        init(_ code: Code, rank: Rank) { (self.code, self.rank) = (code, rank) }
    }

    private final class Worker: Sendable {
        let wake = DispatchSemaphore(value: 0)
        let jobs = Atomic(0)

        /// The number of its thread in `/proc/self/task`; 0 before that runs, or if it is not known.
        let thread = Atomic(0)

        /// Whether it counts as blocked; changes under the lock of the state.
        let isBlocked = Atomic(false)

        /// The jobs that it had started at the last check, and the checks in which the last one ran.
        private let seen = Lock((jobs: 0, checks: 0))

        /// Whether its code has blocked since the last check; called at each check.
        ///
        /// - Returns: the number of the job that blocks; nil if it does not.
        func blockingJob(_ check: Check) -> Int? {
            let jobs = jobs.load(ordering: .relaxed)
            let checks = seen.withLock { seen in
                seen = (jobs, jobs == seen.jobs ? seen.checks + 1 : 0)
                return seen.checks
            }
            guard jobs > 0, checks > 0 else { return nil }
            let isBlocked =
                checks > check.mostWhileComputing || !check.isRunnable(thread.load(ordering: .relaxed))
            return isBlocked ? jobs : nil
        }
    }

    /// How a check tells code that computes from code that blocks.
    struct Check: Sendable {
        /// The checks after which code that computes counts as code that blocks: those of a second.
        var mostWhileComputing = 100

        /// Whether the thread of this number computes or waits for a core; a processor time would not tell the latter.
        ///
        /// True if that can't be seen, such as without a free descriptor: too few threads for a second are better than many
        /// for code that computes.
        var isRunnable: @Sendable (_ thread: Int) -> Bool = { thread in
            let file = open("/proc/self/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return true }
            defer { close(file) }
            // Such as "1234 (alcedo-data-1) S 1 …".
            var text = [UInt8](repeating: 0, count: 64)
            let count = read(file, &text, text.count)
            guard count > 0, let name = text.lastIndex(of: UInt8(ascii: ")")) else { return true }
            return text.dropFirst(name + 2).first == UInt8(ascii: "R")
        }
    }

    private enum Step { case wake(Worker), startThread, watch, wait }

    private struct State {
        var queue = PriorityHeap<Job>()
        var queued = 0
        var submitted: UInt64 = 0

        /// Those that have a thread, or are about to.
        var workers: [Worker] = []

        /// Those that wait for a job, the last one for the shortest time.
        var idle: [Worker] = []
        var isWatched = false

        /// The workers whose code has blocked at the last check, and has not returned since.
        var blocked = 0

        /// The workers that compute, as far as is known.
        var busy: Int { workers.count - idle.count - blocked }

        mutating func append(_ code: Job.Code, priority: Float) {
            submitted += 1
            queued += 1
            queue.insert(Job(code, rank: Rank(priority: priority, sequence: submitted)))
        }

        private mutating func takeFirst() -> Job? {
            guard let job = queue.first else { return nil }
            queue.remove(job)
            queued -= 1
            return job
        }

        mutating func next(_ worker: Worker) -> Job.Code? {
            if worker.isBlocked.exchange(false, ordering: .relaxed) { blocked -= 1 }
            guard let job = takeFirst() else {
                idle.append(worker)
                return nil
            }
            _ = worker.jobs.add(1, ordering: .relaxed)
            return job.code
        }

        /// Takes all that is queued, the first one first.
        mutating func takeAll() -> [Job] {
            var jobs: [Job] = []
            while let job = takeFirst() { jobs.append(job) }
            return jobs
        }

        /// Ends a worker that is idle; false if it was woken.
        mutating func end(_ worker: Worker) -> Bool {
            guard let index = idle.firstIndex(where: { $0 === worker }) else { return false }
            idle.remove(at: index)
            workers.removeAll { $0 === worker }
            return true
        }
    }

    /// Threads at most: code that hangs for ever must meet a limit (decision 0045).
    let limit: Int
    private let name: String
    private let start: ThreadCrew.Start
    private let idleSeconds: Double
    private let look: Check
    private let state = Lock(State())

    /// The threads that run without a check.
    let initial: Int

    init(
        _ name: String, limit: Int = 64, idleSeconds: Double = 10, check: Check = Check(),
        start: @escaping ThreadCrew.Start = { DetachedThread.start($0, $1) }
    ) {
        (self.name, self.limit, self.idleSeconds, self.start) = (name, limit, idleSeconds, start)
        look = check
        initial = min(limit, max(2, ProcessorCount.usable))
    }

    package convenience init(_ name: String) { self.init(name, limit: 64) }

    var threadCount: Int { state.withLock { $0.workers.count } }

    /// Runs `block` on one of the threads; `priority` is from 0 to 1.
    package func async(priority: Float = 0.5, _ block: @escaping @Sendable () -> Void) {
        submit(.block(block), priority: priority)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        // A task of medium priority is as urgent as a block of 0.5.
        let priority = Float(job.priority.rawValue) / Float(2 * TaskPriority.medium.rawValue)
        submit(.task(UnownedJob(job)), priority: min(1, priority))
    }

    private func submit(_ code: Job.Code, priority: Float) {
        let step = state.withLock { state -> Step in
            state.append(code, priority: priority)
            // Blocked threads don't count: they leave their cores to others.
            if state.busy < initial {
                if let worker = state.idle.popLast() { return .wake(worker) }
                if state.workers.count < limit { return .startThread }
            }
            return startsWatch(&state) ? .watch : .wait
        }
        switch step {
        case .wake(let worker): worker.wake.signal()
        case .startThread: startThread()
        case .watch: watch()
        case .wait: break
        }
    }

    // MARK: - Threads

    /// Starts a thread, unless there are enough.
    ///
    /// If the system starts none, a check tries again; if there is no thread at all, worker threads run what is queued.
    private func startThread() {
        let worker = Worker()
        let name = state.withLock { state -> String? in
            guard state.workers.count < limit else { return nil }
            state.workers.append(worker)
            return "\(self.name)-\(state.workers.count)"
        }
        guard let name, start(name, { [self] in work(worker) }) != 0 else { return }
        let (watches, jobs) = state.withLock { state in
            state.workers.removeAll { $0 === worker }
            let jobs = state.workers.isEmpty ? state.takeAll() : []
            return (startsWatch(&state), jobs)
        }
        if watches { watch() }
        for job in jobs {
            WorkerPool.shared.submit(priority: job.rank.priority) { [self, code = job.code] in run(code) }
        }
    }

    private func work(_ worker: Worker) {
        if let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self") {
            // Such as "1234/task/1235".
            worker.thread.store(
                thread.split(separator: "/").last.flatMap { Int($0) } ?? 0, ordering: .relaxed)
        }
        repeat {
            while let code = state.withLock({ $0.next(worker) }) { run(code) }
        } while isWoken(worker)
    }

    private func run(_ code: Job.Code) {
        switch code {
        case .block(let block): block()
        case .task(let task): task.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Waits for a job; false once the thread is to end.
    private func isWoken(_ worker: Worker) -> Bool {
        if worker.wake.wait(timeout: .now() + idleSeconds) == .success { return true }
        guard !state.withLock({ $0.end(worker) }) else { return false }
        // It was taken from `idle` as the time ran out: the signal that follows must not be left for the next wait.
        worker.wake.wait()
        return true
    }

    // MARK: - Growth

    /// The seconds between two checks.
    private static let interval = 0.01

    /// Not a concurrent queue, whose threads tasks of the program may occupy.
    private static let checks = DispatchQueue(label: "alcedo.program.checks")

    /// Whether to check from now on: there may be more threads.
    private func startsWatch(_ state: inout State) -> Bool {
        guard state.workers.count - state.idle.count < limit, state.queued > 0 else { return false }
        return !exchange(&state.isWatched, with: true)
    }

    private func watch() {
        Self.checks.asyncAfter(deadline: .now() + Self.interval) { [self] in check() }
    }

    /// Gives queued code a thread for each that has blocked since the last check.
    private func check() {
        // Copied, as shared storage must not leave the lock (decision 0009).
        let workers = state.withLock { state in
            state.workers.filter { !$0.isBlocked.load(ordering: .relaxed) }
        }
        // Without the lock, because it reads a file for each thread.
        let blocking = workers.map { $0.blockingJob(look) }
        let (woken, count, goesOn) = state.withLock { state -> ([Worker], Int, Bool) in
            let before = state.blocked
            // Its job may have ended since the copy, and the worker may have become idle or ended.
            for (worker, job) in zip(workers, blocking)
            where job == worker.jobs.load(ordering: .relaxed)
                && state.workers.contains(where: { $0 === worker })
                && !state.idle.contains(where: { $0 === worker })
            {
                if !worker.isBlocked.exchange(true, ordering: .relaxed) { state.blocked += 1 }
            }
            // As many again as have blocked just now, because what is queued is likely to block, too.
            let wanted = min(state.queued, max(0, initial - state.busy) + state.blocked - before)
            var woken: [Worker] = []
            while woken.count < wanted, let worker = state.idle.popLast() { woken.append(worker) }
            let count = min(wanted - woken.count, limit - state.workers.count)
            state.isWatched = state.queued > 0 && state.workers.count - state.idle.count < limit
            return (woken, count, state.isWatched)
        }
        for worker in woken { worker.wake.signal() }
        for _ in 0..<max(0, count) { startThread() }
        if goesOn { watch() }
    }
}

// MARK: - The program's code

/// Each kind has threads of its own, so that code of one kind that never returns stops no other kind.
extension ProgramThreads {
    package static let providers = ProgramThreads("alcedo-data")

    /// What starts a download: loaders and request modifiers; and retry strategies.
    package static let starts = ProgramThreads("alcedo-start")

    /// The redirect handlers of options.
    package static let decisions = ProgramThreads("alcedo-reply")

    package static let interceptors = ProgramThreads("alcedo-pass")

    /// Cache serializers, image modifiers, and AlamofireImage's serializers and caches.
    package static let images = ProgramThreads("alcedo-image")

    package static let stores = ProgramThreads("alcedo-store")
}
