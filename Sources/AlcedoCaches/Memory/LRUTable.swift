import Foundation

/// Values with costs and expiries in least-recently-used order: a dictionary of indices into a doubly linked list.
///
/// Lookups, insertions and evictions take constant time. The table has no lock, no clock and no limit of its own, and it
/// returns what it removes, so that a caller can free it after releasing a lock.
package struct LRUTable<Value> {
    struct Entry {
        let value: Value
        let key: HashedKey

        /// Bytes of the key before a processor's identifier.
        let ownKeyLength: Int
        let cost: Int
        let expiry: Expiry

        /// Whether it was stored under `key`, with any processor.
        func isVariant(of key: String) -> Bool {
            ownKeyLength == key.utf8.count && self.key.text.utf8.starts(with: key.utf8)
        }
    }

    private struct Node {
        var newer = none
        var older = none
        var expiry: Date
        var entry: Entry?
        var cost: Int

        /// Whether a lookup has set an expiry that the next lookup replaces by the entry's own lifetime.
        var hasTemporaryExpiry = false

        /// Extends the expiry; shortens only a temporary one, and not by a clock that was set back.
        mutating func extend(_ extending: ExpirationExtending, at now: Date, isClockValid: Bool) {
            switch extending {
            case .none: break
            case .cacheTime:
                guard let date = entry?.expiry.expiration.date(from: now) else { return }
                if date > expiry || hasTemporaryExpiry && isClockValid {
                    expiry = date
                    hasTemporaryExpiry = false
                }
            case .expirationTime(let expiration):
                let date = expiration.date(from: now)
                if date > expiry || isClockValid || !expiration.isRelative { expiry = date }
                hasTemporaryExpiry = true
            }
        }
    }

    private var indices: [HashedKey: Int] = [:]
    private var nodes: [Node] = []
    private var free: [Int] = []
    private var newest = none
    private var oldest = none

    /// The latest time passed to the table; an earlier one comes from a clock that was set back.
    private var latest = Date.distantPast

    /// The sum of all costs.
    package private(set) var totalCost = 0

    var count: Int { indices.count }

    package init() {}

    // MARK: - Lookup

    /// The value under `key`, expired or not; does not touch it.
    func peek(_ key: HashedKey) -> Value? { indices[key].flatMap { nodes[$0].entry?.value } }

    /// The value under `key`, unless it has expired; does not touch it.
    func value(_ key: HashedKey, at now: Date) -> Value? {
        guard let index = indices[key], nodes[index].expiry > now else { return nil }
        return nodes[index].entry?.value
    }

    /// The value under `key`, unless it has expired; touches it.
    mutating func touch(_ key: HashedKey, at now: Date, extending: ExpirationExtending) -> Value? {
        guard let index = indices[key], nodes[index].expiry > now else { return nil }
        latest = max(latest, now)
        moveToFront(index)
        // Threads that read the clock and then wait for each other are late by less than a second.
        nodes[index].extend(extending, at: now, isClockValid: now > latest - 1)
        return nodes[index].entry?.value
    }

    /// The value under `key`; touches it.
    package mutating func touch(_ key: String) -> Value? {
        guard let index = indices[HashedKey(key)] else { return nil }
        moveToFront(index)
        return nodes[index].entry?.value
    }

    /// The unexpired values of `key` with any processor, in one pass over all entries; touches none.
    func variants(of key: String, at now: Date) -> [(value: Value, rest: EvictedEntry)] {
        nodes.indices.compactMap { index in
            guard let entry = nodes[index].entry, entry.isVariant(of: key), nodes[index].expiry > now else {
                return nil
            }
            return (entry.value, rest(of: entry, at: index))
        }
    }

    // MARK: - Insertion

    /// Inserts a value without an expiry as the most recently used; there must be none under its key.
    package mutating func insert(_ value: Value, forKey key: String, cost: Int) {
        insert(
            Entry(
                value: value, key: HashedKey(key), ownKeyLength: key.utf8.count, cost: cost, expiry: .never))
    }

    /// Inserts an evicted value again, at the cost that it has now.
    mutating func insert(_ value: Value, _ evicted: EvictedEntry, cost: Int) {
        let entry = Entry(
            value: value, key: evicted.key, ownKeyLength: evicted.ownKeyLength, cost: cost,
            expiry: evicted.lifetime)
        insert(
            Node(
                expiry: evicted.expiry, entry: entry, cost: cost,
                hasTemporaryExpiry: evicted.hasTemporaryExpiry), entry)
    }

    /// Inserts an entry as the most recently used; there must be none under its key.
    mutating func insert(_ entry: Entry) {
        insert(Node(expiry: entry.expiry.date, entry: entry, cost: entry.cost), entry)
    }

    private mutating func insert(_ node: Node, _ entry: Entry) {
        let index = free.popLast() ?? nodes.count
        if index == nodes.count { nodes.append(node) } else { nodes[index] = node }
        let replaced = indices.updateValue(index, forKey: entry.key)
        assert(replaced == nil, "an entry is removed before another takes its key")
        latest = max(latest, entry.expiry.start)
        totalCost += entry.cost
        link(index)
    }

    /// Corrects the cost of the entry under `key`.
    mutating func setCost(_ cost: Int, of key: HashedKey) {
        guard let index = indices[key] else { return }
        totalCost += cost - nodes[index].cost
        nodes[index].cost = cost
    }

    // MARK: - Removal

    /// Removes the entry under `key` and returns its value.
    package mutating func remove(_ key: String) -> Value? { remove(HashedKey(key)) }

    /// Removes the entry under `key` and returns its value.
    mutating func remove(_ key: HashedKey) -> Value? { indices[key].flatMap { remove(at: $0) } }

    /// Evicts the least recently used values until at most this cost and count are left.
    package mutating func purge(toCost cost: Int, count: Int = .max) -> [Value] {
        var evicted: [Value] = []
        while totalCost > cost || self.count > count, oldest != none {
            if let value = remove(at: oldest) { evicted.append(value) }
        }
        return evicted
    }

    /// Evicts the least recently used value; nil if there is none.
    mutating func evictOldest() -> (value: Value, rest: EvictedEntry)? {
        oldest == none ? nil : evict(at: oldest)
    }

    /// Evicts the value under `key`; nil if there is none.
    mutating func evict(_ key: HashedKey) -> (value: Value, rest: EvictedEntry)? {
        indices[key].flatMap { evict(at: $0) }
    }

    private mutating func evict(at index: Int) -> (value: Value, rest: EvictedEntry)? {
        guard let entry = nodes[index].entry else { return nil }
        let rest = rest(of: entry, at: index)
        return remove(at: index).map { ($0, rest) }
    }

    private func rest(of entry: Entry, at index: Int) -> EvictedEntry {
        EvictedEntry(
            key: entry.key, ownKeyLength: entry.ownKeyLength, cost: nodes[index].cost,
            lifetime: entry.expiry, expiry: nodes[index].expiry,
            hasTemporaryExpiry: nodes[index].hasTemporaryExpiry)
    }

    /// Removes expired entries in one pass over all entries.
    mutating func removeExpired(at now: Date) -> [Value] {
        removeAll { $0.expiry <= now }
    }

    /// Removes the entries of `key` with any processor, in one pass over all entries.
    mutating func removeVariants(of key: String) -> [Value] {
        removeAll { $0.entry?.isVariant(of: key) == true }
    }

    /// Removes the values for which `shouldRemove` returns true, in one pass over all entries.
    mutating func removeValues(where shouldRemove: (Value) -> Bool) -> [Value] {
        removeAll { $0.entry.map { shouldRemove($0.value) } == true }
    }

    private mutating func removeAll(where shouldRemove: (Node) -> Bool) -> [Value] {
        nodes.indices
            .filter { nodes[$0].entry != nil && shouldRemove(nodes[$0]) }
            .compactMap { remove(at: $0) }
    }

    private mutating func remove(at index: Int) -> Value? {
        guard let entry = nodes[index].entry.take() else { return nil }
        unlink(index)
        indices[entry.key] = nil
        totalCost -= nodes[index].cost
        free.append(index)
        return entry.value
    }

    // MARK: - The list

    private mutating func moveToFront(_ index: Int) {
        guard index != newest else { return }
        unlink(index)
        link(index)
    }

    private mutating func link(_ index: Int) {
        nodes[index].newer = none
        nodes[index].older = newest
        if newest == none { oldest = index } else { nodes[newest].newer = index }
        newest = index
    }

    private mutating func unlink(_ index: Int) {
        let (newer, older) = (nodes[index].newer, nodes[index].older)
        if newer == none { newest = older } else { nodes[newer].older = older }
        if older == none { oldest = newer } else { nodes[older].newer = newer }
    }
}

/// The index of no node.
private let none = -1
