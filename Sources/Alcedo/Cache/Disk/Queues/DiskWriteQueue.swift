import AlcedoLocks
import AlcedoTransport
import Dispatch

/// Runs what changes a cache's disk, one job after another in the order of the calls.
///
/// While the disk works, what waits for it counts in the downloader's backlog, which holds downloads back. Loads that are no
/// downloads, and are quicker than the disk, do without the disk cache beyond ``optionalSizeLimit``. When a job hangs, the
/// backlog is released, and all stores beyond ``sizeLimit`` fail at once: images are delivered, but not kept.
final class DiskWriteQueue: Sendable {
    /// A job: `prepare` blocks until its input is there, `run` changes the disk.
    struct Job: Sendable {
        var prepare: (@Sendable () -> Void)?
        var store: StagedStore?
        let run: @Sendable () -> Void
    }

    private struct State {
        var jobs = FIFOQueue<Job>()
        var isDraining = false
        var running: Job?
        /// When the running job began to use the disk.
        var startTick: Int?
        var tick = 0
        var isChecking = false
        var isStalled = false

        /// Bytes of all stores that have not landed.
        var byteCount = 0

        /// Stores that run or wait, the oldest first.
        var stores: [StagedStore] { [running].compactMap { $0?.store } + jobs.waiting.compactMap(\.store) }
    }

    /// The most bytes that stores keep while the disk is stalled.
    static let sizeLimit = 32 << 20

    /// From so many bytes on that wait for a disk that works, loads do without it; twice of what holds downloads back.
    static let optionalSizeLimit = 64 << 20

    let queue = DispatchQueue(label: "alcedo.cache.writing")
    private let isOnQueue = DispatchSpecificKey<Bool>()
    private let state = Lock(State())
    private let stallCheck: DiskStallCheck

    init(stallCheck: DiskStallCheck) {
        self.stallCheck = stallCheck
        queue.setSpecific(key: isOnQueue, value: true)
    }

    /// Adds a job to the end.
    func append(_ job: Job) {
        let (startsDraining, startsCheck) = state.withLock { state in
            state.jobs.append(job)
            defer {
                state.isDraining = true
                state.isChecking = true
            }
            return (!state.isDraining, !state.isChecking)
        }
        if startsDraining { queue.async { [self] in drain() } }
        if startsCheck { scheduleCheck() }
    }

    /// Adds a job that blocks for nothing but the disk.
    func append(_ run: @escaping @Sendable () -> Void) { append(Job(run: run)) }

    /// Blocks until all jobs have run that are in the queue now.
    ///
    /// - Returns: false if that takes longer than a stall may.
    func flush() -> Bool {
        guard DispatchQueue.getSpecific(key: isOnQueue) == nil else {
            while runNext() {}
            return true
        }
        let isDone = DispatchSemaphore(value: 0)
        append { isDone.signal() }
        return isDone.wait(timeout: .now() + .seconds(2 * stallCheck.error.seconds)) == .success
    }

    private func drain() {
        while runNext() {}
    }

    private func runNext() -> Bool {
        let job = state.withLock { state in
            state.running = state.jobs.popFirst()
            if state.running == nil { state.isDraining = false }
            return state.running
        }
        guard let job else { return false }
        job.prepare?()
        state.withLock { $0.startTick = $0.tick }
        job.run()
        state.withLock { state in
            state.running = nil
            state.startTick = nil
            state.isStalled = false
        }
        return true
    }

    // MARK: - Size

    /// Counts a store's bytes, unless too many wait already.
    func admit(_ bytes: Int, isOptional: Bool) -> Admission {
        state.withLock { state in
            let sum = state.byteCount + bytes
            if state.isStalled, sum > Self.sizeLimit { return .refused(stallCheck.error) }
            if isOptional, sum > Self.optionalSizeLimit { return .refused(DiskStallError(waiting: sum)) }
            state.byteCount = sum
            return state.isStalled ? .admitted : .admittedWithBackpressure
        }
    }

    /// What a load fails to store so many bytes with; nil if there is room.
    func refusal(ofOptional bytes: Int) -> DiskStallError? {
        let sum = state.withLock { $0.byteCount } + bytes
        return sum > Self.optionalSizeLimit ? DiskStallError(waiting: sum) : nil
    }

    enum Admission: Equatable {
        case refused(DiskStallError)
        case admitted
        /// The disk works: downloads should wait for it.
        case admittedWithBackpressure
    }

    /// Counts out a store that has landed or failed.
    func release(_ bytes: Int) { state.withLock { $0.byteCount -= bytes } }

    // MARK: - Stalls

    private func scheduleCheck() {
        stallCheck.schedule { [weak self] in self?.check() }
    }

    private func check() {
        let (stores, goesOn) = state.withLock { state in
            state.isStalled = state.startTick.map { $0 < state.tick } ?? false
            state.tick += 1
            state.isChecking = state.isDraining
            return (state.isStalled ? state.stores : [], state.isChecking)
        }
        // First, for what fails tells its caller, whose code may block.
        if goesOn { scheduleCheck() }
        var kept = 0
        for store in stores {
            store.releaseReservation()
            kept += store.byteCount
            if kept > Self.sizeLimit { store.fail(stallCheck.error) }
        }
    }
}
