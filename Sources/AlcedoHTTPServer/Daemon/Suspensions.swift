#if Server
    import AlcedoLocks

    /// The exchanges whose connection is suspended.
    final class Suspensions: Sendable {
        private struct State {
            var exchanges: [ObjectIdentifier: Exchange] = [:]
            var isClosed = false
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let state = Lock(State())

        /// Registers an exchange before its connection is suspended; false once ``close()`` was called.
        func enter(_ exchange: Exchange) -> Bool {
            state.withLock { state in
                guard !state.isClosed else { return false }
                state.exchanges[ObjectIdentifier(exchange)] = exchange
                return true
            }
        }

        /// Removes an exchange after its connection was resumed.
        func leave(_ exchange: Exchange) {
            let waiter = state.withLock { state in
                state.exchanges.removeValue(forKey: ObjectIdentifier(exchange))
                return state.exchanges.isEmpty ? state.waiter.take() : nil
            }
            waiter?.resume()
        }

        /// Admits no further exchange, and returns those that are suspended.
        func close() -> [Exchange] {
            state.withLock { state in
                state.isClosed = true
                return Array(state.exchanges.values)
            }
        }

        /// Waits until all are resumed; once in its life.
        func waitUntilNone() async {
            await withCheckedContinuation { continuation in
                let isEmpty = state.withLock { state in
                    if !state.exchanges.isEmpty { state.waiter = continuation }
                    return state.exchanges.isEmpty
                }
                if isEmpty { continuation.resume() }
            }
        }
    }
#endif
