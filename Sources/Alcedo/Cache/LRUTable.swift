/// Values in order of use, each with a cost: a dictionary into a list that is linked by index.
///
/// Every method takes constant time except where it visits all values. It knows no lock, no clock and no limit.
struct LRUTable<Value> {
    struct Entry {
        let key: String

        /// Bytes of the key that come before a processor's identifier.
        let ownKeyLength: Int
        let value: Value
        let cost: Int
        var expiry: Expiry
    }

    private struct Node {
        var entry: Entry?
        var newer: Int
        var older: Int
    }

    private var indices: [String: Int] = [:]
    private var nodes: [Node] = []
    private var vacant: [Int] = []
    private var newest = none
    private var oldest = none

    /// The sum of all costs.
    private(set) var totalCost = 0

    var count: Int { indices.count }

    /// The entry under `key`; does not count as a use.
    func entry(forKey key: String) -> Entry? {
        indices[key].flatMap { nodes[$0].entry }
    }

    /// The value under `key`, which becomes the newest, if `isUsable` says so; it may change the expiry.
    mutating func use(_ key: String, if isUsable: (inout Expiry) -> Bool) -> Value? {
        guard let index = indices[key] else { return nil }
        guard var expiry = nodes[index].entry?.expiry, isUsable(&expiry) else { return nil }
        nodes[index].entry?.expiry = expiry
        if index != newest {
            unlink(index)
            linkAsNewest(index)
        }
        return nodes[index].entry?.value
    }

    /// Adds an entry as the newest; there must be none under its key.
    mutating func insert(_ entry: Entry) {
        let node = Node(entry: entry, newer: none, older: none)
        let index: Int
        if let reused = vacant.popLast() {
            index = reused
            nodes[index] = node
        } else {
            index = nodes.count
            nodes.append(node)
        }
        let replaced = indices.updateValue(index, forKey: entry.key)
        assert(replaced == nil, "an entry is removed before another takes its key")
        totalCost += entry.cost
        linkAsNewest(index)
    }

    /// Removes the entry under `key` and returns its value, so that the caller decides where that is freed.
    mutating func remove(_ key: String) -> Value? {
        guard let index = indices.removeValue(forKey: key) else { return nil }
        return vacate(index)
    }

    /// Removes what was used least recently.
    mutating func removeOldest() -> Value? {
        guard oldest != none, let key = nodes[oldest].entry?.key else { return nil }
        return remove(key)
    }

    /// Removes what `isDoomed` picks, in time proportional to the number of entries.
    mutating func removeAll(where isDoomed: (Entry) -> Bool) -> [Value] {
        var removed: [Value] = []
        for index in nodes.indices {
            guard let entry = nodes[index].entry, isDoomed(entry), let value = remove(entry.key) else {
                continue
            }
            removed.append(value)
        }
        return removed
    }

    private mutating func vacate(_ index: Int) -> Value? {
        unlink(index)
        let entry = nodes[index].entry.take()
        totalCost -= entry?.cost ?? 0
        vacant.append(index)
        return entry?.value
    }

    private mutating func linkAsNewest(_ index: Int) {
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
