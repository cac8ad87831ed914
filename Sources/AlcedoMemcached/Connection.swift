#if Memcached
    import Alcedo
    import CMemcached
    import Foundation

    /// A `memcached_st`, which belongs to one thread.
    struct Handle: ~Copyable {
        let pointer: UnsafeMutablePointer<memcached_st>

        /// A handle for these servers; nil if memory is short.
        init?(_ servers: [MemcachedServer], _ settings: MemcachedSettings) {
            guard let pointer = memcached_create(nil) else { return nil }
            self.pointer = pointer
            let poll = settings.pollTimeout.milliseconds
            // Before the servers: changing a behaviour closes connections. Ejecting servers is left to NodeTable, which also
            // counts timeouts; libmemcached does not.
            let behaviors: [(memcached_behavior_t, UInt64)] = [
                (MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1), (MEMCACHED_BEHAVIOR_TCP_NODELAY, 1),
                (MEMCACHED_BEHAVIOR_NO_BLOCK, 1), (MEMCACHED_BEHAVIOR_VERIFY_KEY, 1),
                (MEMCACHED_BEHAVIOR_CONNECT_TIMEOUT, settings.connectTimeout.milliseconds),
                (MEMCACHED_BEHAVIOR_POLL_TIMEOUT, poll),
                // In microseconds, the others in milliseconds.
                (MEMCACHED_BEHAVIOR_SND_TIMEOUT, poll * 1000),
                (MEMCACHED_BEHAVIOR_RCV_TIMEOUT, poll * 1000), (MEMCACHED_BEHAVIOR_RETRY_TIMEOUT, 2),
                (MEMCACHED_BEHAVIOR_SERVER_FAILURE_LIMIT, 2),
            ]
            for (behavior, value) in behaviors { memcached_behavior_set(pointer, behavior, value) }
            for server in servers {
                memcached_server_add_with_weight(
                    pointer, server.host, in_port_t(server.port), UInt32(server.weight))
            }
        }

        deinit { memcached_free(pointer) }
    }

    /// Holds a handle where it may be replaced.
    final class HandleBox {
        let handle: Handle
        var isUsed = false

        init?(_ servers: [MemcachedServer], _ settings: MemcachedSettings) {
            guard let handle = Handle(servers, settings) else { return nil }
            self.handle = handle
        }
    }

    /// One thread's connection to a server.
    struct Connection: ~Copyable {
        private let server: MemcachedServer
        let settings: MemcachedSettings
        private var box: HandleBox?

        init(to server: MemcachedServer, _ settings: MemcachedSettings) {
            (self.server, self.settings) = (server, settings)
        }

        /// Calls the server; a connection that has broken since its last use is replaced once.
        ///
        /// - Returns: libmemcached's code and what `body` returned.
        mutating func call<Value>(
            _ body: (UnsafeMutablePointer<memcached_st>) -> (memcached_return_t, Value)
        ) -> (memcached_return_t, Value)? {
            while true {
                guard let box = box ?? HandleBox([server], settings) else { return nil }
                self.box = box
                let wasUsed = box.isUsed
                box.isUsed = true
                let (code, value) = body(box.handle.pointer)
                guard code.isNodeFailure else { return (code, value) }
                // A late response must not be taken for that of the next call.
                self.box = nil
                // Not after a timeout, which has used up the time of the call.
                guard wasUsed, code != MEMCACHED_TIMEOUT else { return (code, value) }
            }
        }
    }

    extension Duration {
        fileprivate var milliseconds: UInt64 { UInt64(min(max(1, self / .milliseconds(1)), 60_000)) }
    }

    extension memcached_return_t {
        /// Whether the server, or the connection to it, is to blame.
        var isNodeFailure: Bool {
            switch self {
            case MEMCACHED_SUCCESS, MEMCACHED_NOTFOUND, MEMCACHED_NOTSTORED, MEMCACHED_STORED,
                MEMCACHED_DELETED, MEMCACHED_DATA_EXISTS, MEMCACHED_E2BIG, MEMCACHED_SERVER_ERROR,
                MEMCACHED_SERVER_MEMORY_ALLOCATION_FAILURE, MEMCACHED_BAD_KEY_PROVIDED,
                MEMCACHED_KEY_TOO_BIG, MEMCACHED_INVALID_ARGUMENTS:
                false
            default: true
            }
        }

        /// Such as `CONNECTION FAILURE`.
        var name: String { memcached_strerror(nil, self).map { String(cString: $0) } ?? "\(rawValue)" }
    }

    extension Connection {
        /// Calls the server unless it is suspended, and counts the result.
        ///
        /// - Returns: a code that is no failure, and what `body` returned.
        mutating func perform<Value>(
            _ current: NodeCall, _ queue: CallQueue, bytes: Int = 0, isProbe: Bool = false,
            _ body: (UnsafeMutablePointer<memcached_st>) -> (memcached_return_t, Value)
        ) throws(MemcachedError) -> (memcached_return_t, Value) {
            let (table, index) = (queue.table, queue.node)
            let server = table.servers[index].description
            guard isProbe || table.mayCall(index) else { throw .suspended(server: server) }
            let start = ContinuousClock.now
            guard let (code, value) = call(body) else {
                throw .failed(server: server, reason: "out of memory")
            }
            let duration = ContinuousClock.now - start
            // Else it has counted already.
            let counts = !current.hasTimedOut
            guard code.isNodeFailure else {
                if counts { table.succeeded(index, in: duration, isProbe: isProbe) }
                guard code.isRejection else { return (code, value) }
                table.change(index) { $0.errors[code.name, default: 0] += 1 }
                if code == MEMCACHED_E2BIG { throw .tooLarge(bytes: bytes) }
                throw .failed(server: server, reason: code.name)
            }
            if counts { queue.fail(code, after: duration, isProbe: isProbe) }
            throw .failed(server: server, reason: code.name)
        }

        mutating func get(
            _ key: String, _ current: NodeCall, _ queue: CallQueue
        ) throws(MemcachedError) -> Data? {
            let (_, value) = try perform(current, queue) { read(key, $0) }
            queue.table.change(queue.node) { metrics in
                if let value { metrics.receivedBytes += value.count }
                if value == nil { metrics.misses += 1 } else { metrics.hits += 1 }
            }
            return value
        }

        mutating func delete(
            _ key: String, _ current: NodeCall, _ queue: CallQueue
        ) throws(MemcachedError) {
            _ = try perform(current, queue) { (memcached_delete($0, key, key.utf8.count, 0), ()) }
        }

        /// Tries the server twice: to connect, and to see that it responds within the poll timeout.
        mutating func probe(_ current: NodeCall, _ queue: CallQueue) {
            let limit = settings.pollTimeout
            // Its error has been counted.
            _ = try? perform(current, queue, isProbe: true) { handle in
                let (code, _) = read("al1:probe", handle)
                guard !code.isNodeFailure else { return (code, ()) }
                let start = ContinuousClock.now
                let (again, _) = read("al1:probe", handle)
                return (ContinuousClock.now - start > limit ? MEMCACHED_TIMEOUT : again, ())
            }
        }
    }

    /// Reads a value, whose memory is libmemcached's until it is released.
    private func read(
        _ key: String, _ handle: UnsafeMutablePointer<memcached_st>
    ) -> (memcached_return_t, Data?) {
        var (count, flags, code) = (0, UInt32(0), MEMCACHED_FAILURE)
        let bytes = memcached_get(handle, key, key.utf8.count, &count, &flags, &code)
        guard let bytes else { return (code, code == MEMCACHED_SUCCESS ? Data() : nil) }
        guard code == MEMCACHED_SUCCESS else {
            free(bytes)
            return (code, nil)
        }
        return (code, Data(bytesNoCopy: bytes, count: count, deallocator: .free))
    }

    extension memcached_return_t {
        /// Whether a working server has rejected the command.
        fileprivate var isRejection: Bool {
            switch self {
            case MEMCACHED_SUCCESS, MEMCACHED_NOTFOUND, MEMCACHED_NOTSTORED, MEMCACHED_STORED,
                MEMCACHED_DELETED, MEMCACHED_DATA_EXISTS:
                false
            default: true
            }
        }
    }

    extension Data {
        /// Calls `body` with the bytes and their number.
        func withChars<Result>(_ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
            withUnsafeBytes { body($0.bindMemory(to: CChar.self).baseAddress, $0.count) }
        }
    }
#endif
