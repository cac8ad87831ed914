import AlcedoLocks

/// Bounds the work that runs at a time, with a wait queue, first in, first out.
///
/// Work may name the origin that it waits for. An origin takes a place only while it has fewer than are free: one that hangs
/// leaves half of them to the others, and a second one half of those. The local root is one origin, and each folder
/// in it one within that, which leaves a place of the root's to another folder.
///
/// Before that, requests get a ``Share`` by the quotas of who makes them.
final class Admission: Sendable {
    /// A place for work, which is free again when this value ends.
    struct Permit: ~Copyable, Sendable {
        fileprivate let admission: Admission
        fileprivate let origin: String?

        deinit { admission.leave(origin) }
    }

    /// A request that counts for its parties until this value ends.
    struct Share: ~Copyable, Sendable {
        fileprivate let admission: Admission
        fileprivate let parties: [Quotas.Party]

        deinit {
            if !parties.isEmpty { admission.state.withLock { $0.quotas.leave(parties) } }
        }
    }

    /// Why there is no permit.
    enum Rejection: Error, Equatable {
        case queueFull
        case timedOut
        case cancelled
    }

    /// How a wait ended.
    private typealias Outcome = Result<Void, Rejection>

    private struct Waiter: Sendable {
        let ticket: Int
        let origin: String?
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        let places: Int
        var running = 0
        var started = 0
        var runningOf: [String: Int] = [:]
        var queue: [Waiter] = []
        /// How many have a ticket and are about to join the queue.
        var joining = 0
        var waitingOf: [String: Int] = [:]
        /// Of waits that have started; nil while they last.
        var outcomes: [Int: Outcome?] = [:]
        var lastTicket = 0
        var quotas: Quotas

        init(places: Int, quotas: Quotas) { (self.places, self.quotas) = (places, quotas) }

        func hasPlace(for origin: String?) -> Bool {
            let free = places - running
            guard free > 0, let origin else { return free > 0 }
            let all = runningOf[origin.root, default: 0]
            // The root gets no further place after this one, as that needs `all + 1 < free - 1`.
            let isLast = all + 2 >= free
            return all < free && (!isLast || origin == origin.root || runningOf[origin] == nil)
        }

        mutating func enter(_ origin: String?) {
            running += 1
            started += 1
            if let origin { runningOf.count(1, of: origin) }
        }

        mutating func leave(_ origin: String?) {
            running -= 1
            if let origin { runningOf.count(-1, of: origin) }
        }

        /// Ends the wait of the waiter at `index`.
        mutating func remove(at index: Int, _ outcome: Outcome) -> Waiter {
            let waiter = queue.remove(at: index)
            if let origin = waiter.origin { waitingOf.count(-1, of: origin) }
            outcomes[waiter.ticket] = outcome
            return waiter
        }

        /// The last of the origin that most wait for, if more wait for it than for `origin` with one more;
        /// otherwise the same of the folders in the local root.
        func replaceable(by origin: String?) -> Int? {
            func last(of longest: (key: String, value: Int)?, by origin: String?) -> Int? {
                guard let longest, longest.value > (origin.map { waitingOf[$0, default: 0] } ?? 0) + 1 else {
                    return nil
                }
                // In the root, of the folder that most wait for.
                let waiters = queue.indices.filter {
                    queue[$0].origin == longest.key || queue[$0].origin?.root == longest.key
                }
                return Dictionary(grouping: waiters) { queue[$0].origin }.values
                    .max { $0.count < $1.count }?.last
            }
            func longest(where isCounted: (String) -> Bool) -> (key: String, value: Int)? {
                waitingOf.filter { isCounted($0.key) }.max { $0.value < $1.value }
            }
            if let index = last(of: longest { $0 == $0.root }, by: origin?.root) { return index }
            guard let origin, origin != origin.root else { return nil }
            return last(of: longest { $0 != $0.root }, by: origin)
        }
    }

    /// How much may run at a time.
    let places: Int
    private let queueSize: Int
    private let hasQuotas: Bool
    private let state: Lock<State>

    /// - Parameters:
    ///   - places: how much may run at a time.
    ///   - queueSize: how much may wait; 0 for no limit. In a full queue, the last waiter of the origin with the most
    ///     waiters makes room for one of another origin.
    ///   - quotas: what one party may use; all by default.
    init(places: Int, queueSize: Int, quotas: Quotas = Quotas()) {
        (self.places, self.queueSize) = (places, queueSize)
        hasQuotas = !quotas.isEmpty
        state = Lock(State(places: places, quotas: quotas))
    }

    /// Of a server's work, which may wait for its origins: places for twice as much as is processed, and two, so that
    /// one folder or host can use all workers, and leaves places to another.
    convenience init(workers: Int, queueSize: Int, quotas: Quotas = Quotas()) {
        self.init(places: 2 * workers + 2, queueSize: queueSize, quotas: quotas)
    }

    var running: Int { state.withLock { $0.running } }
    var waiting: Int { state.withLock { $0.queue.count } }

    /// How much has got a place so far.
    var started: Int { state.withLock { $0.started } }

    /// Requests that were rejected because a party made too many, by the kind of party; empty without quotas.
    var excesses: [(kind: Quotas.Kind, count: Int)] {
        guard hasQuotas else { return [] }
        return state.withLock { state in Quotas.Kind.allCases.map { ($0, state.quotas.excesses[$0] ?? 0) } }
    }

    /// Counts a request for its parties, if none of them makes too many; cache hits need no share.
    func share(
        of parties: [Quotas.Party], at now: ContinuousClock.Instant = .now
    ) throws(Quotas.Excess) -> Share {
        guard hasQuotas else { return Share(admission: self, parties: []) }
        let (limited, excess) = state.withLock { state -> ([Quotas.Party], Quotas.Excess?) in
            let limited = state.quotas.limited(parties)
            do throws(Quotas.Excess) {
                try state.quotas.enter(limited, at: now)
                return (limited, nil)
            } catch { return ([], error) }
        }
        if let excess { throw excess }
        return Share(admission: self, parties: limited)
    }

    /// Waits for a place until a deadline, or until the task is cancelled.
    func enter(
        _ origin: String? = nil, until deadline: ContinuousClock.Instant
    ) async throws(Rejection) -> Permit {
        try await outcome(origin, until: deadline).get()
        return Permit(admission: self, origin: origin)
    }

    private func outcome(_ origin: String?, until deadline: ContinuousClock.Instant) async -> Outcome {
        let (ticket, known, replaced) = state.withLock { state -> (Int, Outcome?, Waiter?) in
            if Task.isCancelled { return (0, .failure(.cancelled), nil) }
            if state.hasPlace(for: origin) {
                state.enter(origin)
                return (0, .success(()), nil)
            }
            var replaced: Waiter?
            if queueSize > 0, state.queue.count + state.joining >= queueSize {
                guard let index = state.replaceable(by: origin) else { return (0, .failure(.queueFull), nil) }
                replaced = state.remove(at: index, .failure(.queueFull))
            }
            state.joining += 1
            state.lastTicket += 1
            state.outcomes[state.lastTicket] = .some(nil)
            return (state.lastTicket, nil, replaced)
        }
        replaced?.continuation.resume()
        if let known { return known }
        let timer = Task {
            // Cancelled at the end of the wait.
            guard (try? await cancellableSleep(until: deadline)) != nil else { return }
            end(ticket, .failure(.timedOut))
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation {
                wait(Waiter(ticket: ticket, origin: origin, continuation: $0))
            }
        } onCancel: {
            end(ticket, .failure(.cancelled))
        }
        return state.withLock { $0.outcomes.removeValue(forKey: ticket) ?? nil } ?? .failure(.cancelled)
    }

    /// Frees the place of work that has waited for `origin`.
    private func leave(_ origin: String?) {
        let admitted = state.withLock { state in
            state.leave(origin)
            var admitted: [Waiter] = []
            while let index = state.queue.firstIndex(where: { state.hasPlace(for: $0.origin) }) {
                admitted.append(state.remove(at: index, .success(())))
                state.enter(admitted.last?.origin)
            }
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume() }
    }

    private func wait(_ waiter: Waiter) {
        let hasEnded = state.withLock { state in
            state.joining -= 1
            // Cancelled, or a place has become free, since the first look.
            if let outcome = state.outcomes[waiter.ticket], outcome != nil { return true }
            if state.hasPlace(for: waiter.origin) {
                state.enter(waiter.origin)
                state.outcomes[waiter.ticket] = .success(())
                return true
            }
            state.queue.append(waiter)
            if let origin = waiter.origin { state.waitingOf.count(1, of: origin) }
            return false
        }
        if hasEnded { waiter.continuation.resume() }
    }

    private func end(_ ticket: Int, _ outcome: Outcome) {
        let waiter = state.withLock { state -> Waiter? in
            // Nothing after the end of the wait, and only the first outcome.
            guard let known = state.outcomes[ticket], known == nil else { return nil }
            state.outcomes[ticket] = outcome
            return state.queue.firstIndex { $0.ticket == ticket }.map { state.remove(at: $0, outcome) }
        }
        waiter?.continuation.resume()
    }
}

extension [String: Int] {
    /// Adds to the number of an origin, and of the root that it is in; a number goes at zero.
    fileprivate mutating func count(_ change: Int, of origin: String) {
        for name in origin == origin.root ? [origin] : [origin, origin.root] {
            let count = self[name, default: 0] + change
            self[name] = count == 0 ? nil : count
        }
    }
}

extension String {
    /// Of an origin in the local root, the root; otherwise itself.
    fileprivate var root: String { hasPrefix(ImageSource.localOrigin) ? ImageSource.localOrigin : self }
}
