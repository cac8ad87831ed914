import AlcedoLocks
package import Dispatch
package import Foundation

/// A store that a ``DiskWriteQueue`` writes.
package protocol QueuedStore: AnyObject, Sendable {
    /// The bytes that it was admitted with.
    var byteCount: Int { get }

    /// Bytes of its value.
    var dataCount: Int { get }

    var isFinished: Bool { get }

    /// Ends the backpressure on downloads.
    func releaseReservation()

    /// Fails the store, which its job then does not write.
    func fail(_ error: DiskStallError)
}

/// Runs the changes of one disk cache in call order, one job at a time.
///
/// Stores that wait for a working disk count in the downloader's backpressure. Stores of loads that are no downloads are
/// rejected beyond ``optionalSizeLimit``. If a job stalls, backpressure ends and stores beyond ``sizeLimit`` fail: images
/// are delivered but not stored. Whoever waits for the other jobs gets an error; they run once the disk responds.
package final class DiskWriteQueue: Sendable {
    /// `prepare` blocks until the input is ready, `run` changes the disk.
    package struct Job: Sendable {
        var prepare: (@Sendable () -> Void)?
        var store: (any QueuedStore)?

        /// Whether a flush that misses it has missed something.
        var isChange = true

        /// Ends the wait for this job, once or again: the disk hangs, and the job runs later.
        var stall: (@Sendable (DiskStallError) -> Void)?
        let run: @Sendable () -> Void

        package init(
            prepare: (@Sendable () -> Void)? = nil, store: (any QueuedStore)? = nil, isChange: Bool = true,
            stall: (@Sendable (DiskStallError) -> Void)? = nil, run: @escaping @Sendable () -> Void
        ) {
            (self.prepare, self.store, self.isChange) = (prepare, store, isChange)
            (self.stall, self.run) = (stall, run)
        }
    }

    package enum Admission: Equatable {
        case rejected(DiskStallError)
        case admitted
        /// The disk works, so the bytes count in the downloader's backpressure.
        case admittedWithBackpressure
    }

    private struct State {
        var jobs = FIFOQueue<Job>()
        var isDraining = false
        var running: Job?
        /// The tick at which the running job started to use the disk.
        var startTick: Int?
        var tick = 0
        /// What the progress was at the last check.
        var steps = 0
        var isChecking = false
        var isStalled = false

        /// Bytes of all stores in the queue.
        var byteCount = 0

        /// Stores that have failed.
        var failures = 0

        /// All jobs in the queue, oldest first.
        var unfinished: [Job] { [running].compactMap { $0 } + jobs.queued }

    }

    /// Largest sum of all stores' bytes while the disk is stalled.
    static let sizeLimit = 32 << 20

    /// Largest sum with which an optional store is admitted; twice the backpressure's limit.
    static let optionalSizeLimit = 64 << 20

    /// Most changes with which an optional store is admitted while the disk is stalled: each takes memory, also one that has failed.
    static let optionalCountLimit = 10_000

    let queue = DispatchQueue(label: "alcedo.cache.writing")
    private let isOnQueue = DispatchSpecificKey<Bool>()
    private let progress = DiskProgress()
    private let state = Lock(State())
    private let stallCheck: DiskStallCheck

    package init(stallCheck: DiskStallCheck) {
        self.stallCheck = stallCheck
        queue.setSpecific(key: isOnQueue, value: true)
        queue.setSpecific(key: DiskProgress.key, value: progress)
    }

    package func append(_ job: Job) {
        let (startsDraining, startsCheck) = state.withLock { state in
            state.jobs.append(job)
            return (!exchange(&state.isDraining, with: true), !exchange(&state.isChecking, with: true))
        }
        if startsDraining { queue.async { [self] in drain() } }
        if startsCheck { scheduleCheck() }
    }

    /// Appends a job that changes nothing and blocks for the disk only.
    package func append(
        stall: (@Sendable (DiskStallError) -> Void)? = nil, _ run: @escaping @Sendable () -> Void
    ) {
        append(Job(isChange: false, stall: stall, run: run))
    }

    /// The moment until which callers wait for the disk: two intervals of the stall check from now.
    package var deadline: DispatchTime { .now() + .seconds(2 * stallCheck.error.seconds) }

    /// Blocks until all present jobs have run; false after `deadline`.
    package func flush(until deadline: DispatchTime) -> Bool {
        // A job of this queue that waited for the queue would never end.
        guard DispatchQueue.getSpecific(key: isOnQueue) == nil else {
            drain()
            return true
        }
        let isDone = DispatchSemaphore(value: 0)
        append { isDone.signal() }
        return isDone.wait(timeout: deadline) == .success
    }

    /// Calls `then` once: when all present jobs and stores have run, or after `seconds`.
    ///
    /// `append` queues a job after the stores that are not queued yet, and `unqueued` counts those; nil if there are none.
    package func flush(
        within seconds: TimeInterval, after append: ((@escaping @Sendable () -> Void) -> Void)? = nil,
        unqueued: @escaping @Sendable () -> Int = { 0 },
        then: @escaping @Sendable (Result<Void, CacheFlushError>) -> Void
    ) {
        let failuresBefore = failures
        let result = OnceCallback(then)
        let end: @Sendable (Int, Int) -> Void = { [self] count, bytes in
            let failed = failures - failuresBefore
            guard count + failed > 0 else { return result.call(.success(())) }
            result.call(
                .failure(CacheFlushError(pendingCount: count, pendingBytes: bytes, failedCount: failed)))
        }
        let last: @Sendable () -> Void = { end(0, 0) }
        if let append { append(last) } else { self.append(last) }
        after(seconds) { [self] in
            let (count, bytes) = pending
            end(count + unqueued(), bytes)
        }
    }

    private func drain() {
        while let job = next() {
            // An input that comes late is no stall of the disk.
            job.prepare?()
            state.withLock { $0.startTick = $0.tick }
            job.run()
            state.withLock { state in
                (state.running, state.startTick, state.isStalled) = (nil, nil, false)
            }
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            state.running = state.jobs.popFirst()
            state.isDraining = state.running != nil
            return state.running
        }
    }

    /// Whether the disk has made no progress between two checks.
    package var isStalled: Bool { state.withLock { $0.isStalled } }

    // MARK: - Admission

    /// Counts a store's bytes, or rejects them.
    package func admit(_ bytes: Int, isOptional: Bool) -> Admission {
        state.withLock { state in
            let sum = state.byteCount + bytes
            if state.isStalled, sum > Self.sizeLimit { return .rejected(stallCheck.error) }
            if isOptional, sum > Self.optionalSizeLimit { return .rejected(DiskStallError(waiting: sum)) }
            state.byteCount = sum
            return state.isStalled ? .admitted : .admittedWithBackpressure
        }
    }

    /// The error of an optional store of so many bytes, before it is staged; nil if it would be admitted.
    package func rejection(ofOptional bytes: Int) -> DiskStallError? {
        let (byteCount, isFull) = state.withLock { state in
            (state.byteCount, state.isStalled && state.jobs.count >= Self.optionalCountLimit)
        }
        if isFull { return stallCheck.error }
        let sum = byteCount + bytes
        return sum > Self.optionalSizeLimit ? DiskStallError(waiting: sum) : nil
    }

    /// Subtracts the bytes of a store that has ended.
    package func release(_ bytes: Int, hasFailed: Bool = false) {
        state.withLock { state in
            state.byteCount -= bytes
            if hasFailed { state.failures += 1 }
        }
    }

    /// How many stores have failed so far.
    package var failures: Int { state.withLock { $0.failures } }

    /// The changes in the queue, and the stores' bytes.
    package var pending: (count: Int, bytes: Int) {
        let changes = state.withLock { $0.unfinished }.filter { $0.isChange && $0.store?.isFinished != true }
        return (changes.count, changes.reduce(0) { $0 + ($1.store?.dataCount ?? 0) })
    }

    /// The number of changes that have not been written, and the bytes of the stores among them.
    package var queued: (count: Int, bytes: Int) {
        state.withLock { ($0.jobs.count + ($0.running == nil ? 0 : 1), $0.byteCount) }
    }

    // MARK: - Stalls

    private func scheduleCheck() {
        stallCheck.schedule { [weak self] in self?.check() }
    }

    private func check() {
        let (jobs, isChecking) = state.withLock { state in
            let steps = progress.steps
            // A job that goes through many files is none that hangs.
            state.isStalled = (state.startTick.map { $0 < state.tick } ?? false) && steps == state.steps
            state.steps = steps
            state.tick += 1
            state.isChecking = state.isDraining
            return (state.isStalled ? state.unfinished : [], state.isChecking)
        }
        // First, because the completion handlers of failed stores may block.
        if isChecking { scheduleCheck() }
        var kept = 0
        for store in jobs.compactMap(\.store) {
            store.releaseReservation()
            kept += store.byteCount
            if kept > Self.sizeLimit { store.fail(stallCheck.error) }
        }
        for job in jobs { job.stall?(stallCheck.error) }
    }
}
