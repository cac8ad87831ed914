import AlcedoLocks

/// Writes and removals that wait for a shared store: several at a time, but those of one key in the order of the calls.
///
/// Writes beyond the limits are dropped. Removals never are: there is one a key at most, and who adds them limits their number.
package final class SharedWriteQueue: Sendable {
    private struct Job {
        let key: String
        let bytes: Int
        let isRemoval: Bool
        let ticket: Int
        let run: @Sendable () async -> Void
    }

    private struct Waiter {
        let last: Int
        var remaining: Int
        let then: @Sendable () -> Void
    }

    private struct State {
        /// Those of a key whose removal waits run after it.
        var writes: [Job] = []
        var removals: [String: Job] = [:]

        /// The keys of ``removals``, in the order of the calls.
        var order = FIFOQueue<String>()

        /// Bytes of all writes that have not ended.
        var bytes = 0
        var running: Set<String> = []
        var runningRemovals = 0
        var lastTicket = 0
        var tickets: Set<Int> = []
        var waiters: [Waiter] = []

        mutating func issue() -> Int {
            lastTicket += 1
            tickets.insert(lastTicket)
            return lastTicket
        }

        /// Removes and returns the jobs to start now.
        mutating func startable(limit: Int) -> [Job] {
            var jobs: [Job] = []
            while running.count < limit {
                // Writes have the last place first: others wait for what they bring, and for leases.
                let next =
                    runningRemovals + 1 < limit ? nextRemoval() ?? nextWrite() : nextWrite() ?? nextRemoval()
                guard let job = next else { break }
                running.insert(job.key)
                if job.isRemoval { runningRemovals += 1 }
                jobs.append(job)
            }
            return jobs
        }

        private mutating func nextRemoval() -> Job? {
            for _ in 0..<order.count {
                guard let key = order.popFirst() else { break }
                if !running.contains(key) { return removals.removeValue(forKey: key) }
                order.append(key)
            }
            return nil
        }

        private mutating func nextWrite() -> Job? {
            writes.firstIndex { !running.contains($0.key) && removals[$0.key] == nil }.map {
                writes.remove(at: $0)
            }
        }

        mutating func end(_ ended: [Int]) -> [@Sendable () -> Void] {
            tickets.subtract(ended)
            for index in waiters.indices {
                let last = waiters[index].last
                waiters[index].remaining -= ended.count { $0 <= last }
            }
            let satisfied = waiters.filter { $0.remaining == 0 }
            waiters.removeAll { $0.remaining == 0 }
            return satisfied.map(\.then)
        }
    }

    private let countLimit: Int
    private let byteLimit: Int
    private let state = Lock(State())
    private static let concurrency = 4

    /// How many returned leases may wait beyond the limit: other machines wait for a lease that is not returned.
    private static let extraLeases = 4096

    package init(countLimit: Int, byteLimit: Int) {
        (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
    }

    /// Announces a write, which ``whenDone(_:)`` waits for; ends with ``append(_:bytes:ticket:isLease:_:)`` or ``cancel(_:)``.
    func announce() -> Int { state.withLock { $0.issue() } }

    func cancel(_ ticket: Int) {
        let satisfied = state.withLock { $0.end([ticket]) }
        for then in satisfied { then() }
    }

    /// Adds a write, or the return of a lease; false if the queue is full, so that it is dropped.
    @discardableResult
    package func append(
        _ key: String, bytes: Int = 0, ticket: Int? = nil, isLease: Bool = false,
        _ run: @escaping @Sendable () async -> Void
    ) -> Bool {
        let (isAdded, satisfied) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
            let ticket = ticket ?? state.issue()
            let limit = isLease ? countLimit + Self.extraLeases : countLimit
            guard state.writes.count < limit, state.bytes + bytes <= byteLimit else {
                return (false, state.end([ticket]))
            }
            state.bytes += bytes
            state.writes.append(Job(key: key, bytes: bytes, isRemoval: false, ticket: ticket, run: run))
            return (true, [])
        }
        for then in satisfied { then() }
        start()
        return isAdded
    }

    /// Adds a removal, which may replace the writes of its key that wait; `run` is dropped if a removal of the key waits.
    package func appendRemoval(
        _ key: String, replacesWrites: Bool = true, _ run: @escaping @Sendable () async -> Void
    ) {
        let (dropped, satisfied) = state.withLock { state -> ([Job], [@Sendable () -> Void]) in
            let dropped = replacesWrites ? state.writes.filter { $0.key == key } : []
            if !dropped.isEmpty {
                state.writes.removeAll { $0.key == key }
                state.bytes -= dropped.reduce(0) { $0 + $1.bytes }
            }
            if state.removals[key] == nil {
                state.removals[key] = Job(
                    key: key, bytes: 0, isRemoval: true, ticket: state.issue(), run: run)
                state.order.append(key)
            }
            return (dropped, state.end(dropped.map(\.ticket)))
        }
        withExtendedLifetime(dropped) {}
        for then in satisfied { then() }
        start()
    }

    /// Calls `then` when all present jobs have ended, possibly now.
    package func whenDone(_ then: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if !state.tickets.isEmpty {
                state.waiters.append(
                    Waiter(last: state.lastTicket, remaining: state.tickets.count, then: then))
            }
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
            if job.isRemoval { state.runningRemovals -= 1 }
            state.bytes -= job.bytes
            return state.end([job.ticket])
        }
        for then in satisfied { then() }
        start()
    }
}
