import Foundation

/// Eviction, and lookups of evicted values that the program still holds.
///
/// Values that a method returns or appends to `seen` are freed by the caller after the lock.
extension MemoryStorage.Core.State {
    typealias Object = MemoryStorage.Core.Object

    /// Evicts values until there is room.
    mutating func makeRoom(forCost cost: Int, count: Int) -> [Object] {
        let (cost, count) = (config.largestCost - cost, config.largestCount - count)
        let before = table.count
        defer { evictionCount += before - table.count }
        guard config.keepWhileInUse else { return table.purge(toCost: cost, count: count) }
        return evict { $0.totalCost > cost || $0.count > count }
    }

    /// Evicts the least recently used values while `isExceeded`; keeps references to those in use.
    mutating func evict(while isExceeded: (LRUTable<Object>) -> Bool) -> [Object] {
        var all: [Object] = []
        while isExceeded(table), var evicted = table.evictOldest() {
            keepReference(to: &evicted.value, evicted.rest, seen: &all)
            all.append(evicted.value)
        }
        return all
    }

    /// Evicts the value under `key`.
    mutating func evict(_ key: HashedKey) -> [Object] {
        guard var evicted = table.evict(key) else { return [] }
        var all: [Object] = []
        if config.keepWhileInUse { keepReference(to: &evicted.value, evicted.rest, seen: &all) }
        all.append(evicted.value)
        return all
    }

    /// The value under `key`, unless it has expired; touches nothing.
    func present(_ key: HashedKey, at now: Date, seen: inout [Object]) -> Object? {
        if let object = table.value(key, at: now) { return object }
        return evicted.isEmpty ? nil : evicted.value(key, at: now, seen: &seen)
    }

    /// Stores an evicted value again, if the program holds it and it has not expired.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - now: the time.
    ///   - extending: what happens to its expiry.
    ///   - charged: its cost if it was stored; a value that costs more than the limit alone is found and stays evicted.
    ///   - seen: values to free after the lock.
    /// - Returns: the value; nil if there is none.
    mutating func restore(
        _ key: HashedKey, at now: Date, extending: ExpirationExtending, cost charged: inout Int?,
        seen: inout [Object]
    ) -> Object? {
        guard let (object, rest) = evicted.take(key, at: now, seen: &seen) else { return nil }
        let cost = costs?.cost(object) ?? rest.cost
        guard cost <= config.largestCost else {
            evicted.insert(object, rest, seen: &seen)
            return object
        }
        seen += makeRoom(forCost: cost, count: 1)
        table.insert(object, rest, cost: cost)
        charged = cost
        return table.touch(key, at: now, extending: extending)
    }

    /// Keeps a reference to a value that was evicted, unless `object` is the last one.
    private mutating func keepReference(
        to object: inout Object, _ rest: EvictedEntry, seen: inout [Object]
    ) {
        if !isKnownUniquelyReferenced(&object) { evicted.insert(object, rest, seen: &seen) }
    }
}
