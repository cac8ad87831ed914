import AlcedoLocks

/// Things that arrive on one side and are waited for on the other.
final class Arrivals<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiters: [CheckedContinuation<Element, Never>] = []
    }

    private let state = Lock(State())

    func add(_ element: Element) {
        let waiter: CheckedContinuation<Element, Never>? = state.withLock { state in
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.elements.append(element)
            return nil
        }
        waiter?.resume(returning: element)
    }

    /// The next that has not been taken, as soon as there is one.
    func next() async -> Element {
        await withCheckedContinuation { waiter in
            let early: Element? = state.withLock { state in
                if !state.elements.isEmpty { return state.elements.removeFirst() }
                state.waiters.append(waiter)
                return nil
            }
            if let early { waiter.resume(returning: early) }
        }
    }

    /// How many there are that nobody has taken.
    var count: Int { state.withLock { $0.elements.count } }
}
