import AlcedoLocks
package import AlcedoPixels
import Dispatch
import Glibc

/// The workers of one helper program.
///
/// As many as the machine has cores work at a time; further requests wait. The first request starts the first worker, and
/// as long as there may be more, one is started ahead. A worker is replaced after a thousand images and after any failure
/// of its own, and ends when there was nothing to do for a minute.
package final class DecoderPool: Sendable {
    let quarantine = Quarantine()

    /// Why nothing is started where there is no program.
    static let absence = "its helper program is not installed"

    private let limit: Int
    private let launch: @Sendable () -> Worker.Launch?
    private let state = Lock(State())

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

    /// A worker that has started; `wanted` is the only one that will do, if there is one.
    ///
    /// - Returns: nil if `wanted` has ended.
    func take(_ wanted: Worker? = nil, forAnimation: Bool = false) throws(WorkerFailure) -> Worker? {
        while let worker = try takeUnready(wanted, forAnimation) {
            // One that has ended without work, or talks out of turn, is nobody's failure.
            if worker.isRestless {
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
                // Whoever ends it wakes those who wait for it after that.
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
            switch waiter.turn.withLock({ $0 }) {
            case .worker(let worker): return worker
            case .gone: return nil
            case .failed(let failure): throw failure
            }
        }
    }

    /// Takes a worker back.
    func giveBack(_ worker: Worker) {
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
        if waiter == nil { retireLater() }
    }

    /// Images after which a worker is replaced, so that what one of them may have done to it does not last.
    private static let imagesPerWorker = 1000

    /// Counts a worker no more that has ended, and starts another one where it is missed.
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

    /// Counts workers no more that could not be started; those who wait for them fail if there are no others.
    private func lose(_ workers: Int, to failure: WorkerFailure) {
        let waiting = state.withLock { state -> [Waiter] in
            state.count -= workers
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.take(.failed(failure)) }
    }

    // MARK: - Starting workers

    private func start() throws(WorkerFailure) -> Worker {
        guard var launch = launch() else { throw .unavailable(reason: Self.absence) }
        let (level, delay, failure) = state.withLock { state in
            let failure = state.foundLevel == nil ? state.startFailure : nil
            return (state.wantedLevel, state.restarts.delay(at: .now), failure)
        }
        // A program that has never started is not waited for.
        if delay > 0, let failure { throw failure }
        launch.level = min(level, launch.level)
        if delay > 0 { usleep(UInt32(delay * 1e6)) }
        return try Worker(launch)
    }

    /// Starts a worker that is counted already.
    private func startAhead() {
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            do throws(WorkerFailure) { giveBack(try start()) } catch { lose(1, to: error) }
        }
    }

    /// Notes that a worker died at work.
    func noteDeath() { state.withLock { $0.restarts.noteDeath(at: .now) } }

    /// Wants less of the next worker if the system ended one for a system call while it started; throws if it ended
    /// otherwise.
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
            state.restarts.noteDeath(at: .now)
            state.startFailure = failed
            return false
        }
        guard canTry else { throw failed }
    }

    // MARK: - Ending workers

    /// Ends all workers that have no work; those at work end after it only if they fail.
    package func end() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            state.count -= state.idle.count
            return state.idle
        }
        for worker in idle { dismiss(worker) }
    }

    /// Ends a worker that is counted no more, and tells those who wait for it.
    private func dismiss(_ worker: Worker) {
        worker.end()
        for waiter in state.withLock({ $0.removeWaiters(for: worker) }) { waiter.take(.gone) }
    }

    private static let patience = Duration.seconds(60)

    private func retireLater() {
        let starts = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard starts else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(60)) { [weak self] in
            self?.retire()
        }
    }

    /// Ends workers without work if there was none for a minute.
    private func retire() {
        let (old, isBusy) = state.withLock { state -> ([Worker], Bool) in
            state.isWatched = false
            guard state.lastUse + Self.patience <= .now else { return ([], state.count > 0) }
            defer { state.idle = [] }
            state.count -= state.idle.count
            return (state.idle, state.count > 0)
        }
        for worker in old { dismiss(worker) }
        if isBusy { retireLater() }
    }
}
