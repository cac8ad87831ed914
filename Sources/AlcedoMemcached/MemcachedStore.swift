#if Memcached
    public import Alcedo
    import AlcedoLocks
    import CMemcached
    import Dispatch
    public import Foundation

    /// Images in memcached, for a `SharedImageCache`.
    ///
    /// Keys are spread among the servers by consistent hashing (ketama): a server that is added or lost moves only its own
    /// share. Each has its own queue and threads, so that a slow one delays only its own keys. A server that fails or is slow is
    /// suspended, then replaced by the others until it works again. The store uses neither passwords nor encryption: run
    /// memcached on a closed network.
    public final class MemcachedStore: SharedImageStore {
        public var servers: [MemcachedServer] { table.servers }

        /// The settings, which cannot be changed afterwards.
        public let settings: MemcachedSettings

        let table: NodeTable
        let ring: Ring
        let queues: [CallQueue]

        /// A store over these servers, written as `host:port`; connects when it is first used.
        ///
        /// - Throws: ``MemcachedError/invalidServer(_:)``, ``MemcachedError/invalidServers``.
        public convenience init(
            servers: [String], settings: MemcachedSettings = MemcachedSettings()
        ) throws(MemcachedError) {
            var parsed: [MemcachedServer] = []
            for server in servers { parsed.append(try MemcachedServer(server)) }
            try self.init(servers: parsed, settings: settings)
        }

        /// A store over these servers; connects when it is first used.
        ///
        /// - Throws: ``MemcachedError/invalidServer(_:)``, ``MemcachedError/invalidServers``.
        public init(
            servers: [MemcachedServer], settings: MemcachedSettings = MemcachedSettings()
        ) throws(MemcachedError) {
            for server in servers { try server.check() }
            guard !servers.isEmpty, Set(servers.map(\.description)).count == servers.count else {
                throw .invalidServers
            }
            self.settings = settings
            let table = NodeTable(servers, settings)
            self.table = table
            ring = Ring(table, settings)
            queues = servers.indices.map { CallQueue($0, table, settings) }
        }

        deinit { for queue in queues { queue.close() } }

        /// What the store has done so far; may be read on any thread.
        public var metrics: MemcachedMetrics {
            var metrics = MemcachedMetrics(nodes: table.metrics)
            for load in queues.map(\.load) {
                metrics.waitingCalls += load.waiting
                metrics.overloads += load.overloads
            }
            return metrics
        }

        // MARK: - Values

        /// The value of a key; nil if there is none.
        ///
        /// - Throws: ``MemcachedError``.
        public func value(forKey key: String) async throws -> Data? {
            try check([key])
            return try await call(ring.node(of: key)) { connection, call, queue throws(MemcachedError) in
                try connection.get(key, call, queue)
            }
        }

        /// The values of the keys; without those of servers that failed or did not respond in time.
        ///
        /// - Throws: ``MemcachedError``, only if no server has responded.
        public func values(forKeys keys: [String]) async throws -> [String: Data] {
            try check(keys)
            let keysOfNodes = Dictionary(grouping: keys) { ring.node(of: $0) }
            let results = try await callEach(of: Array(keysOfNodes.keys)) {
                connection, call, queue throws(MemcachedError) in
                var values: [String: Data] = [:]
                for key in keysOfNodes[queue.node] ?? [] {
                    values[key] = try connection.get(key, call, queue)
                }
                return values
            }
            return results.reduce(into: [:]) { $0.merge($1) { $1 } }
        }

        /// Sets a value, which expires after `seconds`, or never for 0.
        ///
        /// - Throws: ``MemcachedError``. After a timeout the value may be set nevertheless.
        public func set(_ value: Data, forKey key: String, expiringAfter seconds: Int) async throws {
            try check([key])
            let expiry = memcachedExpiry(seconds)
            try await call(ring.node(of: key)) { connection, call, queue throws(MemcachedError) in
                _ = try connection.perform(call, queue, bytes: value.count) { handle in
                    (value.withChars { memcached_set(handle, key, key.utf8.count, $0, $1, expiry, 0) }, ())
                }
                queue.table.change(queue.node) { $0.sentBytes += value.count }
            }
        }

        /// Sets a value if the key has none; false if it has one.
        ///
        /// - Throws: ``MemcachedError``. After a timeout the value may be set nevertheless.
        public func add(_ value: Data, forKey key: String, expiringAfter seconds: Int) async throws -> Bool {
            try check([key])
            let expiry = memcachedExpiry(seconds)
            return try await call(ring.node(of: key)) { connection, call, queue throws(MemcachedError) in
                let (code, _) = try connection.perform(call, queue, bytes: value.count) { handle in
                    (value.withChars { memcached_add(handle, key, key.utf8.count, $0, $1, expiry, 0) }, ())
                }
                let isAdded = code != MEMCACHED_NOTSTORED && code != MEMCACHED_DATA_EXISTS
                if isAdded { queue.table.change(queue.node) { $0.sentBytes += value.count } }
                return isAdded
            }
        }

        /// Deletes a value; a missing one is no error.
        ///
        /// - Throws: ``MemcachedError``.
        public func delete(_ key: String) async throws {
            try check([key])
            try await call(ring.node(of: key)) { connection, call, queue throws(MemcachedError) in
                try connection.delete(key, call, queue)
            }
        }

        /// The value of each server, nil if it has none; without the servers that don't respond.
        ///
        /// - Throws: ``MemcachedError``, only if no server has responded.
        public func copies(ofKey key: String) async throws -> [Data?] {
            try check([key])
            return try await callEach(of: Array(queues.indices)) {
                connection, call, queue throws(MemcachedError) in try connection.get(key, call, queue)
            }
        }

        /// Sets a value on every server, which never expires.
        ///
        /// - Throws: ``MemcachedError``, only if no server has responded.
        public func setCopies(_ value: Data, forKey key: String) async throws {
            try check([key])
            _ = try await callEach(of: Array(queues.indices)) {
                connection, call, queue throws(MemcachedError) in
                _ = try connection.perform(call, queue, bytes: value.count) { handle in
                    (value.withChars { memcached_set(handle, key, key.utf8.count, $0, $1, 0, 0) }, ())
                }
            }
        }
    }

    extension MemcachedStore: SharedNodeStore {
        package var hasUsableNode: Bool { table.hasUsableNode }

        package var nodeCount: Int { queues.count }

        package func deleteCopies(
            ofKey key: String, from nodes: [Int], confirm: @escaping @Sendable (_ node: Int) -> Void
        ) async throws {
            try check([key])
            let results = await results(of: nodes) { connection, call, queue throws(MemcachedError) in
                try connection.delete(key, call, queue)
                confirm(queue.node)
            }
            // All have been tried by now, whichever failed first.
            for result in results { try result.get() }
        }
    }

    /// memcached's expiry: 0 for never; beyond 30 days it counts from 1970, in 31 bits.
    func memcachedExpiry(_ seconds: Int, now: Int = time(nil)) -> Int {
        guard seconds > 0 else { return 0 }
        return seconds > 2_592_000 ? min(now + min(seconds, Int(Int32.max)), Int(Int32.max)) : seconds
    }

    extension MemcachedStore {
        /// What runs on a thread of a server.
        typealias Body<Value> =
            @Sendable (inout Connection, NodeCall, CallQueue) throws(MemcachedError) -> Value

        func check(_ keys: [String]) throws(MemcachedError) {
            for key in keys {
                guard (1...250).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
                else { throw .invalidKey(key) }
            }
        }

        /// Runs `body` on a thread of a server, within the time.
        func call<Value: Sendable>(
            _ node: Int, _ body: @escaping Body<Value>
        ) async throws(MemcachedError) -> Value {
            try await result(of: node, body).get()
        }

        /// Runs `body` for several servers at the same time; the results of those that respond in time, in any order.
        ///
        /// Throws if there are none.
        private func callEach<Value: Sendable>(
            of nodes: [Int], _ body: @escaping Body<Value>
        ) async throws(MemcachedError) -> [Value] {
            let results = await results(of: nodes, body)
            let values = results.compactMap { try? $0.get() }
            if values.isEmpty, let first = results.first { return [try first.get()] }
            return values
        }

        /// Runs `body` for several servers at the same time; their results, in any order.
        func results<Value: Sendable>(
            of nodes: [Int], _ body: @escaping Body<Value>
        ) async -> [Result<Value, MemcachedError>] {
            await withTaskGroup(of: Result<Value, MemcachedError>.self) { group in
                for node in nodes { group.addTask { await self.result(of: node, body) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }

        private func result<Value: Sendable>(
            of node: Int, _ body: @escaping Body<Value>
        ) async -> Result<Value, MemcachedError> {
            let queue = queues[node]
            guard table.mayCall(node) else {
                return .failure(.suspended(server: table.servers[node].description))
            }
            let result = OneShot<Value, MemcachedError>()
            let call = NodeCall { connection, call, queue in
                do throws(MemcachedError) {
                    result.finish(.success(try body(&connection, call, queue)))
                } catch {
                    result.finish(.failure(error))
                }
            }
            guard queue.append(call) else { return .failure(.overloaded) }
            DispatchQueue.global().asyncAfter(deadline: .now() + settings.callTimeout.seconds) {
                queue.expire(call)
                result.finish(.failure(.timedOut))
            }
            return await withTaskCancellationHandler {
                do throws(MemcachedError) { return .success(try await result.value()) } catch {
                    return .failure(error)
                }
            } onCancel: {
                queue.cancel(call)
                result.finish(.failure(.timedOut))
            }
        }
    }
#endif
