import AlcedoLocks
package import AlcedoPixels
import Dispatch
import Glibc

/// The workers of one helper program.
///
/// One more than the program may use cores work at a time; further requests wait. The first request starts the first worker, and
/// as long as there may be more, one is started ahead. A worker is replaced after a thousand images and after any failure
/// of its own, and ends when there was nothing to do for a minute.
package final class DecoderPool: Sendable {
    let quarantine = Quarantine()

    /// The reason of a missing helper program.
    static let absence = "its helper program is not installed"

    private let limit: Int
    private let launch: @Sendable () -> Worker.Launch?
    let state = Lock(State())

    /// A pool that has not started anything.
    ///
    /// - Parameters:
    ///   - limit: the most workers.
    ///   - launch: how to start one; nil where the helper is not installed.
    init(limit: Int, launch: @escaping @Sendable () -> Worker.Launch?) {
        self.limit = limit
        self.launch = launch
    }

    /// Whether there is a helper program.
    var isInstalled: Bool { launch() != nil }

    /// How far workers are restricted; nil until one has been started.
    package var level: SandboxLevel? { state.withLock { $0.foundLevel } }

    /// Processes that there are.
    var workerCount: Int { state.withLock { $0.count } }

    /// A number for an animation that no other one of this pool has.
    func newSession() -> Int {
        state.withLock { state in
            state.sessions += 1
            return state.sessions
        }
    }

    // MARK: - Giving out workers

    /// The most requests that wait for a worker.
    private static let longestQueue = 1000

    private enum Step { case worker(Worker), start, wait(Waiter), gone, refuse }

    /// Waits for a free worker; for `wanted` only, if it is set.
    ///
    /// - Returns: nil if `wanted` has ended.
    func take(_ wanted: Worker? = nil, forAnimation: Bool = false) throws(WorkerFailure) -> Worker? {
        while let worker = try takeUnready(wanted, forAnimation) {
            // An idle worker that has ended or sent a message is replaced; no request fails.
            if worker.hasUnexpectedInput {
                worker.end()
                discard(worker)
                continue
            }
            do throws(WorkerFailure) {
                let level = try worker.ready()
                state.withLock { $0.foundLevel = level }
                return worker
            } catch {
                discard(worker)
                try adapt(to: error, of: worker)
            }
        }
        return nil
    }

    private func takeUnready(_ wanted: Worker?, _ forAnimation: Bool) throws(WorkerFailure) -> Worker? {
        let limit = limit
        let (step, needsSpare) = state.withLock { state -> (Step, Bool) in
            state.lastUse = .now
            if let wanted {
                if let index = state.idle.firstIndex(where: { $0 === wanted }) {
                    return (.worker(state.idle.remove(at: index)), false)
                }
                // The thread that ends the worker wakes its waiters afterwards.
                if wanted.hasEnded { return (.gone, false) }
            } else if let worker = state.popIdle(forAnimation: forAnimation, limit: limit) {
                let needsSpare = state.idle.isEmpty && state.count < limit
                if needsSpare { state.count += 1 }
                return (.worker(worker), needsSpare)
            } else if state.count < limit {
                let needsSpare = state.count + 1 < limit
                state.count += needsSpare ? 2 : 1
                return (.start, needsSpare)
            }
            guard state.waiting.count < Self.longestQueue else { return (.refuse, false) }
            let waiter = Waiter(wanted)
            state.waiting.append(waiter)
            return (.wait(waiter), false)
        }
        defer { if needsSpare { startAhead() } }
        switch step {
        case .worker(let worker): return worker
        case .gone: return nil
        case .refuse: throw .busy(waiting: Self.longestQueue)
        case .start:
            do throws(WorkerFailure) { return try start() } catch {
                lose(1, to: error)
                throw error
            }
        case .wait(let waiter):
            waiter.semaphore.wait()
            switch waiter.outcome.withLock({ $0 }) {
            case .worker(let worker): return worker
            case .gone: return nil
            case .failed(let failure): throw failure
            }
        }
    }

    /// Returns a worker to the pool, or ends it.
    func putBack(_ worker: Worker) {
        if worker.hasEnded || worker.images >= Self.imagesPerWorker {
            worker.end()
            return discard(worker)
        }
        let waiter = state.withLock { state -> Waiter? in
            let index = state.waiting.firstIndex { $0.wanted == nil || $0.wanted === worker }
            if let index { return state.waiting.remove(at: index) }
            state.idle.append(worker)
            return nil
        }
        waiter?.take(.worker(worker))
        if waiter == nil { scheduleRetirement() }
    }

    /// The number of images after which a worker is replaced, which limits the effect of a compromised one.
    private static let imagesPerWorker = 1000

    /// Subtracts an ended worker, and starts another one if none is idle.
    private func discard(_ worker: Worker) {
        let (gone, starts) = state.withLock { state -> ([Waiter], Bool) in
            let gone = state.removeWaiters(for: worker)
            let starts = state.idle.isEmpty
            state.count -= starts ? 0 : 1
            return (gone, starts)
        }
        for waiter in gone { waiter.take(.gone) }
        if starts { startAhead() }
    }

    /// Subtracts workers that could not be started; fails the waiters if there are no others.
    private func lose(_ workers: Int, to failure: WorkerFailure) {
        let waiting = state.withLock { state -> [Waiter] in
            state.count -= workers
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.take(.failed(failure)) }
    }

    // MARK: - Start

    private func start() throws(WorkerFailure) -> Worker {
        guard var launch = launch() else { throw .unavailable(reason: Self.absence) }
        let (level, failure) = state.withLock { state in
            (state.wantedLevel, state.restarts.applies(at: .now) ? state.startFailure : nil)
        }
        if let failure { throw failure }
        launch.level = min(level, launch.level)
        return try Worker(launch)
    }

    /// Starts a worker in the background that is counted already.
    private func startAhead() {
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            do throws(WorkerFailure) { putBack(try start()) } catch { lose(1, to: error) }
        }
    }

    /// Lowers the sandbox level if the kernel killed a starting worker for a system call; throws for other failures.
    private func adapt(to failure: WorkerFailure, of worker: Worker) throws(WorkerFailure) {
        let reason = "\(worker.launch.path) does not start: \(failure)"
        var failed = WorkerFailure.unavailable(reason: reason)
        if case .unavailable = failure { failed = failure }
        let canTry = state.withLock { state in
            if failure == .died(signal: SIGSYS) {
                if state.wantedLevel < worker.launch.level { return true }
                if let less = SandboxLevel(rawValue: state.wantedLevel.rawValue - 1) {
                    state.wantedLevel = less
                    return true
                }
            }
            state.restarts.recordFailure(at: .now)
            state.startFailure = failed
            return false
        }
        guard canTry else { throw failed }
    }
}
