#if Memcached
    import Alcedo
    import AlcedoLocks
    import CMemcached
    import Dispatch
    import Foundation

    /// Calls of one server that wait for one of its threads, each of which has a connection of its own.
    ///
    /// libmemcached blocks, so its calls run on no thread of Swift's; a server that is slow keeps only its own threads.
    final class CallQueue: Sendable {
        private struct State {
            var waiting = FIFOQueue<NodeCall>()
            var isClosed = false
            var overloads = 0
        }

        let node: Int
        let table: NodeTable
        private let settings: MemcachedSettings
        private let state = Lock(State())
        private let wake = DispatchSemaphore(value: 0)
        private let threads: Int
        private let crew: ThreadCrew

        init(_ node: Int, _ table: NodeTable, _ settings: MemcachedSettings) {
            (self.node, self.table, self.settings) = (node, table, settings)
            threads = min(max(1, settings.threads), 64)
            crew = ThreadCrew(of: threads, name: "alcedo-memcached-\(node + 1)") {
                DetachedThread.start($0, stackSize: 1 << 20, $1)
            }
            crew.fill { [self] in run() }
        }

        private func run() {
            var connection = Connection(to: table.servers[node], settings)
            while let call = next() {
                // Its caller has not waited for it.
                if !call.run(on: &connection, of: self) { state.withLock { $0.overloads += 1 } }
            }
        }

        /// Ends the threads after the queued calls.
        func close() {
            state.withLock { $0.isClosed = true }
            // Once for each, because a thread that ends takes one.
            for _ in 0..<threads { wake.signal() }
        }

        /// Queues a call; false if the queue is full, or the system starts no thread for it.
        func append(_ call: NodeCall) -> Bool {
            let hasThread = crew.fill { [self] in run() } == 0
            let isAdded = state.withLock { state in
                guard hasThread, state.waiting.count < settings.queueLimit, !state.isClosed else {
                    state.overloads += 1
                    return false
                }
                state.waiting.append(call)
                return true
            }
            if isAdded { wake.signal() }
            return isAdded
        }

        /// The queued calls, and how many were rejected or expired.
        var load: (waiting: Int, overloads: Int) { state.withLock { ($0.waiting.count, $0.overloads) } }

        /// The next call; nil once the queue is closed.
        private func next() -> NodeCall? {
            while true {
                wake.wait()
                let (call, isClosed) = state.withLock { ($0.waiting.popFirst(), $0.isClosed) }
                if let call { return call }
                if isClosed { return nil }
            }
        }
    }

    // MARK: - Timeouts and probes

    extension CallQueue {
        /// The caller has cancelled the call: a failure of the server if that took longer than a poll may.
        func cancel(_ call: NodeCall) {
            giveUp(call, isTimeout: .now - call.start >= settings.pollTimeout)
        }

        /// The time of a call is over: a failure of the server, which is suspended at once if the call still runs.
        func expire(_ call: NodeCall) {
            if giveUp(call, isTimeout: true) { probe(after: table.trip(node)) }
        }

        @discardableResult
        private func giveUp(_ call: NodeCall, isTimeout: Bool, isProbe: Bool = false) -> Bool {
            let (isRunning, isTimeout) = call.giveUp(isTimeout: isTimeout)
            if isTimeout { fail(MEMCACHED_TIMEOUT, after: .now - call.start, isProbe: isProbe) }
            return isRunning
        }

        func fail(_ code: memcached_return_t, after duration: Duration, isProbe: Bool = false) {
            probe(after: table.failed(node, code.name, after: duration, isProbe: isProbe))
        }

        /// Probes the server after `pause`, if it is not nil, with a call that no load waits for.
        private func probe(after pause: Duration?) {
            guard let pause else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + pause / .seconds(1)) { [weak self] in
                guard let self, table.mayProbe(node) else { return }
                let call = NodeCall { connection, call, queue in connection.probe(call, queue) }
                guard append(call) else { return fail(MEMCACHED_TIMEOUT, after: .zero, isProbe: true) }
                // If calls that hang occupy all threads, the probe never starts, and counts as a failure.
                DispatchQueue.global().asyncAfter(deadline: .now() + settings.callTimeout.seconds) {
                    [weak self] in
                    self?.giveUp(call, isTimeout: true, isProbe: true)
                }
            }
        }
    }

    /// A call of one server, which its caller may give up.
    ///
    /// Once it counts as a timeout of its server, its result does not count.
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

        var hasTimedOut: Bool { state.withLock { $0.hasTimedOut } }

        /// Gives it up: if it has not started, it never runs.
        ///
        /// - Parameter isTimeout: whether it counts as a timeout from now on, if it has not ended.
        /// - Returns: whether it is running, and whether it has become a timeout.
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
