/// Values in order of use, each with a cost: a table of keys into a list that is linked by index.
///
/// Every method takes constant time except where it visits all values; a use that fills the list of those that have
/// not been put in order takes as long as these are many. Keys are the same if their UTF-8 is. It knows no lock, no
/// clock and no limit.
package struct LRUTable<Value> {
    struct Entry {
        let key: String

        /// Bytes of the key that come before a processor's identifier.
        let ownKeyLength: Int
        let value: Value
        let cost: Int
        var expiry: Expiry
    }

    /// What a use looks at and changes: one line of memory, and not that of its neighbours in the order.
    private struct Slot {
        var key: String
        var value: Value?
        var expiry: Expiry
        var newer = none
        var older = none
    }

    /// The rest, for which nobody should wait.
    private struct Detail {
        var cost: Int
        var ownKeyLength: Int32
        var hash: UInt32
    }

    private var table = KeyTable()
    private var slots: [Slot] = []
    private var details: [Detail] = []
    private var vacant: [Int32] = []
    private var newest = none
    private var oldest = none

    /// What has been used and not been put in order, the newest last.
    ///
    /// Done together, these wait for memory at the same time and not one after the other.
    private var used: [Int32] = []
    private static var mostUsed: Int { 64 }

    /// The sum of all costs.
    package private(set) var totalCost = 0

    var count: Int { table.count }

    package init() {}

    /// The entry under `key`; does not count as a use.
    func entry(forKey key: String) -> Entry? {
        place(of: key, KeyTable.hash(key)).flatMap { entry(at: $0) }
    }

    @inline(__always)
    private func place(of key: String, _ hash: UInt32) -> Int? {
        table.place(hash) { slots[$0].key.hasSameBytes(as: key) }
    }

    private func entry(at index: Int) -> Entry? {
        guard let value = slots[index].value else { return nil }
        let detail = details[index]
        return Entry(
            key: slots[index].key, ownKeyLength: Int(detail.ownKeyLength), value: value, cost: detail.cost,
            expiry: slots[index].expiry)
    }

    /// The value under `key`, which becomes the newest, if `isUsable` says so; it may change the expiry.
    mutating func use(_ key: String, if isUsable: (inout Expiry) -> Bool) -> Value? {
        guard let index = place(of: key, KeyTable.hash(key)), isUsable(&slots[index].expiry)
        else { return nil }
        if used.last ?? newest != Int32(index) {
            used.append(Int32(index))
            if used.count == Self.mostUsed { putInOrder() }
        }
        return slots[index].value
    }

    /// The value under `key`, which becomes the newest.
    package mutating func use(_ key: String) -> Value? { use(key) { _ in true } }

    /// Adds a value as the newest, for ever; there must be none under its key.
    package mutating func insert(_ value: Value, forKey key: String, cost: Int) {
        insert(Entry(key: key, ownKeyLength: key.utf8.count, value: value, cost: cost, expiry: .never))
    }

    /// Adds an entry as the newest; there must be none under its key.
    mutating func insert(_ entry: Entry) {
        putInOrder()
        let hash = KeyTable.hash(entry.key)
        assert(place(of: entry.key, hash) == nil, "an entry is removed before another takes its key")
        let slot = Slot(key: entry.key, value: entry.value, expiry: entry.expiry)
        let detail = Detail(
            cost: entry.cost, ownKeyLength: Int32(clamping: entry.ownKeyLength), hash: hash)
        let index: Int
        if let reused = vacant.popLast() {
            index = Int(reused)
            slots[index] = slot
            details[index] = detail
        } else {
            index = slots.count
            slots.append(slot)
            details.append(detail)
        }
        table.insert(index, hash)
        totalCost += entry.cost
        linkAsNewest(Int32(index))
    }

    /// Removes the entry under `key` and returns its value, so that the caller decides where that is freed.
    package mutating func remove(_ key: String) -> Value? {
        place(of: key, KeyTable.hash(key)).flatMap { vacate($0) }
    }

    /// Removes what was used least recently.
    mutating func removeOldest() -> Value? {
        putInOrder()
        return oldest == none ? nil : vacate(Int(oldest))
    }

    /// Removes what was used least recently until no more is left than so much cost and so many values.
    package mutating func purge(toCost cost: Int, count: Int = .max) -> [Value] {
        var removed: [Value] = []
        while totalCost > cost || self.count > count, let value = removeOldest() { removed.append(value) }
        return removed
    }

    /// Removes what `isDoomed` picks, in time proportional to the number of entries.
    mutating func removeAll(where isDoomed: (Entry) -> Bool) -> [Value] {
        var removed: [Value] = []
        for index in slots.indices {
            guard let entry = entry(at: index), isDoomed(entry), let value = vacate(index) else { continue }
            removed.append(value)
        }
        return removed
    }

    private mutating func vacate(_ index: Int) -> Value? {
        putInOrder()
        unlink(Int32(index))
        table.remove(index, details[index].hash)
        totalCost -= details[index].cost
        slots[index].key = ""
        vacant.append(Int32(index))
        return slots[index].value.take()
    }

    private mutating func putInOrder() {
        for index in used where index != newest {
            unlink(index)
            linkAsNewest(index)
        }
        used.removeAll(keepingCapacity: true)
    }

    private mutating func linkAsNewest(_ index: Int32) {
        slots[Int(index)].newer = none
        slots[Int(index)].older = newest
        if newest == none { oldest = index } else { slots[Int(newest)].newer = index }
        newest = index
    }

    private mutating func unlink(_ index: Int32) {
        let (newer, older) = (slots[Int(index)].newer, slots[Int(index)].older)
        if newer == none { newest = older } else { slots[Int(newer)].older = older }
        if older == none { oldest = newer } else { slots[Int(older)].newer = newer }
    }
}

/// The index of no entry.
private let none: Int32 = -1
