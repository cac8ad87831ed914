#if Server
    import AlcedoLocks
    import CEpoll
    import CMicroHTTPD
    import Foundation

    /// Watches open connections on a thread of its own: cancels exchanges whose client has disconnected, and closes connections
    /// whose request or response takes too long.
    ///
    /// libmicrohttpd does not watch a suspended connection, and its timeout restarts with each byte. The thread wakes
    /// for a client that has disconnected and for deadlines; a server without connections wakes nothing.
    final class ConnectionWatch: Sendable {
        private struct Connection {
            let number: UInt32
            var deadline: UInt64
            var isGone = false
            var exchange: Exchange?
        }

        private struct State {
            var connections: [Int32: Connection] = [:]
            var lastNumber: UInt32 = 0
            /// When deadlines are checked next, `.max` for never; some may be earlier by up to a second.
            var nextCheck = UInt64.max
            var isStopped = false
        }

        private let state = Lock(State())
        private let set: Int32
        private let waker: Int32

        init() throws(ListenError) {
            set = epoll_create1(Int32(EPOLL_CLOEXEC))
            waker = alcedo_mhd_waker()
            // Each write is an event, so nobody has to read.
            var event = epoll_event(
                events: EPOLLIN.rawValue | EPOLLET.rawValue,
                data: epoll_data_t(u64: UInt64(UInt32(bitPattern: waker))))
            guard set >= 0, waker >= 0, epoll_ctl(set, EPOLL_CTL_ADD, waker, &event) == 0 else {
                let reason = String(cString: strerror(errno))
                closeDescriptors()
                throw ListenError(description: "epoll: \(reason)")
            }
            let status = DetachedThread.start("alcedo-connections") { [self] in run() }
            guard status == 0 else {
                closeDescriptors()
                throw ListenError(
                    description: "no thread for connections: \(String(cString: strerror(status)))")
            }
        }

        private func closeDescriptors() {
            if set >= 0 { close(set) }
            if waker >= 0 { close(waker) }
        }

        /// Ends the thread; all connections are closed.
        func stop() {
            state.withLock { state in
                state.isStopped = true
                // Under the lock, so that the thread has not closed it yet.
                alcedo_mhd_wake(waker)
            }
        }

        var count: Int { state.withLock { $0.connections.count } }

        /// When the thread wakes by itself, in nanoseconds of `DispatchTime`; nil if it does not.
        var nextWakeUp: UInt64? { state.withLock { $0.nextCheck == .max ? nil : $0.nextCheck } }

        /// Notes a new connection; its first request must be complete within `timeout` seconds.
        func add(_ descriptor: Int32, timeout: Int) {
            let deadline = Self.deadline(in: timeout)
            let number = state.withLock { state in
                state.lastNumber &+= 1
                state.connections[descriptor] = Connection(number: state.lastNumber, deadline: deadline)
                schedule(deadline, &state)
                return state.lastNumber
            }
            // Only the change counts: data that waits to be read is libmicrohttpd's.
            var event = epoll_event(
                events: EPOLLRDHUP.rawValue | EPOLLET.rawValue,
                data: epoll_data_t(u64: UInt64(number) << 32 | UInt64(UInt32(bitPattern: descriptor))))
            _ = epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event)
        }

        /// Forgets a connection, before its socket is closed.
        func remove(_ descriptor: Int32) {
            _ = state.withLock { $0.connections.removeValue(forKey: descriptor) }
        }

        /// A request is complete: the handler has as long as it needs.
        func headIsComplete(_ descriptor: Int32) { change(descriptor) { $0.deadline = .max } }

        /// The exchange is cancelled if its client closes the connection; true if it has.
        func await(_ exchange: Exchange) -> Bool {
            change(exchange.descriptor) { $0.exchange = exchange } ?? false
        }

        /// The handler has ended: libmicrohttpd must take the response within `timeout` seconds.
        func hasResponse(_ descriptor: Int32, timeout: Int) {
            let deadline = Self.deadline(in: timeout)
            change(descriptor) { connection in
                connection.deadline = deadline
                connection.exchange = nil
            }
        }

        /// The response must be sent within `timeout` seconds.
        func isSending(_ descriptor: Int32, timeout: Int) {
            let deadline = Self.deadline(in: timeout)
            change(descriptor) { $0.deadline = deadline }
        }

        /// The next request must be complete within `timeout` seconds.
        func isIdle(_ descriptor: Int32, timeout: Int) {
            let deadline = Self.deadline(in: timeout)
            change(descriptor) { connection in
                connection.deadline = deadline
                connection.exchange = nil
            }
        }

        /// Returns whether the client has disconnected; nil if the connection is unknown.
        @discardableResult
        private func change(_ descriptor: Int32, _ body: (inout Connection) -> Void) -> Bool? {
            state.withLock { state in
                guard var connection = state.connections[descriptor] else { return nil }
                body(&connection)
                state.connections[descriptor] = connection
                schedule(connection.deadline, &state)
                return connection.isGone
            }
        }

        /// Has the thread check earlier, if a deadline is.
        private func schedule(_ deadline: UInt64, _ state: inout State) {
            guard deadline < state.nextCheck else { return }
            state.nextCheck = deadline
            if !state.isStopped { alcedo_mhd_wake(waker) }
        }

        private func run() {
            var events = [epoll_event](repeating: epoll_event(), count: 256)
            while let milliseconds = checkDeadlines() {
                let count = Int(epoll_wait(set, &events, 256, milliseconds))
                for event in events.prefix(max(0, count)) {
                    let (number, descriptor) = (
                        UInt32(event.data.u64 >> 32), Int32(truncatingIfNeeded: event.data.u64)
                    )
                    let exchange = state.withLock { state -> Exchange? in
                        // The event may be of a connection that had this descriptor before.
                        guard state.connections[descriptor]?.number == number else { return nil }
                        state.connections[descriptor]?.isGone = true
                        return state.connections[descriptor]?.exchange
                    }
                    exchange?.abandon()
                }
            }
            closeDescriptors()
        }

        /// Ends late connections when it is time for that: libmicrohttpd then finds them closed.
        ///
        /// - Returns: the milliseconds until the next check, -1 if there is none; nil once it is stopped.
        private func checkDeadlines() -> Int32? {
            let now = DispatchTime.now().uptimeNanoseconds
            return state.withLock { state in
                if state.isStopped { return nil }
                if state.nextCheck <= now {
                    var earliest = UInt64.max
                    for (descriptor, connection) in state.connections {
                        if connection.deadline <= now {
                            // Under the lock, so that the descriptor isn't closed and another's by now.
                            shutdown(descriptor, Int32(SHUT_RDWR))
                            state.connections[descriptor]?.deadline = .max
                        } else {
                            earliest = min(earliest, connection.deadline)
                        }
                    }
                    // Not for each of thousands of connections.
                    state.nextCheck = earliest == .max ? .max : max(earliest, now + 1_000_000_000)
                }
                if state.nextCheck == .max { return -1 }
                return Int32(clamping: (state.nextCheck - now) / 1_000_000 + 1)
            }
        }

        private static func deadline(in seconds: Int) -> UInt64 {
            DispatchTime.now().uptimeNanoseconds &+ UInt64(max(0, seconds)) &* 1_000_000_000
        }
    }
#endif
