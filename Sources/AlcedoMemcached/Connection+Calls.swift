#if Memcached
    import Alcedo
    import CMemcached
    import Foundation

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
            let limit = Duration.seconds(settings.pollTimeout)
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
