import Alcedo
import AlcedoLocks

/// Running work by key: callers with the same key share it and its outcome.
final class Flights<Outcome: Sendable>: Sendable {
    /// How waiting ended.
    enum End: Sendable {
        case finished(Outcome)
        case timedOut
        case cancelled
    }

    private typealias Waiter = OneShot<End, Never>

    private struct Flight {
        let number: UInt64
        var waiters: [UInt64: Waiter]
        var task: Task<Void, Never>?
    }

    private struct State {
        var flights: [String: Flight] = [:]

        /// Callers that have not returned yet, with how their wait ended if it did before it started.
        var callers: [UInt64: End?] = [:]
        var issued: UInt64 = 0

        mutating func number() -> UInt64 {
            issued += 1
            return issued
        }
    }

    private let state = Lock(State())

    /// The number of pieces of running work.
    var count: Int { state.withLock { $0.flights.count } }

    /// The number of callers that wait.
    var waiterCount: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Runs `work`, unless it is running for `key`, and waits for it until `deadline`.
    ///
    /// The work is cancelled when nobody waits for it any more.
    func outcome(
        forKey key: String, until deadline: ContinuousClock.Instant,
        work: @escaping @Sendable () async -> Outcome
    ) async -> End {
        let caller = state.withLock { state in
            let number = state.number()
            state.callers[number] = .some(nil)
            return number
        }
        let timer = Task { [weak self] in
            guard (try? await cancellableSleep(until: deadline)) != nil else { return }
            self?.leave(key, caller, with: .timedOut)
        }
        defer {
            timer.cancel()
            state.withLock { _ = $0.callers.removeValue(forKey: caller) }
        }
        return await withTaskCancellationHandler {
            let waiter = Waiter()
            join(key, caller, waiter, work)
            return await waiter.value()
        } onCancel: {
            leave(key, caller, with: .cancelled)
        }
    }

    private func join(
        _ key: String, _ caller: UInt64, _ waiter: Waiter, _ work: @escaping @Sendable () async -> Outcome
    ) {
        let (end, started) = state.withLock { state -> (End?, UInt64?) in
            // The deadline or a cancellation was faster.
            if case .some(.some(let end)) = state.callers[caller] { return (end, nil) }
            if state.flights[key] != nil {
                state.flights[key]?.waiters[caller] = waiter
                return (nil, nil)
            }
            let number = state.number()
            state.flights[key] = Flight(number: number, waiters: [caller: waiter])
            return (nil, number)
        }
        if let end { return waiter.finish(.success(end)) }
        guard let started else { return }
        let task = Task {
            let outcome = await work()
            self.finish(key, started, with: outcome)
        }
        let isWanted = state.withLock { state in
            guard state.flights[key]?.number == started else { return false }
            state.flights[key]?.task = task
            return true
        }
        // It has finished, or nobody waits for it any more.
        if !isWanted { task.cancel() }
    }

    private func finish(_ key: String, _ number: UInt64, with outcome: Outcome) {
        let waiters = state.withLock { state -> [Waiter] in
            // The key may have another flight, if all waiters of this one have left.
            guard let flight = state.flights[key], flight.number == number else { return [] }
            state.flights[key] = nil
            return Array(flight.waiters.values)
        }
        for waiter in waiters { waiter.finish(.success(.finished(outcome))) }
    }

    private func leave(_ key: String, _ caller: UInt64, with end: End) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.flights[key]?.waiters.removeValue(forKey: caller) else {
                // A timer may be late: then the caller has returned.
                if state.callers[caller] != nil { state.callers[caller] = .some(end) }
                return (nil, nil)
            }
            guard state.flights[key]?.waiters.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.flights.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        waiter?.finish(.success(end))
    }
}
