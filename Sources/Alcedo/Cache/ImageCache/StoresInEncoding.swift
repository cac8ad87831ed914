/// The stores that have no bytes yet, because the program's serializer is still working.
///
/// They are not in the write queue, so that a serializer that hangs holds up no other change. A later change of the same file
/// drops them.
struct StoresInEncoding {
    typealias Ticket = StagedChanges.Ticket

    private struct Stores {
        let key: String
        var tickets: Set<Ticket>
    }

    private struct Waiter {
        /// Nil for all keys.
        let key: String?
        let last: Ticket
        var remaining: Int
        let then: @Sendable () -> Void
    }

    /// By the names of files.
    private var stores: [String: Stores] = [:]
    private var waiters: [Waiter] = []

    private(set) var count = 0

    /// Adds a store with a ticket higher than all before.
    mutating func add(_ ticket: Ticket, name: String, key: String) {
        stores[name, default: Stores(key: key, tickets: [])].tickets.insert(ticket)
        count += 1
    }

    /// Removes a store, once `queue` has queued its write; false without a call of it if the store was dropped.
    mutating func end(_ ticket: Ticket, name: String, queue: () -> Void) -> Bool {
        guard let key = stores[name]?.key, stores[name]?.tickets.remove(ticket) != nil else { return false }
        if stores[name]?.tickets.isEmpty == true { stores[name] = nil }
        queue()
        left([ticket], key: key)
        return true
    }

    mutating func drop(name: String) {
        if let dropped = stores.removeValue(forKey: name) { left(dropped.tickets, key: dropped.key) }
    }

    mutating func drop(key: String) {
        for name in stores.filter({ $0.value.key == key }).keys { drop(name: name) }
    }

    mutating func dropAll() {
        for name in Array(stores.keys) { drop(name: name) }
    }

    /// Calls `then` when all present stores, or those of a key, are gone, possibly now.
    mutating func whenEnded(key: String?, _ then: @escaping @Sendable () -> Void) {
        let present = stores.values.lazy.filter { key == nil || $0.key == key }
        let remaining = key == nil ? count : present.reduce(0) { $0 + $1.tickets.count }
        guard remaining > 0 else { return then() }
        let last = present.compactMap { $0.tickets.max() }.max() ?? 0
        waiters.append(Waiter(key: key, last: last, remaining: remaining, then: then))
    }

    private mutating func left(_ tickets: Set<Ticket>, key: String) {
        count -= tickets.count
        for index in waiters.indices where waiters[index].key == nil || waiters[index].key == key {
            let last = waiters[index].last
            waiters[index].remaining -= tickets.count { $0 <= last }
        }
        // In the order of the calls.
        for waiter in waiters where waiter.remaining == 0 { waiter.then() }
        waiters.removeAll { $0.remaining == 0 }
    }
}
