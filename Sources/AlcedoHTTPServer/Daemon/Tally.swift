import AlcedoLocks

/// Counts running requests, and lets one task wait for their end.
final class Tally: Sendable {
    private struct State {
        var count = 0
        var wait = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.count } }

    func enter() { state.withLock { $0.count += 1 } }

    func leave() {
        let waiter = state.withLock { state in
            state.count -= 1
            return state.count == 0 ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// Waits until the count is 0, at most for a time; one task at a time.
    func waitUntilNone(within time: Duration) async {
        await withCheckedContinuation { continuation in
            let wait = state.withLock { state -> Int? in
                guard state.count > 0 else { return nil }
                state.waiter = continuation
                state.wait += 1
                return state.wait
            }
            guard let wait else { return continuation.resume() }
            // Unstructured, as a cancelled caller still waits.
            Task {
                try await Task.sleep(for: time)
                // A later wait is not this timer's.
                let waiter = state.withLock { $0.wait == wait ? $0.waiter.take() : nil }
                waiter?.resume()
            }
        }
    }
}
