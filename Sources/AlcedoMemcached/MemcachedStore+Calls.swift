#if Memcached
    import Alcedo
    import Dispatch
    import Foundation

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
        func callEach<Value: Sendable>(
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
            DispatchQueue.global().asyncAfter(deadline: .now() + settings.callTimeout) {
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
