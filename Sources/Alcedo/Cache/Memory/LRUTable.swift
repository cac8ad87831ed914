import Foundation

/// Values in order of use, each with a cost: a table of keys into a list that is linked by index.
///
/// Every method takes constant time except where it visits all values; a use that fills the list of those that have
/// not been put in order takes as long as these are many. Keys are the same if their UTF-8 is. It knows no lock, no
/// clock and no limit.
package struct LRUTable<Value> {
    struct Entry {
        let key: HashedKey

        /// Bytes of the key that come before a processor's identifier.
        let ownKeyLength: Int
        let value: Value
        let cost: Int
        let expiry: Expiry
    }

    /// What a use looks at, and seldom changes, so that the caches of several cores can have it.
    private struct Slot {
        var key: String
        var value: Value?
        var expiry: Date
    }

    /// What a use changes, close together.
    private struct Link {
        var newer = none
        var older = none
        /// As in ``Expiry``.
        var expiration: StorageExpiration
        /// Whether a use has given the entry another time than its own, which the next one takes back at once.
        var hasOtherTime = false
    }

    /// The rest, for which nobody should wait.
    private struct Detail {
        var cost: Int
        var ownKeyLength: Int32
        var hash: UInt32
    }

    /// A use that has not been put in order.
    private struct Use {
        let index: Int32
        /// When the entry's time starts again; nil if it does not.
        var extensionStart: Date?
    }

    private var table = KeyTable()
    private var slots: [Slot] = []
    private var links: [Link] = []
    private var details: [Detail] = []
    private var vacant: [Int32] = []
    private var newest = none
    private var oldest = none

    /// Uses that have not been put in order, the newest last.
    ///
    /// Done together, they wait for memory at the same time and not one after the other.
    private var used: [Use] = []
    private static var mostUsed: Int { 64 }

    /// How many entries have another time than their own.
    private(set) var otherTimes = 0

    /// The latest time that the table was told: an earlier one is by a clock that was set back.
    private var latest = Date.distantPast

    /// The sum of all costs.
    package private(set) var totalCost = 0

    var count: Int { table.count }

    package init() {}

    @inline(__always)
    private func place(of key: HashedKey) -> Int? {
        table.place(key.hash) {
            // The key and the value are fetched at the same time, not one after the other.
            prefetch(slots[$0].value)
            return slots[$0].key.hasSameBytes(as: key.text)
        }
    }

    // MARK: - Using

    /// The value under `key`, unless it has expired; does not count as a use.
    mutating func value(_ key: HashedKey, at now: Date) -> Value? {
        guard let index = place(of: key), !isPast(index, at: now) else { return nil }
        return slots[index].value
    }

    /// The value under `key`, which becomes the newest, unless it has expired.
    @inline(__always)
    mutating func use(_ key: HashedKey, at now: Date, extending: ExpirationExtending) -> Value? {
        guard let index = place(of: key), !isPast(index, at: now) else { return nil }
        if now > latest { latest = now }
        switch extending {
        case .none: note(index, extensionStart: nil)
        case .cacheTime:
            note(index, extensionStart: now)
            if otherTimes > 0, links[index].hasOtherTime { putInOrder() }
        case .expirationTime(let expiration):
            note(index, extensionStart: nil)
            putInOrder()
            let date = expiration.date(from: now)
            if date > slots[index].expiry || mayShorten(at: now) || !expiration.isRelative {
                slots[index].expiry = date
            }
            setOtherTime(true, index)
        }
        return slots[index].value
    }

    /// The value under `key`, which becomes the newest.
    package mutating func use(_ key: String) -> Value? {
        guard let index = place(of: HashedKey(key)) else { return nil }
        note(index, extensionStart: nil)
        return slots[index].value
    }

    @inline(__always)
    private mutating func isPast(_ index: Int, at now: Date) -> Bool {
        guard slots[index].expiry <= now else { return false }
        putInOrder()
        return slots[index].expiry <= now
    }

    @inline(__always)
    private mutating func note(_ index: Int, extensionStart: Date?) {
        if let last = used.last, last.index == index {
            if let extensionStart { used[used.count - 1].extensionStart = extensionStart }
            return
        }
        used.append(Use(index: Int32(index), extensionStart: extensionStart))
        if used.count == Self.mostUsed { putInOrder() }
    }

    private mutating func putInOrder() {
        for use in used {
            if use.index != newest {
                unlink(use.index)
                linkAsNewest(use.index)
            }
            if let start = use.extensionStart { extend(Int(use.index), from: start) }
        }
        used.removeAll(keepingCapacity: true)
    }

    /// Starts an entry's time again, but where that adds less than a thousandth of it.
    ///
    /// Nothing but another time than its own is shortened by that, and not by a clock that was set back.
    private mutating func extend(_ index: Int, from start: Date) {
        let date = links[index].expiration.date(from: start)
        let gain = date.timeIntervalSince(slots[index].expiry)
        if links[index].hasOtherTime {
            guard mayShorten(at: start) || gain > 0 else { return }
            setOtherTime(false, index)
            slots[index].expiry = date
        } else if gain > 0, gain * 1024 >= date.timeIntervalSince(start) {
            slots[index].expiry = date
        }
    }

    /// Whether the clock, which says `now`, has not been set back.
    ///
    /// Threads that tell the time and then wait for each other are late by less than a second.
    private func mayShorten(at now: Date) -> Bool { now > latest - 1 }

    private mutating func setOtherTime(_ hasOne: Bool, _ index: Int) {
        guard links[index].hasOtherTime != hasOne else { return }
        links[index].hasOtherTime = hasOne
        otherTimes += hasOne ? 1 : -1
    }

    // MARK: - Costs

    /// The value under `key`, expired or not; does not count as a use.
    func peek(_ key: HashedKey) -> Value? { place(of: key).flatMap { slots[$0].value } }

    /// Corrects the cost of what is under `key`.
    mutating func setCost(_ cost: Int, of key: HashedKey) {
        guard let index = place(of: key) else { return }
        totalCost += cost - details[index].cost
        details[index].cost = cost
    }

    // MARK: - Adding and removing

    /// Adds a value as the newest, for ever; there must be none under its key.
    package mutating func insert(_ value: Value, forKey key: String, cost: Int) {
        insert(
            Entry(
                key: HashedKey(key), ownKeyLength: key.utf8.count, value: value, cost: cost, expiry: .never))
    }

    /// Adds an entry as the newest; there must be none under its key.
    mutating func insert(_ entry: Entry) {
        putInOrder()
        assert(place(of: entry.key) == nil, "an entry is removed before another takes its key")
        let slot = Slot(key: entry.key.text, value: entry.value, expiry: entry.expiry.date)
        let link = Link(expiration: entry.expiry.expiration)
        let detail = Detail(
            cost: entry.cost, ownKeyLength: Int32(clamping: entry.ownKeyLength), hash: entry.key.hash)
        let index: Int
        if let reused = vacant.popLast() {
            index = Int(reused)
            slots[index] = slot
            links[index] = link
            details[index] = detail
        } else {
            index = slots.count
            slots.append(slot)
            links.append(link)
            details.append(detail)
        }
        table.insert(index, entry.key.hash)
        latest = max(latest, entry.expiry.start)
        totalCost += entry.cost
        linkAsNewest(Int32(index))
    }

    /// Removes the entry under `key` and returns its value, so that the caller decides where that is freed.
    package mutating func remove(_ key: String) -> Value? { remove(HashedKey(key)) }

    /// The same for a key that has been hashed.
    mutating func remove(_ key: HashedKey) -> Value? { place(of: key).flatMap { vacate($0) } }

    /// Removes what was used least recently.
    mutating func removeOldest() -> Value? {
        putInOrder()
        return oldest == none ? nil : vacate(Int(oldest))
    }

    /// Removes what was used least recently until no more is left than so much cost and so many values.
    package mutating func purge(toCost cost: Int, count: Int = .max) -> [Value] {
        var removed: [Value] = []
        purge(toCost: cost, count: count) { removed.append($0) }
        return removed
    }

    /// The same, with each value given to `removed`.
    mutating func purge(toCost cost: Int, count: Int, removed: (Value) -> Void) {
        while totalCost > cost || self.count > count, let value = removeOldest() { removed(value) }
    }

    /// Removes what has expired, in time proportional to the number of entries.
    mutating func removeExpired(at now: Date) -> [Value] {
        putInOrder()
        return vacate(slots.indices.filter { slots[$0].value != nil && slots[$0].expiry <= now })
    }

    /// Removes what is under keys that begin with `key` and then have a processor's identifier, and under `key` itself; in
    /// time proportional to the number of entries.
    mutating func removeVariants(of key: String) -> [Value] {
        let (own, length) = (key.utf8, key.utf8.count)
        return vacate(
            slots.indices.filter {
                slots[$0].value != nil && Int(details[$0].ownKeyLength) == length
                    && slots[$0].key.utf8.starts(with: own)
            })
    }

    private mutating func vacate(_ indices: [Int]) -> [Value] {
        var removed: [Value] = []
        for index in indices { if let value = vacate(index) { removed.append(value) } }
        return removed
    }

    private mutating func vacate(_ index: Int) -> Value? {
        putInOrder()
        setOtherTime(false, index)
        unlink(Int32(index))
        table.remove(index, details[index].hash)
        totalCost -= details[index].cost
        slots[index].key = ""
        vacant.append(Int32(index))
        return slots[index].value.take()
    }

    private mutating func linkAsNewest(_ index: Int32) {
        links[Int(index)].newer = none
        links[Int(index)].older = newest
        if newest == none { oldest = index } else { links[Int(newest)].newer = index }
        newest = index
    }

    private mutating func unlink(_ index: Int32) {
        let (newer, older) = (links[Int(index)].newer, links[Int(index)].older)
        if newer == none { newest = older } else { links[Int(newer)].older = older }
        if older == none { oldest = newer } else { links[Int(older)].newer = newer }
    }
}

/// The index of no entry.
private let none: Int32 = -1
