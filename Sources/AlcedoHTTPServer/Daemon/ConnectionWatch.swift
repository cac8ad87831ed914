#if Server
    import AlcedoLocks
    import CEpoll
    import Foundation
    import Synchronization

    /// Watches open connections on a thread of its own: cancels exchanges whose client has gone, and closes connections
    /// whose request or response takes too long.
    ///
    /// libmicrohttpd leaves a suspended connection alone, and its time-out begins anew with each byte.
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
        }

        private let state = Lock(State())
        private let set: Int32
        private let isStopped = Atomic(false)

        init() throws(ListenError) {
            set = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard set >= 0 else {
                throw ListenError(description: "epoll: \(String(cString: strerror(errno)))")
            }
            let status = DetachedThread.start("alcedo-connections") { [self] in
                while !isStopped.load(ordering: .acquiring) { turn() }
                close(set)
            }
            guard status == 0 else {
                close(set)
                throw ListenError(
                    description: "no thread for connections: \(String(cString: strerror(status)))")
            }
        }

        /// Ends the thread within a second; all connections are closed.
        func stop() { isStopped.store(true, ordering: .releasing) }

        var count: Int { state.withLock { $0.connections.count } }

        /// Notes a new connection; its first request must be complete within `timeout` seconds.
        func add(_ descriptor: Int32, timeout: Int) {
            let number = state.withLock { state in
                state.lastNumber &+= 1
                state.connections[descriptor] = Connection(
                    number: state.lastNumber, deadline: Self.deadline(in: timeout))
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

        /// A request is complete: the handler's time begins.
        func headIsComplete(_ descriptor: Int32) { change(descriptor) { $0.deadline = .max } }

        /// The exchange is cancelled if its client closes the connection; true if it has.
        func await(_ exchange: Exchange) -> Bool {
            change(exchange.descriptor) { $0.exchange = exchange } ?? false
        }

        /// The handler has ended: libmicrohttpd must take the response within `timeout` seconds.
        func isAnswered(_ descriptor: Int32, timeout: Int) {
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

        /// Returns whether the client has gone; nil if the connection is unknown.
        @discardableResult
        private func change(_ descriptor: Int32, _ body: (inout Connection) -> Void) -> Bool? {
            state.withLock { state in
                guard var connection = state.connections[descriptor] else { return nil }
                body(&connection)
                state.connections[descriptor] = connection
                return connection.isGone
            }
        }

        private func turn() {
            var events = [epoll_event](repeating: epoll_event(), count: 256)
            let count = Int(epoll_wait(set, &events, 256, 1000))
            for event in events.prefix(max(0, count)) {
                let (number, descriptor) = (
                    UInt32(event.data.u64 >> 32), Int32(truncatingIfNeeded: event.data.u64)
                )
                let exchange = state.withLock { state -> Exchange? in
                    guard state.connections[descriptor]?.number == number else { return nil }
                    state.connections[descriptor]?.isGone = true
                    return state.connections[descriptor]?.exchange
                }
                exchange?.abandon()
            }
            closeLate()
        }

        /// Ends late connections: libmicrohttpd then finds them closed.
        private func closeLate() {
            let now = DispatchTime.now().uptimeNanoseconds
            state.withLock { state in
                for (descriptor, connection) in state.connections where connection.deadline <= now {
                    // Under the lock, so that the descriptor isn't closed and another's by now.
                    shutdown(descriptor, Int32(SHUT_RDWR))
                    state.connections[descriptor]?.deadline = .max
                }
            }
        }

        private static func deadline(in seconds: Int) -> UInt64 {
            DispatchTime.now().uptimeNanoseconds &+ UInt64(max(0, seconds)) &* 1_000_000_000
        }
    }
#endif
