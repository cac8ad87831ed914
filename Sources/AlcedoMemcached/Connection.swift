#if Memcached
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
            // counts time-outs; libmemcached does not.
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
                // Not after a time-out, which has used up the time of the call.
                guard wasUsed, code != MEMCACHED_TIMEOUT else { return (code, value) }
            }
        }
    }

    extension TimeInterval {
        fileprivate var milliseconds: UInt64 { UInt64(min(max(1, self * 1000), 60_000)) }
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
#endif
