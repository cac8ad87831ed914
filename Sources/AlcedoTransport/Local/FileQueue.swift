import AlcedoLocks
package import Dispatch

/// Runs reads, which a file system may hang up, and isolates those that hang.
///
/// - The reads of a volume, which is a name of the caller's choice, run on up to four threads, in order; volumes are served
///   round robin. So a volume that hangs takes four threads only.
/// - A read that exceeds its limits fails. Its thread goes on waiting, and drops what it gets in the end.
/// - While four reads of a volume have waited for as long as another one may, that one fails at once. Reads start again as soon
///   as one of the four returns.
/// - A read without progress for some intervals is late: it no longer counts as one of the 32 that run at a time. There are
///   up to `mostThreads` threads; if all are late, all reads fail at once.
/// - The receiver of a result may block its thread, which is no stall. Once it is late, its volume gets another thread.
package final class FileQueue: Sendable {
    /// Runs a check one interval later.
    package typealias Schedule = @Sendable (_ check: @escaping @Sendable () -> Void) -> Void

    /// A read, which ends once: with a result, by a limit, or when it is cancelled.
    package final class Job: Sendable {
        /// Reads, and returns the call of the receiver.
        fileprivate typealias Run = @Sendable (Reading) -> @Sendable () -> Void

        private struct Work {
            /// Nil once it has started or is over.
            var run: Run?

            /// Nil once it is over.
            var fail: (@Sendable (FileStall) -> Void)?
        }

        fileprivate let volume: String
        fileprivate let limits: FileLimits
        private let work: Lock<Work>
        private let queue: FileQueue

        fileprivate init(
            in volume: String, _ limits: FileLimits, of queue: FileQueue, run: @escaping Run,
            fail: @escaping @Sendable (FileStall) -> Void
        ) {
            (self.volume, self.limits, self.queue) = (volume, limits, queue)
            work = Lock(Work(run: run, fail: fail))
        }

        var isOver: Bool { work.withLock { $0.fail == nil } }

        /// What to run, once; nil if it is over.
        fileprivate func start() -> Run? { work.withLock { $0.run.take() } }

        /// Ends it; false if it is over.
        fileprivate func end() -> Bool { takeFailure() != nil }

        /// Fails on another thread, unless it is over.
        fileprivate func fail(_ stall: FileStall) {
            guard let fail = takeFailure() else { return }
            DispatchQueue.global().async { fail(stall) }
        }

        /// Ends it without a result, which nobody gets any more.
        package func cancel() { if end() { queue.remove(self) } }

        private func takeFailure() -> (@Sendable (FileStall) -> Void)? {
            // What `run` has captured is released after the lock.
            let (run, fail) = work.withLock { ($0.run.take(), $0.fail.take()) }
            return withExtendedLifetime(run) { fail }
        }
    }

    /// A read's side of its queue, on the thread that reads.
    package struct Reading: Sendable {
        fileprivate let queue: FileQueue
        fileprivate let job: Job
        fileprivate let thread: Int
        package var isOver: Bool { job.isOver }

        /// The file system has responded; the limit without progress starts anew, and can be another one.
        package func progress(stall: Int? = nil) {
            queue.state.withLock { $0.touch(thread, isCalling: false, stall: stall) }
        }

        /// Calls code that may block for other reasons than the file system.
        package func calling<Result>(_ body: () -> Result) -> Result {
            queue.state.withLock { $0.touch(thread, isCalling: true) }
            defer { queue.state.withLock { $0.touch(thread, isCalling: false) } }
            return body()
        }
    }

    /// For files of the program's, whatever reads them.
    package static let files = FileQueue(label: "alcedo.files", mostThreads: 64)

    package static let everySecond: Schedule = {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1, execute: $0)
    }

    private let state: Lock<State>
    private let schedule: Schedule

    /// A queue with up to `width` threads a volume, and `mostThreads` if reads or receivers hang.
    ///
    /// A read is late after so many intervals; one is a second by default.
    package init(
        label: String, width: Int = 4, mostThreads: Int, late: Int = 5,
        schedule: @escaping Schedule = FileQueue.everySecond
    ) {
        state = Lock(State(label: label, width: width, mostThreads: mostThreads, late: late))
        self.schedule = schedule
    }

    /// The threads so far; at least as many as a volume may have.
    package var queues: [DispatchQueue] { state.withLock { $0.threads.map(\.queue) } }

    package var pendingCount: Int { state.withLock { $0.volumes.values.reduce(0) { $0 + $1.waitingCount } } }

    /// Runs `body` on a thread of the volume's, and calls there what it returns, or `fail` elsewhere.
    ///
    /// Not generic: other modules' generic calls are not specialised, and take 1,400 instructions more.
    @discardableResult
    package func run(
        in volume: String, limits: FileLimits,
        _ body: @escaping @Sendable (Reading) -> @Sendable () -> Void,
        fail: @escaping @Sendable (FileStall) -> Void
    ) -> Job {
        let job = Job(in: volume, limits, of: self, run: body, fail: fail)
        let (isFutile, start, startsCheck) = state.withLock { state -> (Bool, Start?, Bool) in
            if state.isFutile(limits, in: volume) { return (true, nil, false) }
            state.update(volume) { $0.pending.append(job) }
            return (false, state.startThread(), !exchange(&state.isChecking, with: true))
        }
        if isFutile { job.fail(FileStall(intervals: limits.stall, isTotal: false)) }
        if let start { work(start) }
        if startsCheck { scheduleCheck() }
        return job
    }

    /// Runs a block that waits for no file system on a thread, one of four at a time that don't block.
    package func async(_ block: @escaping @Sendable () -> Void) {
        run(in: "", limits: FileLimits(stall: 0)) { _ in
            block
        } fail: { _ in
            block()
        }
    }

    private func work(_ start: Start) {
        start.queue.async { [self] in
            var next: Job? = start.job
            while let job = next {
                perform(job, on: start.thread)
                next = state.withLock { state in
                    state.end(start.thread)
                    return state.take(for: start.thread)
                }
            }
        }
    }

    private func perform(_ job: Job, on thread: Int) {
        guard let run = job.start() else { return }
        let deliver = run(Reading(queue: self, job: job, thread: thread))
        // A late result is released here, which may close its file and hang again.
        guard job.end() else { return }
        state.withLock { $0.touch(thread, isCalling: true) }
        deliver()
    }

    /// Removes a cancelled read that has not started, now or with others.
    private func remove(_ job: Job) {
        // Released after the lock.
        let removed = state.withLock { state -> [Job] in
            var removed: [Job] = []
            state.update(job.volume) { removed = $0.countCancelled() }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    // MARK: - Stalls

    private func scheduleCheck() { schedule { [weak self] in self?.check() } }

    private func check() {
        let (failed, starts, isChecking) = state.withLock { state in
            let failed = state.endInterval()
            var starts: [Start] = []
            while let start = state.startThread() { starts.append(start) }
            state.isChecking = !state.volumes.isEmpty || state.threads.contains { $0.run != nil }
            return (failed, starts, state.isChecking)
        }
        for (job, stall) in failed { job.fail(stall) }
        for start in starts { work(start) }
        if isChecking { scheduleCheck() }
    }
}

// MARK: - State

extension FileQueue {
    fileprivate struct Volume {
        var pending = FIFOQueue<Job>()

        /// Reads that were cancelled since `pending` was last rid of them; some may have left it by themselves.
        private var cancelled = 0

        /// Its threads, without those that a receiver blocks.
        var occupied = 0
        var isReady = false

        /// The reads that wait for a thread.
        var waitingCount: Int { pending.queued.reduce(0) { $0 + ($1.isOver ? 0 : 1) } }

        /// Removes the cancelled reads once they may be most of `pending`: one at a time, each would be a walk through all.
        mutating func countCancelled() -> [Job] {
            cancelled += 1
            guard cancelled > pending.count / 2 else { return [] }
            cancelled = 0
            return pending.removeAll(where: \.isOver)
        }
    }

    /// A read that an idle thread starts with.
    fileprivate struct Start {
        let thread: Int
        let queue: DispatchQueue
        let job: Job
    }

    fileprivate struct Run {
        let job: Job
        let start: Int
        var stall: Int

        /// The interval of the last progress.
        var since: Int
        var isCalling = false
        var isLate = false

        /// Whether it is late because of a receiver, and so not one of its volume's threads.
        var isDetached = false
        var hasFailed = false
    }

    fileprivate struct Thread {
        let queue: DispatchQueue
        var run: Run?
    }

    fileprivate struct State {
        private let label: String
        private let width: Int
        private let mostBusy: Int
        private let mostThreads: Int
        private let late: Int

        private(set) var threads: [Thread]
        private(set) var volumes: [String: Volume] = [:]

        /// Volumes with a read that may start, in turn.
        private var ready = FIFOQueue<String>()

        /// Threads with a read that is not late.
        private var busy = 0
        private var interval = 0
        var isChecking = false

        init(label: String, width: Int, mostThreads: Int, late: Int) {
            (self.label, self.width, self.late) = (label, width, late)
            (mostBusy, self.mostThreads) = (max(32, width), max(mostThreads, width))
            threads = (0..<width).map { Thread(queue: DispatchQueue(label: "\(label).\($0)")) }
        }

        /// Changes a volume, and notes whether it has a read that may start.
        mutating func update(_ name: String, _ change: (inout Volume) -> Void) {
            change(&volumes[name, default: Volume()])
            guard let volume = volumes[name], !volume.isReady else { return }
            if volume.pending.isEmpty {
                if volume.occupied == 0 { volumes[name] = nil }
            } else if volume.occupied < width {
                volumes[name]?.isReady = true
                ready.append(name)
            }
        }

        // MARK: Threads

        /// Gives a read to an idle thread, or to a new one; nil if there is none of either.
        mutating func startThread() -> Start? {
            guard busy < mostBusy, !ready.isEmpty else { return nil }
            var index = threads.firstIndex { $0.run == nil }
            if index == nil, threads.count < mostThreads {
                index = threads.count
                threads.append(Thread(queue: DispatchQueue(label: "\(label).\(threads.count)")))
            }
            guard let index, let job = take(for: index) else { return nil }
            return Start(thread: index, queue: threads[index].queue, job: job)
        }

        /// The next read, which the thread runs from now on.
        mutating func take(for thread: Int) -> Job? {
            while busy < mostBusy, let name = ready.popFirst() {
                var next: Job?
                update(name) { [width] volume in
                    volume.isReady = false
                    guard volume.occupied < width else { return }
                    next = volume.pending.popFirst()
                    if next != nil { volume.occupied += 1 }
                }
                guard let next else { continue }
                busy += 1
                threads[thread].run = Run(
                    job: next, start: interval, stall: next.limits.stall, since: interval)
                return next
            }
            return nil
        }

        mutating func end(_ thread: Int) {
            guard let run = threads[thread].run.take() else { return }
            if !run.isLate { busy -= 1 }
            if !run.isDetached { update(run.job.volume) { $0.occupied -= 1 } }
        }

        /// Notes progress: a read that was late counts again.
        mutating func touch(_ thread: Int, isCalling: Bool, stall: Int? = nil) {
            guard var run = threads[thread].run else { return }
            if run.isLate { busy += 1 }
            if run.isDetached { update(run.job.volume) { $0.occupied += 1 } }
            (run.isLate, run.isDetached) = (false, false)
            (run.since, run.isCalling, run.stall) = (interval, isCalling, stall ?? run.stall)
            threads[thread].run = run
        }

        // MARK: Intervals

        private func wait(of run: Run) -> Int { interval - 1 - run.since }

        /// Whether as many reads as may run at a time have waited as long as one with these limits may.
        func isFutile(_ limits: FileLimits, in volume: String) -> Bool {
            guard limits.stall > 0, threads.count >= mostThreads || volumes[volume]?.occupied ?? 0 >= width
            else { return false }
            return futileWait(in: volume) >= limits.stall
        }

        /// For how long the reads on all threads of a volume, or on all threads, have waited.
        private func futileWait(in volume: String) -> Int {
            let runs = threads.compactMap(\.run).filter {
                // One that is within its own limit may be slow.
                !$0.isCalling && ($0.stall == 0 || wait(of: $0) >= $0.stall)
            }
            let inVolume = runs.filter { $0.job.volume == volume }.map(wait).sorted(by: >)
            let volumeWait = inVolume.dropFirst(width - 1).first ?? 0
            return runs.count < mostThreads ? volumeWait : max(volumeWait, runs.map(wait).min() ?? 0)
        }

        /// Returns what exceeds its limits now.
        mutating func endInterval() -> [(job: Job, stall: FileStall)] {
            interval += 1
            var failed: [(job: Job, stall: FileStall)] = []
            for index in threads.indices {
                guard let run = threads[index].run else { continue }
                if wait(of: run) >= late { setLate(index) }
                guard !run.hasFailed, let stall = stall(of: run) else { continue }
                threads[index].run?.hasFailed = true
                failed.append((run.job, stall))
            }
            for (name, volume) in volumes where !volume.pending.isEmpty {
                let wait = futileWait(in: name)
                guard wait > 0 else { continue }
                update(name) { volume in
                    let futile = volume.pending.removeAll { 1...wait ~= $0.limits.stall }
                    failed += futile.map { ($0, FileStall(intervals: $0.limits.stall, isTotal: false)) }
                }
            }
            return failed
        }

        private func stall(of run: Run) -> FileStall? {
            let total = run.job.limits.total
            if total > 0, interval - 1 - run.start >= total {
                return FileStall(intervals: total, isTotal: true)
            }
            guard !run.isCalling, run.stall > 0, wait(of: run) >= run.stall else { return nil }
            return FileStall(intervals: run.stall, isTotal: false)
        }

        private mutating func setLate(_ thread: Int) {
            guard var run = threads[thread].run else { return }
            if !run.isLate { busy -= 1 }
            run.isLate = true
            if run.isCalling, !run.isDetached {
                run.isDetached = true
                update(run.job.volume) { $0.occupied -= 1 }
            }
            threads[thread].run = run
        }
    }
}
