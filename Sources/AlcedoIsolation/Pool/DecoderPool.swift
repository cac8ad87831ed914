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

    private let limit: Int
    private let absence: @Sendable () -> String
    private let launch: @Sendable () -> Worker.Launch?
    let state = Lock(State())

    /// A pool of at most `limit` workers that has not started any; `launch` returns nil where the helper is not installed.
    init(
        limit: Int, absence: @escaping @Sendable () -> String = { "its helper program is not installed" },
        launch: @escaping @Sendable () -> Worker.Launch?
    ) {
        self.limit = limit
        self.absence = absence
        self.launch = launch
    }

    var isInstalled: Bool { launch() != nil }

    /// How far workers are restricted; nil until one has been started.
    package var level: DecodeSandbox.Level? { state.withLock { $0.foundLevel } }

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

    private enum Step { case worker(Worker), start, wait(Waiter), gone, busy }

    /// Waits for a free worker; for `wanted` only, if it is set.
    ///
    /// - Returns: nil if `wanted` has ended.
    func take(_ wanted: Worker? = nil, forAnimation: Bool = false) throws(DecodeSandbox.Failure) -> Worker? {
        while let worker = try takeUnready(wanted, forAnimation) {
            // An idle worker that has ended or sent a message is replaced; no request fails.
            if worker.hasUnexpectedInput {
                worker.end()
                discard(worker)
                continue
            }
            do throws(DecodeSandbox.Failure) {
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

    private func takeUnready(_ wanted: Worker?, _ forAnimation: Bool) throws(DecodeSandbox.Failure) -> Worker?
    {
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
                // Counted before they are started, so that no other thread exceeds the limit meanwhile.
                state.count += needsSpare ? 2 : 1
                return (.start, needsSpare)
            }
            guard state.waiting.count < Self.longestQueue else { return (.busy, false) }
            let waiter = Waiter(wanted)
            state.waiting.append(waiter)
            return (.wait(waiter), false)
        }
        defer { if needsSpare { startAhead() } }
        switch step {
        case .worker(let worker): return worker
        case .gone: return nil
        case .busy: throw .busy(waiting: Self.longestQueue)
        case .start:
            do throws(DecodeSandbox.Failure) { return try start() } catch {
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
            // The one that is started takes its place.
            state.count -= starts ? 0 : 1
            return (gone, starts)
        }
        for waiter in gone { waiter.take(.gone) }
        if starts { startAhead() }
    }

    /// Subtracts workers that could not be started; fails the waiters if there are no others.
    private func lose(_ workers: Int, to failure: DecodeSandbox.Failure) {
        let waiting = state.withLock { state -> [Waiter] in
            state.count -= workers
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.take(.failed(failure)) }
    }

    // MARK: - Start

    private func start() throws(DecodeSandbox.Failure) -> Worker {
        guard var launch = launch() else { throw .unavailable(reason: absence()) }
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
            do throws(DecodeSandbox.Failure) { putBack(try start()) } catch { lose(1, to: error) }
        }
    }

    /// Lowers the sandbox level if the kernel killed a starting worker for a system call; throws for other failures.
    private func adapt(to failure: DecodeSandbox.Failure, of worker: Worker) throws(DecodeSandbox.Failure) {
        let reason = "\(worker.launch.path) does not start: \(failure)"
        var failed = DecodeSandbox.Failure.unavailable(reason: reason)
        if case .unavailable = failure { failed = failure }
        let canTry = state.withLock { state in
            if failure == .died(signal: SIGSYS) {
                if state.wantedLevel < worker.launch.level { return true }
                if let less = DecodeSandbox.Level(rawValue: state.wantedLevel.rawValue - 1) {
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

extension DecoderPool {
    /// Ends all idle workers; the others continue.
    package func end() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            state.count -= state.idle.count
            return state.idle
        }
        for worker in idle { dismiss(worker) }
    }

    /// Ends a removed worker and wakes its waiters.
    private func dismiss(_ worker: Worker) {
        worker.end()
        for waiter in state.withLock({ $0.removeWaiters(for: worker) }) { waiter.take(.gone) }
    }

    private static let idleTimeout = Duration.seconds(60)

    private func scheduleRetirement() {
        let starts = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard starts else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(60)) { [weak self] in
            self?.retire()
        }
    }

    /// Ends idle workers after 60 s without a request.
    private func retire() {
        let (old, isBusy) = state.withLock { state -> ([Worker], Bool) in
            state.isWatched = false
            guard state.lastUse + Self.idleTimeout <= .now else { return ([], state.count > 0) }
            defer { state.idle = [] }
            state.count -= state.idle.count
            return (state.idle, state.count > 0)
        }
        for worker in old { dismiss(worker) }
        if isBusy { scheduleRetirement() }
    }
}

extension DecoderPool {
    /// Starts the first worker, waits until it is ready, and returns how far it is restricted.
    ///
    /// - Throws: ``DecodeSandbox/Failure/unavailable(reason:)``.
    package func warmUp() throws(DecodeSandbox.Failure) -> DecodeSandbox.Level {
        guard let worker = try take() else { throw .unavailable(reason: "there is no worker") }
        defer { putBack(worker) }
        return try worker.ready()
    }

    /// Performs a job in a worker; blocks until a worker is free and has responded.
    ///
    /// If the worker was killed, as when memory runs out, the job is retried once in a new process. `minimum` is the lowest
    /// sandbox level; `read` parses the response, and returns nil if it is invalid.
    func perform<Result>(
        _ job: Worker.Job, minimum: DecodeSandbox.Level,
        _ read: (Worker, borrowing Worker.Response) -> Result?
    ) throws(DecodeSandbox.Failure) -> Result {
        let seconds = job.request.options.limits.seconds
        guard !quarantine.rejects(job.identity, seconds: seconds) else {
            count(.quarantined)
            throw .quarantined
        }
        do throws(DecodeSandbox.Failure) {
            do throws(DecodeSandbox.Failure) {
                return try once(job, minimum: minimum, read)
            } catch .died(signal: SIGKILL) {
                // The kernel kills for lack of memory, which is no fault of the image.
                count(.died(signal: SIGKILL))
                return try once(job, minimum: minimum, read)
            }
        } catch {
            reject(job.identity, after: error, seconds: seconds)
            throw error
        }
    }

    /// Rejects an image from now on if it is the reason of a worker's failure; `seconds` was its time limit.
    func reject(_ identity: UnsafeRawBufferPointer, after failure: DecodeSandbox.Failure, seconds: Double) {
        count(failure)
        switch failure {
        case .timedOut: quarantine.add(identity, seconds: seconds)
        case .died, .exited, .outOfMemory, .invalidResponse: quarantine.add(identity)
        case .quarantined, .busy, .unavailable: break
        }
    }

    private func once<Result>(
        _ job: Worker.Job, minimum: DecodeSandbox.Level,
        _ read: (Worker, borrowing Worker.Response) -> Result?
    ) throws(DecodeSandbox.Failure) -> Result {
        guard let worker = try take(forAnimation: job.request.kind == .open) else {
            throw .unavailable(reason: "there is no worker")
        }
        defer { putBack(worker) }
        let level = try worker.ready()
        guard level >= minimum else {
            throw .unavailable(reason: "this system restricts workers to level “\(level)” only")
        }
        return try send(worker, job) { read(worker, $0) }
    }

    /// Has one worker do a job; nil if it has ended since.
    func perform<Result>(
        _ job: Worker.Job, on worker: Worker, _ read: (borrowing Worker.Response) -> Result?
    ) throws(DecodeSandbox.Failure) -> Result? {
        guard let worker = try take(worker) else { return nil }
        defer { putBack(worker) }
        return try send(worker, job, read)
    }

    private func send<Result>(
        _ worker: Worker, _ job: Worker.Job, _ read: (borrowing Worker.Response) -> Result?
    ) throws(DecodeSandbox.Failure) -> Result {
        if [.decode, .open].contains(job.request.kind) { worker.countImage() }
        return try worker.send(job, read)
    }
}

extension DecoderPool {
    /// A request that waits for its turn.
    final class Waiter: Sendable {
        enum Turn { case worker(Worker), gone, failed(DecodeSandbox.Failure) }

        /// The only worker that will do; nil for any.
        let wanted: Worker?
        let outcome = Lock(Turn.gone)
        let semaphore = DispatchSemaphore(value: 0)

        init(_ wanted: Worker?) { self.wanted = wanted }

        func take(_ turn: Turn) {
            self.outcome.withLock { $0 = turn }
            semaphore.signal()
        }
    }

    struct State {
        /// Those without work; the one that was busy last is the last.
        var idle: [Worker] = []

        /// All workers, also those that are being started.
        var count = 0
        var waiting: [Waiter] = []
        var restarts = RestartDelay()
        var startFailure: DecodeSandbox.Failure?

        /// How far the next worker is to restrict itself.
        var wantedLevel = DecodeSandbox.Level.files
        var foundLevel: DecodeSandbox.Level?
        var lastUse = ContinuousClock.now
        var isWatched = false
        var sessions = 0
        var failures: [String: Int] = [:]

        /// Animations in one worker before another one is started.
        private static let sessionsPerWorker = 8

        /// The worker that was busy last; for an animation the one that has the fewest, nil if those are many and there
        /// may be another worker.
        mutating func popIdle(forAnimation: Bool, limit: Int) -> Worker? {
            guard forAnimation else { return idle.popLast() }
            let fewest = idle.indices.reversed().min { idle[$0].sessions < idle[$1].sessions }
            guard let fewest, idle[fewest].sessions < Self.sessionsPerWorker || count >= limit else {
                return nil
            }
            return idle.remove(at: fewest)
        }

        /// Removes and returns the waiters for this worker only.
        mutating func removeWaiters(for worker: Worker) -> [Waiter] {
            let gone = waiting.filter { $0.wanted === worker }
            waiting.removeAll { $0.wanted === worker }
            return gone
        }
    }
}
