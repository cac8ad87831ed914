import AlcedoWaiting
import Glibc

/// The server's event loop: accepts, reads and sends with non-blocking sockets on one thread.
final class Reactor {
    private let listener: Int32
    private let mailbox: Mailbox
    private let routes: Routes
    private let traffic: Monitor<Traffic>
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private var connections: [Int: Connection] = [:]
    private var lastNumber = 0
    private var alarms = Alarms()
    private var isRunning = true

    /// The listener, the mailbox, and the connections in `polled`'s order.
    private var descriptors: [pollfd]
    private var polled: [Connection] = []

    private static let fixed = 2
    private static let peerClosed: Int16 = 0x2000  // POLLRDHUP, which the Glibc module does not show

    init(listener: Int32, mailbox: Mailbox, routes: Routes, traffic: Monitor<Traffic>) {
        self.listener = listener
        self.mailbox = mailbox
        self.routes = routes
        self.traffic = traffic
        descriptors = [listener, mailbox.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    deinit { scratch.deallocate() }

    /// Serves until the stop message, then closes all sockets.
    func run() {
        while isRunning {
            var ready = poll(&descriptors, nfds_t(descriptors.count), alarms.millisecondsToNext)
            if descriptors[0].revents != 0 { ready -= 1 }
            if descriptors[1].revents != 0 {
                ready -= 1
                readMail()
            }
            // Backwards, because the last connection moves to the index of a closed one.
            var index = polled.count - 1
            while ready > 0, index >= 0 {
                let events = descriptors[index + Self.fixed].revents
                if events != 0 {
                    ready -= 1
                    handle(polled[index], events)
                }
                index -= 1
            }
            for number in alarms.takeDue() { resume(number) }
            if descriptors[0].revents != 0 { acceptAll() }
        }
        for connection in connections.values { end(connection, .end) }
        close(listener)
        traffic.update { $0.hasStopped = true }
    }

    private func readMail() {
        for message in mailbox.takeAll() {
            switch message {
            case .resume(let number): resume(number)
            case .stop: isRunning = false
            }
        }
    }

    private func handle(_ connection: Connection, _ events: Int16) {
        connection.mayRead = true
        let hasClosed = events & (Self.peerClosed | Int16(POLLHUP | POLLERR | POLLNVAL)) != 0
        if !connection.isStalled { pump(connection) }
        if hasClosed { end(connection, .end) }
    }

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            lastNumber += 1
            let connection = Connection(number: lastNumber, descriptor: descriptor, place: polled.count)
            connections[lastNumber] = connection
            polled.append(connection)
            descriptors.append(pollfd(fd: descriptor, events: 0, revents: 0))
            listen(to: connection, for: POLLIN)
            traffic.update { $0.connectionsAccepted += 1 }
        }
    }

    private func listen(to connection: Connection, for events: Int32) {
        descriptors[connection.place + Self.fixed].events = Int16(events) | Self.peerClosed
    }

    private func forget(_ connection: Connection) {
        let last = polled.removeLast()
        let descriptor = descriptors.removeLast()
        guard last !== connection else { return }
        last.place = connection.place
        polled[last.place] = last
        descriptors[last.place + Self.fixed] = descriptor
    }
}

// MARK: - Connections

extension Reactor {
    private func resume(_ number: Int) {
        guard let connection = connections[number] else { return }
        connection.isStalled = false
        connection.heldBy = nil
        pump(connection)
    }

    /// Reads requests and sends replies until either has to wait.
    private func pump(_ connection: Connection) {
        while true {
            if connection.plan != nil {
                guard resumeReply(connection) else { return }
            }
            switch ReceivedRequest.take(from: &connection.input) {
            case .request(let request): start(request, on: connection)
            case .malformed: return end(connection, .end)
            case .incomplete:
                guard !read(connection) else { continue }
                if connection.hasEnded { end(connection, .end) } else { listen(to: connection, for: POLLIN) }
                return
            }
        }
    }

    private func start(_ request: ReceivedRequest, on connection: Connection) {
        var request = request
        request.connection = connection.number
        request.indexOnConnection = connection.requests
        connection.requests += 1
        let recorded = request
        traffic.update { $0.start(recorded) }
        connection.start(routes.plan(for: request), for: request)
    }

    /// Returns `true` if the reply is finished and the connection stays open.
    private func resumeReply(_ connection: Connection) -> Bool {
        while true {
            let progress = connection.advance()
            let bytes = connection.takeUnreportedBytes()
            switch progress {
            case .finished(let close):
                traffic.update { $0.finish(bytes: bytes) }
                if close { end(connection, .end) }
                return !close
            case .hangUp(let how):
                if connection.plan == nil { traffic.update { $0.finish(bytes: bytes) } }
                end(connection, how)
                return false
            case .waitsForSocket:
                traffic.update { $0.bytesSent += bytes }
                listen(to: connection, for: POLLOUT)
                return false
            case .stalled(.time(let duration)):
                traffic.update { $0.bytesSent += bytes }
                alarms.set(connection.number, after: duration)
                connection.isStalled = true
                listen(to: connection, for: 0)
                return false
            case .stalled(.gate(let gate)):
                if bytes > 0 { traffic.update { $0.bytesSent += bytes } }
                let number = connection.number
                let ticket = gate.enter { [mailbox] in mailbox.post(.resume(connection: number)) }
                guard let ticket else { continue }
                connection.heldBy = (gate, ticket)
                connection.isStalled = true
                listen(to: connection, for: 0)
                return false
            }
        }
    }

    /// Returns `false` if there are no more bytes for now, or at the end.
    private func read(_ connection: Connection) -> Bool {
        guard connection.mayRead else { return false }
        let count = recv(connection.descriptor, scratch.baseAddress, scratch.count, 0)
        guard count > 0 else {
            connection.mayRead = false
            connection.hasEnded = count == 0 || errno != EAGAIN
            return false
        }
        connection.input.append(contentsOf: scratch[..<count])
        // A short read has emptied the socket; `poll` reports later bytes.
        connection.mayRead = count == scratch.count
        return true
    }

    private func end(_ connection: Connection, _ how: Reply.HangUp) {
        guard connections.removeValue(forKey: connection.number) != nil else { return }
        if let (gate, ticket) = connection.heldBy { gate.leave(ticket) }
        alarms.clear(connection.number)
        let descriptor = connection.descriptor
        switch how {
        case .end:
            // With unread bytes, closing would send a reset.
            while recv(descriptor, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT)) > 0 {}
            // A program being started may have inherited the descriptor.
            shutdown(descriptor, Int32(SHUT_RDWR))
        case .reset:
            var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor,
                SOL_SOCKET,
                SO_LINGER,
                &linger,
                socklen_t(MemoryLayout<Glibc.linger>.size)
            )
        }
        close(descriptor)
        forget(connection)
        let wasAbandoned = connection.plan != nil
        traffic.update { traffic in
            traffic.connectionsClosed += 1
            guard wasAbandoned else { return }
            traffic.inProgress -= 1
            traffic.repliesAbandoned += 1
        }
    }
}

/// The replies of each path.
final class Routes: Sendable {
    typealias Handler = @Sendable (ReceivedRequest) -> Reply

    enum Route: Sendable {
        /// One after the other; the last one is repeated.
        case plans([ReplyPlan], next: Int)
        case handler(Handler)
    }

    private let routes = Monitor<[String: Route]>([:])
    private let notFound = ReplyPlan(.status(404))

    func set(_ route: Route, for path: String) { routes.update { $0[path] = route } }

    func plan(for request: ReceivedRequest) -> ReplyPlan {
        let (plan, handler) = routes.update { routes -> (ReplyPlan?, Handler?) in
            switch routes[request.path] {
            case .plans(let plans, let next):
                if next < plans.count - 1 { routes[request.path] = .plans(plans, next: next + 1) }
                return (plans[next], nil)
            case .handler(let handler): return (nil, handler)
            case nil: return (nil, nil)
            }
        }
        return plan ?? handler.map { ReplyPlan($0(request)) } ?? notFound
    }
}

/// The timers of connections, sorted by time in descending order.
struct Alarms {
    private var pending: [(time: ContinuousClock.Instant, connection: Int)] = []

    mutating func set(_ connection: Int, after duration: Duration) {
        let time = ContinuousClock.now + duration
        let index = pending.lastIndex { $0.time > time }.map { $0 + 1 } ?? 0
        pending.insert((time, connection), at: index)
    }

    mutating func clear(_ connection: Int) { pending.removeAll { $0.connection == connection } }

    mutating func takeDue() -> [Int] {
        guard !pending.isEmpty else { return [] }
        let now = ContinuousClock.now
        var due: [Int] = []
        while let last = pending.last, last.time <= now {
            due.append(last.connection)
            pending.removeLast()
        }
        return due
    }

    /// The timeout for `poll`, rounded up; -1 without a timer.
    var millisecondsToNext: Int32 {
        guard let next = pending.last else { return -1 }
        let left = max(.zero, next.time - .now)
        return Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
    }
}
