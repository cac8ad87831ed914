/// Values in order of use, each with a cost: a dictionary into a list that is linked by index.
///
/// Every method takes constant time except where it visits all values. It knows no lock, no clock and no limit.
package struct LRUTable<Value> {
    struct Entry {
        let key: String

        /// Bytes of the key that come before a processor's identifier.
        let ownKeyLength: Int
        let value: Value
        let cost: Int
        var expiry: Expiry
    }

    /// What a use looks at and changes: apart from the rest, for it is in few cache lines then and nothing is counted.
    private struct Use {
        var newer: Int32
        var older: Int32
        var expiry: Expiry
    }

    private struct Slot {
        var key: String
        var ownKeyLength: Int
        var cost: Int
    }

    private var indices: [String: Int32] = [:]
    private var uses: [Use] = []
    private var values: [Value?] = []
    private var slots: [Slot] = []
    private var vacant: [Int32] = []
    private var newest = none
    private var oldest = none

    /// The sum of all costs.
    package private(set) var totalCost = 0

    var count: Int { indices.count }

    package init() {}

    /// The entry under `key`; does not count as a use.
    func entry(forKey key: String) -> Entry? {
        indices[key].flatMap { entry(at: Int($0)) }
    }

    private func entry(at index: Int) -> Entry? {
        guard let value = values[index] else { return nil }
        let slot = slots[index]
        return Entry(
            key: slot.key, ownKeyLength: slot.ownKeyLength, value: value, cost: slot.cost,
            expiry: uses[index].expiry)
    }

    /// The value under `key`, which becomes the newest, if `isUsable` says so; it may change the expiry.
    mutating func use(_ key: String, if isUsable: (inout Expiry) -> Bool) -> Value? {
        guard let index = indices[key], isUsable(&uses[Int(index)].expiry) else { return nil }
        if index != newest {
            unlink(index)
            linkAsNewest(index)
        }
        return values[Int(index)]
    }

    /// The value under `key`, which becomes the newest.
    package mutating func use(_ key: String) -> Value? { use(key) { _ in true } }

    /// Adds a value as the newest, for ever; there must be none under its key.
    package mutating func insert(_ value: Value, forKey key: String, cost: Int) {
        insert(Entry(key: key, ownKeyLength: key.utf8.count, value: value, cost: cost, expiry: .never))
    }

    /// Adds an entry as the newest; there must be none under its key.
    mutating func insert(_ entry: Entry) {
        let use = Use(newer: none, older: none, expiry: entry.expiry)
        let slot = Slot(key: entry.key, ownKeyLength: entry.ownKeyLength, cost: entry.cost)
        let index: Int32
        if let reused = vacant.popLast() {
            index = reused
            uses[Int(index)] = use
            values[Int(index)] = entry.value
            slots[Int(index)] = slot
        } else {
            index = Int32(values.count)
            uses.append(use)
            values.append(entry.value)
            slots.append(slot)
        }
        let replaced = indices.updateValue(index, forKey: entry.key)
        assert(replaced == nil, "an entry is removed before another takes its key")
        totalCost += entry.cost
        linkAsNewest(index)
    }

    /// Removes the entry under `key` and returns its value, so that the caller decides where that is freed.
    package mutating func remove(_ key: String) -> Value? {
        guard let index = indices.removeValue(forKey: key) else { return nil }
        return vacate(index)
    }

    /// Removes what was used least recently.
    mutating func removeOldest() -> Value? {
        oldest == none ? nil : remove(slots[Int(oldest)].key)
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
        for index in values.indices {
            guard let entry = entry(at: index), isDoomed(entry), let value = remove(entry.key) else {
                continue
            }
            removed.append(value)
        }
        return removed
    }

    private mutating func vacate(_ index: Int32) -> Value? {
        unlink(index)
        totalCost -= slots[Int(index)].cost
        slots[Int(index)].key = ""
        vacant.append(index)
        return values[Int(index)].take()
    }

    private mutating func linkAsNewest(_ index: Int32) {
        uses[Int(index)].newer = none
        uses[Int(index)].older = newest
        if newest == none { oldest = index } else { uses[Int(newest)].newer = index }
        newest = index
    }

    private mutating func unlink(_ index: Int32) {
        let (newer, older) = (uses[Int(index)].newer, uses[Int(index)].older)
        if newer == none { newest = older } else { uses[Int(newer)].older = older }
        if older == none { oldest = newer } else { uses[Int(older)].newer = newer }
    }
}

/// The index of no entry.
private let none: Int32 = -1
