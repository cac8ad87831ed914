import AlcedoLocks

/// Counts the changes of each key, so that a read that started before a change does not promote its result.
///
/// Keys share counters by their hash: after a collision, a read is not promoted and the next one reads the disk again.
final class CacheGenerations: Sendable {
    /// A key's counters at the start of a read.
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

    /// Whether nothing was removed or stored since; a disk hit may be promoted then.
    func isUnchanged(since snapshot: Snapshot) -> Bool {
        hasSameRemovals(since: snapshot)
            && state.withLock { $0.stores[snapshot.variant] == snapshot.stores }
    }

    func countStore(ofKey key: String, identifier: String) {
        let variant = Self.slot(key.computedKey(with: identifier))
        state.withLock { $0.stores[variant] &+= 1 }
    }

    func countRemoval(ofKey key: String) {
        let slot = Self.slot(key)
        state.withLock { $0.removals[slot] &+= 1 }
    }

    func countClear() { state.withLock { $0.clears += 1 } }

    private static func slot(_ key: String) -> Int { Int(truncatingIfNeeded: key.hashValue) & (slots - 1) }
}
