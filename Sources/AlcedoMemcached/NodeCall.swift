#if Memcached
    import Alcedo
    import AlcedoLocks

    /// A call of one server, which its caller may give up.
    ///
    /// Once it counts as a time-out of its server, its result does not count.
    final class NodeCall: Sendable {
        typealias Body = @Sendable (inout Connection, NodeCall, CallQueue) -> Void

        private struct State {
            /// Nil once it runs or never will.
            var body: Body?
            var isRunning = false
            var hasTimedOut = false
        }

        let start = ContinuousClock.now
        private let state: Lock<State>

        init(_ body: @escaping Body) { state = Lock(State(body: body)) }

        /// Runs it unless it was given up; returns whether it ran.
        func run(on connection: inout Connection, of queue: CallQueue) -> Bool {
            let body = state.withLock { state in
                state.isRunning = state.body != nil
                return state.body.take()
            }
            guard let body else { return false }
            body(&connection, self, queue)
            state.withLock { $0.isRunning = false }
            return true
        }

        /// Whether it counts as a time-out.
        var hasTimedOut: Bool { state.withLock { $0.hasTimedOut } }

        /// Gives it up: if it has not started, it never runs.
        ///
        /// - Parameter isTimeout: whether it counts as a time-out from now on, if it has not ended.
        /// - Returns: whether it is running, and whether it has become a time-out.
        func giveUp(isTimeout: Bool) -> (isRunning: Bool, isTimeout: Bool) {
            let (body, isRunning, isTimeout) = state.withLock { state in
                let isTimeout = isTimeout && !state.hasTimedOut && (state.isRunning || state.body != nil)
                if isTimeout { state.hasTimedOut = true }
                return (state.body.take(), state.isRunning, isTimeout)
            }
            withExtendedLifetime(body) {}
            return (isRunning, isTimeout)
        }
    }
#endif
