import AlcedoLocks

/// Counts changes of keys while lookups hold snapshots of them, so that what these find is not stored after a change.
///
/// Keys are known by their hashes. If two collide, a change of one counts for both, which at worst skips a store.
final class CacheGenerations: Sendable {
    /// A key's counts at the start of a read, which are kept while this exists.
    final class Snapshot: Sendable {
        fileprivate let key: Int
        fileprivate let variant: Int
        let counts: Counts
        private let owner: CacheGenerations

        fileprivate init(key: Int, variant: Int, of owner: CacheGenerations) {
            (self.key, self.variant, self.owner) = (key, variant, owner)
            counts = owner.state.withLock { state in
                Counts(
                    clears: state.clears, removals: state.removals.watch(key),
                    stores: state.stores.watch(variant))
            }
        }

        deinit {
            owner.state.withLock { state in
                state.removals.unwatch(key)
                state.stores.unwatch(variant)
            }
        }
    }

    /// Equal in two snapshots of a key that exist at a time if nothing has changed between them.
    struct Counts: Hashable {
        fileprivate let clears: UInt64
        fileprivate let removals: UInt64
        fileprivate let stores: UInt64
    }

    /// The changes of the hashes that snapshots watch.
    private struct Changes {
        private var watched: [Int: (count: UInt64, watchers: Int)] = [:]

        /// How often it has changed while somebody watched it.
        func count(of hash: Int) -> UInt64? { watched[hash]?.count }

        mutating func add(_ hash: Int) { watched[hash]?.count += 1 }

        mutating func watch(_ hash: Int) -> UInt64 {
            watched[hash, default: (0, 0)].watchers += 1
            return watched[hash]?.count ?? 0
        }

        mutating func unwatch(_ hash: Int) {
            guard let watchers = watched[hash]?.watchers, watchers > 1 else { return watched[hash] = nil }
            watched[hash]?.watchers = watchers - 1
        }
    }

    private struct State {
        var clears: UInt64 = 0
        var removals = Changes()
        var stores = Changes()
    }

    private let state = Lock(State())

    func snapshot(forKey key: String, identifier: String) -> Snapshot {
        Snapshot(key: key.hashValue, variant: key.computedKey(with: identifier).hashValue, of: self)
    }

    /// Whether nothing was removed since.
    func hasSameRemovals(since snapshot: Snapshot) -> Bool {
        withExtendedLifetime(snapshot) {
            state.withLock { state in
                state.clears == snapshot.counts.clears
                    && state.removals.count(of: snapshot.key) == snapshot.counts.removals
            }
        }
    }

    /// Whether nothing was removed or stored since; what was found or created from a cached image may be stored then.
    func isUnchanged(since snapshot: Snapshot) -> Bool {
        withExtendedLifetime(snapshot) {
            hasSameRemovals(since: snapshot)
                && state.withLock { $0.stores.count(of: snapshot.variant) == snapshot.counts.stores }
        }
    }

    func countStore(ofKey key: String, identifier: String) {
        let hash = key.computedKey(with: identifier).hashValue
        state.withLock { $0.stores.add(hash) }
    }

    func countRemoval(ofKey key: String) {
        let hash = key.hashValue
        state.withLock { $0.removals.add(hash) }
    }

    func countClear() { state.withLock { $0.clears += 1 } }
}

extension ImageCache {
    /// Finds out later whether this cache, or `other` for the source, has stored or removed an image of `key` since.
    ///
    /// What is created from an older image must not replace what was stored meanwhile.
    ///
    /// - Parameters:
    ///   - key: the image's key.
    ///   - identifier: its processor.
    ///   - part: the processor of what it is created from; empty for the original.
    ///   - other: the cache that has that.
    /// - Returns: what finds out.
    func isChanged(
        _ key: String, _ identifier: String, madeOf part: String, in other: ImageCache
    ) -> @Sendable () -> Bool {
        let all = [(generations, identifier), (other.generations, part)].map { generations, identifier in
            (generations, generations.snapshot(forKey: key, identifier: identifier))
        }
        return { !all.allSatisfy { $0.isUnchanged(since: $1) } }
    }
}
