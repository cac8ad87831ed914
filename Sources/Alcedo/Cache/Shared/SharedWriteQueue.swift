import AlcedoLocks

/// Writes and removals that wait for a shared store: several at a time, but those of one key in the order of the calls.
final class SharedWriteQueue: Sendable {
    private struct Job {
        let key: String
        let bytes: Int
        let isRemoval: Bool
        let ticket: Int
        let run: @Sendable () async -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var bytes = 0
        var running: Set<String> = []
        var removals: [String: Int] = [:]
        var lastTicket = 0
        var tickets: Set<Int> = []
        var waiters: [(last: Int, then: @Sendable () -> Void)] = []

        mutating func issue() -> Int {
            lastTicket += 1
            tickets.insert(lastTicket)
            return lastTicket
        }

        /// Removes and returns the jobs to start now.
        mutating func startable(limit: Int) -> [Job] {
            var jobs: [Job] = []
            while running.count < limit,
                let index = waiting.firstIndex(where: { !running.contains($0.key) })
            {
                let job = waiting.remove(at: index)
                running.insert(job.key)
                jobs.append(job)
            }
            return jobs
        }

        mutating func end(_ ended: [Int]) -> [@Sendable () -> Void] {
            tickets.subtract(ended)
            let first = tickets.min() ?? .max
            let satisfied = waiters.filter { $0.last < first }
            waiters.removeAll { $0.last < first }
            return satisfied.map(\.then)
        }
    }

    private let countLimit: Int
    private let byteLimit: Int
    private let state = Lock(State())
    private static let concurrency = 4

    /// How many removals may wait beyond the limit.
    private static let extraRemovals = 4096

    init(countLimit: Int, byteLimit: Int) { (self.countLimit, self.byteLimit) = (countLimit, byteLimit) }

    /// Announces a job, which ``whenDone(_:)`` waits for; ends with ``append(_:bytes:ticket:isRemoval:_:)`` or ``cancel(_:)``.
    func announce() -> Int { state.withLock { $0.issue() } }

    func cancel(_ ticket: Int) {
        let satisfied = state.withLock { $0.end([ticket]) }
        for then in satisfied { then() }
    }

    /// Adds a job; false if the queue is full, so that it is dropped.
    ///
    /// A removal replaces the writes of its key that wait.
    @discardableResult
    func append(
        _ key: String, bytes: Int = 0, ticket: Int? = nil, isRemoval: Bool = false,
        _ run: @escaping @Sendable () async -> Void
    ) -> Bool {
        let (isAdded, dropped, satisfied) = state.withLock {
            state -> (Bool, [Job], [@Sendable () -> Void]) in
            let ticket = ticket ?? state.issue()
            let limit = isRemoval ? countLimit + Self.extraRemovals : countLimit
            guard state.waiting.count < limit, state.bytes + bytes <= byteLimit else {
                return (false, [], state.end([ticket]))
            }
            var dropped: [Job] = []
            if isRemoval {
                dropped = state.waiting.filter { $0.key == key && !$0.isRemoval }
                state.waiting.removeAll { $0.key == key && !$0.isRemoval }
                state.bytes -= dropped.reduce(0) { $0 + $1.bytes }
                state.removals[key, default: 0] += 1
            }
            state.bytes += bytes
            state.waiting.append(
                Job(key: key, bytes: bytes, isRemoval: isRemoval, ticket: ticket, run: run))
            return (true, dropped, state.end(dropped.map(\.ticket)))
        }
        withExtendedLifetime(dropped) {}
        for then in satisfied { then() }
        start()
        return isAdded
    }

    /// Whether a removal of the key has not ended.
    func isRemoving(_ key: String) -> Bool { state.withLock { $0.removals[key] != nil } }

    /// Calls `then` when all present jobs have ended, possibly now.
    func whenDone(_ then: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if !state.tickets.isEmpty { state.waiters.append((state.lastTicket, then)) }
            return state.tickets.isEmpty
        }
        if isDone { then() }
    }

    private func start() {
        for job in state.withLock({ $0.startable(limit: Self.concurrency) }) {
            Task { [self] in
                await job.run()
                end(job)
            }
        }
    }

    private func end(_ job: Job) {
        let satisfied = state.withLock { state in
            state.running.remove(job.key)
            state.bytes -= job.bytes
            if job.isRemoval, let count = state.removals[job.key] {
                state.removals[job.key] = count > 1 ? count - 1 : nil
            }
            return state.end([job.ticket])
        }
        for then in satisfied { then() }
        start()
    }
}
