#if Memcached
    import Alcedo
    import AlcedoLocks
    import CMemcached

    /// The state of all servers: which are used, which are suspended, and their metrics.
    final class NodeTable: Sendable {
        private struct State {
            var breakers: [CircuitBreaker]
            var metrics: [MemcachedMetrics.Node]

            /// Counts changes of the servers among which keys are spread.
            var version = 0

            var live: [Int] {
                let live = metrics.indices.filter { !metrics[$0].isReplaced }
                return live.isEmpty ? Array(metrics.indices) : live
            }

            /// Changes a breaker; returns for how long the server is suspended, if that starts now.
            mutating func change(
                _ node: Int, at now: Duration, _ change: (inout CircuitBreaker) -> Void
            ) -> Duration? {
                let openings = breakers[node].openings
                change(&breakers[node])
                update(node)
                guard breakers[node].openings > openings, case .open(let end) = breakers[node].state
                else { return nil }
                // The probe has failed, so it may stay away for long: the others take over its keys.
                if openings > 0, !metrics[node].isReplaced {
                    metrics[node].isReplaced = true
                    version += 1
                }
                return end - now
            }

            mutating func update(_ node: Int) {
                metrics[node].state =
                    switch breakers[node].state {
                    case .closed: .used
                    case .open: .suspended
                    case .probing: .probed
                    }
            }
        }

        let servers: [MemcachedServer]
        private let state: Lock<State>
        private let start = ContinuousClock.now

        init(_ servers: [MemcachedServer], _ settings: MemcachedSettings) {
            self.servers = servers
            let limits = CircuitBreaker.Limits {
                $0.firstPause = max(.milliseconds(10), settings.firstPause)
                $0.longestPause = max(.milliseconds(10), settings.longestPause)
            }
            state = Lock(
                State(
                    breakers: servers.map { _ in CircuitBreaker(limits) },
                    metrics: servers.map { MemcachedMetrics.Node(server: $0.description) }))
        }

        /// The servers among which keys are spread, and the number of this list.
        var live: (version: Int, nodes: [Int]) { state.withLock { ($0.version, $0.live) } }

        var version: Int { state.withLock { $0.version } }

        var metrics: [MemcachedMetrics.Node] { state.withLock { $0.metrics.map(\.copy) } }

        /// Whether a server may be called; counts a call that is left out.
        func mayCall(_ node: Int) -> Bool {
            state.withLock { state in
                let isUsed = state.breakers[node].state == .closed
                if !isUsed { state.metrics[node].skipped += 1 }
                return isUsed
            }
        }

        func mayProbe(_ node: Int) -> Bool {
            let now = ContinuousClock.now - start
            return state.withLock { state in
                let isProbe = state.breakers[node].request(at: now) == .probe
                state.update(node)
                return isProbe
            }
        }

        func change(_ node: Int, _ change: (inout MemcachedMetrics.Node) -> Void) {
            state.withLock { change(&$0.metrics[node]) }
        }

        /// Whether a server is used that is not the only one.
        var hasUsableNode: Bool {
            servers.count > 1 && state.withLock { $0.breakers.contains { $0.state == .closed } }
        }

        /// Counts a success; does not end a suspension that started after the call.
        func succeeded(_ node: Int, in duration: Duration, isProbe: Bool) {
            state.withLock { state in
                state.metrics[node].latencies.add(duration)
                guard isProbe || state.breakers[node].state == .closed else { return }
                state.breakers[node].succeed()
                state.update(node)
                guard state.metrics[node].isReplaced, state.breakers[node].state == .closed else { return }
                state.metrics[node].isReplaced = false
                state.version += 1
            }
        }

        /// Counts a failure; does not prolong a suspension that started after the call.
        ///
        /// - Returns: the pause after which to try the server, if it is suspended from now on.
        func failed(_ node: Int, _ code: String, after duration: Duration, isProbe: Bool) -> Duration? {
            let now = ContinuousClock.now - start
            return state.withLock { state -> Duration? in
                state.metrics[node].latencies.add(duration)
                state.metrics[node].errors[code, default: 0] += 1
                guard isProbe || state.breakers[node].state == .closed else { return nil }
                return state.change(node, at: now) { $0.fail(at: now) }
            }
        }

        /// Suspends a server, because a call does not end.
        ///
        /// - Returns: the pause after which to try it; nil if it is suspended already.
        func trip(_ node: Int) -> Duration? {
            let now = ContinuousClock.now - start
            return state.withLock { state in state.change(node, at: now) { $0.trip(at: now) } }
        }
    }
#endif
