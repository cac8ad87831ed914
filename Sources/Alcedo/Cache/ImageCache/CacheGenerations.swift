import AlcedoLocks

/// Counts the changes of each key, so that a read that began before a change does not promote what it found.
///
/// Keys share counters by their hash: a change of one may keep another's read from memory, which costs a second read.
final class CacheGenerations: Sendable {
    /// Where a key's counters stood when a read began.
    struct Snapshot: Sendable {
        fileprivate let key: Int
        fileprivate let variant: Int
        fileprivate let clears: UInt64
        fileprivate let removals: UInt32
        fileprivate let stores: UInt32
    }

    private struct State {
        var clears: UInt64 = 0
        var removals = [UInt32](repeating: 0, count: slots)
        var stores = [UInt32](repeating: 0, count: slots)
    }

    private static let slots = 512
    private let state = Lock(State())

    /// The counters of a key and of its variant, as they are now.
    func snapshot(forKey key: String, identifier: String) -> Snapshot {
        let (key, variant) = (Self.slot(key), Self.slot(key.computedKey(with: identifier)))
        return state.withLock { state in
            Snapshot(
                key: key, variant: variant, clears: state.clears, removals: state.removals[key],
                stores: state.stores[variant])
        }
    }

    /// Whether nothing was removed since; a processed image may be stored then.
    func hasSameRemovals(since snapshot: Snapshot) -> Bool {
        state.withLock { $0.clears == snapshot.clears && $0.removals[snapshot.key] == snapshot.removals }
    }

    /// Whether nothing was removed or stored since; what was read may be promoted then.
    func isUnchanged(since snapshot: Snapshot) -> Bool {
        state.withLock { state in
            state.clears == snapshot.clears && state.removals[snapshot.key] == snapshot.removals
                && state.stores[snapshot.variant] == snapshot.stores
        }
    }

    /// Notes that a variant is stored.
    func noteStore(ofKey key: String, identifier: String) {
        let variant = Self.slot(key.computedKey(with: identifier))
        state.withLock { $0.stores[variant] &+= 1 }
    }

    /// Notes that variants of a key are removed.
    func noteRemoval(ofKey key: String) {
        let slot = Self.slot(key)
        state.withLock { $0.removals[slot] &+= 1 }
    }

    /// Notes that everything is removed.
    func noteClear() { state.withLock { $0.clears += 1 } }

    private static func slot(_ key: String) -> Int { Int(truncatingIfNeeded: key.hashValue) & (slots - 1) }
}
