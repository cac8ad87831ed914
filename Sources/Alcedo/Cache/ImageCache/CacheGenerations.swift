import AlcedoLocks

/// Counts the changes of each key, so that what was found before a change is not stored after it.
///
/// Keys share counters by their hash. One change of another key is told apart; after two, what was found is not stored, and
/// the next read finds it again.
final class CacheGenerations: Sendable {
    /// A key's counters at the start of a read.
    struct Snapshot: Sendable {
        fileprivate let key: Int
        fileprivate let variant: Int
        fileprivate let clears: UInt64
        fileprivate let removals: UInt32
        fileprivate let stores: UInt32
    }

    /// The changes of all keys whose hashes have the same last bits.
    private struct Counter {
        var count: UInt32 = 0

        /// The hash of the last key.
        var last = 0

        /// Whether the key of this hash may have changed since the count was `start`.
        func hasChanged(_ hash: Int, since start: UInt32) -> Bool {
            count != start && (count != start &+ 1 || last == hash)
        }

        mutating func count(_ hash: Int) { (count, last) = (count &+ 1, hash) }
    }

    private struct State {
        var clears: UInt64 = 0
        var removals = [Counter](repeating: Counter(), count: slots)
        var stores = [Counter](repeating: Counter(), count: slots)
    }

    private static let slots = 512
    private let state = Lock(State())

    func snapshot(forKey key: String, identifier: String) -> Snapshot {
        let (key, variant) = (key.hashValue, key.computedKey(with: identifier).hashValue)
        return state.withLock { state in
            Snapshot(
                key: key, variant: variant, clears: state.clears,
                removals: state.removals[Self.slot(key)].count,
                stores: state.stores[Self.slot(variant)].count)
        }
    }

    /// Whether nothing was removed since.
    func hasSameRemovals(since snapshot: Snapshot) -> Bool {
        state.withLock { state in
            state.clears == snapshot.clears
                && !state.removals[Self.slot(snapshot.key)].hasChanged(snapshot.key, since: snapshot.removals)
        }
    }

    /// Whether nothing was removed or stored since; what was found or made of a cached image may be stored then.
    func isUnchanged(since snapshot: Snapshot) -> Bool {
        hasSameRemovals(since: snapshot)
            && state.withLock { state in
                !state.stores[Self.slot(snapshot.variant)].hasChanged(
                    snapshot.variant, since: snapshot.stores)
            }
    }

    func countStore(ofKey key: String, identifier: String) {
        let hash = key.computedKey(with: identifier).hashValue
        state.withLock { $0.stores[Self.slot(hash)].count(hash) }
    }

    func countRemoval(ofKey key: String) {
        let hash = key.hashValue
        state.withLock { $0.removals[Self.slot(hash)].count(hash) }
    }

    func countClear() { state.withLock { $0.clears += 1 } }

    private static func slot(_ hash: Int) -> Int { hash & (slots - 1) }
}

extension ImageCache {
    /// Finds out later whether this cache has got or lost an image of `key` since now, or `other` what it is made of.
    ///
    /// What is made of an older image must not replace what was stored meanwhile.
    ///
    /// - Parameters:
    ///   - key: the image's key.
    ///   - identifier: its processor.
    ///   - part: the processor of what it is made of; empty for the original.
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
