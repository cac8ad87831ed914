import AlcedoLocks
import Dispatch

/// Runs the disk reads of one cache on up to four threads, and fails reads that stall.
///
/// Each cache has its own threads, so a hanging disk stalls no other cache. A completion that blocks its thread for a whole
/// interval is replaced by another thread, up to 16.
final class DiskReadQueue: Sendable {
    /// Completes once: by `run`, or by `fail` after a stall.
    private final class Read: Sendable {
        /// Reads, and returns the call of the completion.
        let run: @Sendable () -> @Sendable () -> Void
        let fail: @Sendable () -> Void
        let isCompleted = OnceFlag()

        init(
            run: @escaping @Sendable () -> @Sendable () -> Void, fail: @escaping @Sendable () -> Void
        ) {
            self.run = run
            self.fail = fail
        }

        func failUnlessCompleted() { if isCompleted.set() { fail() } }
    }

    private enum Activity {
        case idle
        case reading(Read, since: Int)
        /// A completion runs, which may block; that is no stall of the disk.
        case completing(since: Int)
    }

    private struct Worker {
        let queue: DispatchQueue
        var activity = Activity.idle
        var isActive = false

        init(_ number: Int) { queue = DispatchQueue(label: "alcedo.cache.reading.\(number)") }
    }

    private struct State {
        var pending = FIFOQueue<Read>()
        var workers = (0..<initialWorkers).map(Worker.init)
        var tick = 0
        var isChecking = false

        /// Whether as many reads hang as there are threads at first; new reads fail at once.
        var isStalled = false

        /// Activates an idle worker; nil if there is none.
        mutating func activateWorker() -> (index: Int, queue: DispatchQueue)? {
            guard let index = workers.firstIndex(where: { !$0.isActive }) else { return nil }
            workers[index].isActive = true
            return (index, workers[index].queue)
        }
    }

    private static let initialWorkers = 4
    private static let mostWorkers = 16

    private let state = Lock(State())
    private let stallCheck: DiskStallCheck

    init(stallCheck: DiskStallCheck) { self.stallCheck = stallCheck }

    /// The queues of all workers.
    var queues: [DispatchQueue] { state.withLock { $0.workers.map(\.queue) } }

    /// Runs `body`, which may block, on a worker, and calls `then` once with its result.
    ///
    /// After a stall `then` gets the error on another thread, and the late result is dropped.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value,
        then: @escaping @Sendable (Result<Value, DiskStallError>) -> Void
    ) {
        let read = Read(
            run: {
                let value = body()
                return { then(.success(value)) }
            },
            fail: { [error = stallCheck.error] in
                DispatchQueue.global().async { then(.failure(error)) }
            })
        let (isRefused, worker, startsCheck) = state.withLock {
            state -> (Bool, (index: Int, queue: DispatchQueue)?, Bool) in
            guard !state.isStalled else { return (true, nil, false) }
            state.pending.append(read)
            let startsCheck = !exchange(&state.isChecking, with: true)
            return (false, state.activateWorker(), startsCheck)
        }
        if isRefused { return read.failUnlessCompleted() }
        if let worker { worker.queue.async { [self] in drain(worker.index) } }
        if startsCheck { scheduleCheck() }
    }

    private func drain(_ worker: Int) {
        while let read = next(worker) {
            let complete = read.run()
            state.withLock { state in
                state.workers[worker].activity = .completing(since: state.tick)
                state.isStalled = false
            }
            if read.isCompleted.set() { complete() }
        }
    }

    private func next(_ worker: Int) -> Read? {
        state.withLock { state in
            let read = state.pending.popFirst()
            state.workers[worker].activity = read.map { .reading($0, since: state.tick) } ?? .idle
            state.workers[worker].isActive = read != nil
            return read
        }
    }

    // MARK: - Stalls

    private func scheduleCheck() {
        stallCheck.schedule { [weak self] in self?.check() }
    }

    /// Fails the reads that have run for a whole interval, and the pending ones if all initial workers hang.
    ///
    /// If completions block the others, adds a worker.
    private func check() {
        let (failed, worker, isChecking) = state.withLock {
            state -> ([Read], (index: Int, queue: DispatchQueue)?, Bool) in
            var hanging: [Read] = []
            var blockedCount = 0
            for worker in state.workers {
                switch worker.activity {
                case .reading(let read, let since) where since < state.tick: hanging.append(read)
                case .completing(let since) where since < state.tick: blockedCount += 1
                default: break
                }
            }
            state.tick += 1
            var worker: (index: Int, queue: DispatchQueue)?
            let count = state.workers.count
            if hanging.count >= Self.initialWorkers {
                state.isStalled = true
                while let read = state.pending.popFirst() { hanging.append(read) }
            } else if hanging.count + blockedCount == count, !state.pending.isEmpty, count < Self.mostWorkers
            {
                state.workers.append(Worker(count))
                worker = state.activateWorker()
            }
            state.isChecking = state.workers.contains { $0.isActive }
            return (hanging, worker, state.isChecking)
        }
        for read in failed { read.failUnlessCompleted() }
        if let worker { worker.queue.async { [self] in drain(worker.index) } }
        if isChecking { scheduleCheck() }
    }
}
