/// Which keys a cache of a limited size has, with the least recently used evicted first; no values.
struct LRUCache {
    private struct Entry {
        var key: UInt64
        var bytes: Int32
        var newer: Int32
        var older: Int32
    }

    private static let none: Int32 = -1

    private let limit: Int
    private var slots: [UInt64: Int32] = [:]
    private var entries: [Entry] = []
    private var free: [Int32] = []
    private var newest = LRUCache.none
    private var oldest = LRUCache.none

    /// Bytes of the keys that it has.
    private(set) var bytes = 0

    /// - Parameter limit: the most bytes; with 0 it keeps nothing.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether it has the key, which becomes the most recently used.
    mutating func hit(_ key: UInt64) -> Bool {
        guard let slot = slots[key] else { return false }
        unlink(slot)
        linkAsNewest(slot)
        return true
    }

    /// Adds a key that it does not have.
    mutating func insert(_ key: UInt64, bytes size: Int) {
        guard size <= limit else { return }
        while bytes + size > limit { evictOldest() }
        let entry = Entry(key: key, bytes: Int32(size), newer: LRUCache.none, older: LRUCache.none)
        let slot: Int32
        if let unused = free.popLast() {
            slot = unused
            entries[Int(slot)] = entry
        } else {
            slot = Int32(entries.count)
            entries.append(entry)
        }
        slots[key] = slot
        bytes += size
        linkAsNewest(slot)
    }

    /// Removes everything.
    mutating func removeAll() {
        self = LRUCache(limit: limit)
    }

    private mutating func evictOldest() {
        let slot = oldest
        unlink(slot)
        bytes -= Int(entries[Int(slot)].bytes)
        slots[entries[Int(slot)].key] = nil
        free.append(slot)
    }

    private mutating func unlink(_ slot: Int32) {
        let (newer, older) = (entries[Int(slot)].newer, entries[Int(slot)].older)
        if newer == LRUCache.none { newest = older } else { entries[Int(newer)].older = older }
        if older == LRUCache.none { oldest = newer } else { entries[Int(older)].newer = newer }
    }

    private mutating func linkAsNewest(_ slot: Int32) {
        entries[Int(slot)].newer = LRUCache.none
        entries[Int(slot)].older = newest
        if newest == LRUCache.none { oldest = slot } else { entries[Int(newest)].newer = slot }
        newest = slot
    }
}
