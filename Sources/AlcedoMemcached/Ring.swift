#if Memcached
    import AlcedoLocks
    import CMemcached

    /// The ring that spreads keys among the servers.
    final class Ring: Sendable {
        private struct State {
            var box: HandleBox?
            var nodes: [Int] = []
            var version = -1
        }

        private let table: NodeTable
        private let settings: MemcachedSettings
        private let state = Lock(State())

        init(_ table: NodeTable, _ settings: MemcachedSettings) {
            (self.table, self.settings) = (table, settings)
        }

        func node(of key: String) -> Int {
            let (table, settings) = (table, settings)
            // Under the lock, because a `memcached_st` belongs to one thread at a time.
            return state.withLock { state in
                if state.version != table.version {
                    (state.version, state.nodes) = table.live
                    // The old one may end under the lock: it only calculates hashes, and has no connection to close.
                    state.box = HandleBox(state.nodes.map { table.servers[$0] }, settings)
                }
                guard let box = state.box, state.nodes.count > 1 else { return state.nodes[0] }
                let index = memcached_generate_hash(box.handle.pointer, key, key.utf8.count)
                return state.nodes[min(Int(index), state.nodes.count - 1)]
            }
        }
    }
#endif
