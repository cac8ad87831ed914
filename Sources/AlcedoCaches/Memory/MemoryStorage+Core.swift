import AlcedoLocks
package import Foundation

extension MemoryStorage {
    /// The storage of a backend; its values are objects of any type.
    ///
    /// It is not generic: a generic class is not specialised for types of other modules, and was ten times as slow for them.
    package final class Core: Sendable {
        package typealias Object = any AnyObject & Sendable

        struct State {
            var config: Config
            let costs: ChangingCosts?
            var table = LRUTable<Object>()
            var sweeper: RepeatingTimer?
            var evictionCount = 0

            /// Empty unless ``MemoryStorage/Config/keepWhileInUse`` is set.
            var evicted = EvictedValues()
        }

        private let state: Lock<State>
        private let costs: ChangingCosts?
        private let now: @Sendable () -> Date

        /// `costs` if those of the objects change.
        package init(
            config: Config, costs: ChangingCosts? = nil, now: @escaping @Sendable () -> Date
        ) {
            state = Lock(State(config: config, costs: costs))
            self.costs = costs
            self.now = now
            restartSweeper(every: config.cleanInterval)
        }

        package var config: Config {
            get { state.withLock { $0.config } }
            set {
                let evicted = state.withLock { state in
                    state.config = newValue
                    if !newValue.keepWhileInUse { state.evicted = EvictedValues() }
                    return state.makeRoom(forCost: 0, count: 0)
                }
                _ = consume evicted
                restartSweeper(every: newValue.cleanInterval)
            }
        }

        package var totalCost: Int { state.withLock { $0.table.totalCost } }

        /// The number of objects evicted because of a limit.
        package var evictionCount: Int { state.withLock { $0.evictionCount } }

        // MARK: - Storing and reading

        /// What an object has replaced, and what is left to do for it; see ``finish(_:)``.
        package struct Insertion: Sendable {
            fileprivate var discarded: [Object] = []
            fileprivate var observed: (object: Object, key: HashedKey, cost: Int)?
        }

        /// Stores an object; see ``insert(_:cost:costChanges:forKey:ownKeyLength:expiration:)``.
        package func store(
            _ object: Object, cost: Int, costChanges: Bool, forKey text: String, ownKeyLength: Int,
            expiration: StorageExpiration?
        ) {
            finish(
                insert(
                    object, cost: cost, costChanges: costChanges, forKey: text, ownKeyLength: ownKeyLength,
                    expiration: expiration))
        }

        /// Stores an object if `mayReplace` allows it.
        ///
        /// `mayReplace` is called under the lock with a closure that looks up the present object, unless it has expired.
        package func store(
            _ object: Object, cost: Int, costChanges: Bool, forKey text: String, ownKeyLength: Int,
            expiration: StorageExpiration?, if mayReplace: (_ present: () -> Object?) -> Bool
        ) {
            finish(
                insert(
                    object, cost: cost, costChanges: costChanges, forKey: text, ownKeyLength: ownKeyLength,
                    expiration: expiration, if: mayReplace))
        }

        /// Stores an object, and frees nothing.
        ///
        /// - Parameters:
        ///   - object: the object.
        ///   - cost: its cost; above the limit it is not stored, and a present object is removed.
        ///   - costChanges: whether its cost may change while it is stored, so that it is observed.
        ///   - text: the key.
        ///   - ownKeyLength: bytes of the key before a processor's identifier.
        ///   - expiration: its lifetime; nil for the configuration's.
        /// - Returns: what the caller, who may have a lock, passes to ``finish(_:)`` when it has none.
        package func insert(
            _ object: Object, cost: Int, costChanges: Bool, forKey text: String, ownKeyLength: Int,
            expiration: StorageExpiration?
        ) -> Insertion {
            // The condition is a literal here and no default argument: the compiler then removes it, and callers in other
            // modules make no closure.
            insert(
                object, cost: cost, costChanges: costChanges, forKey: text, ownKeyLength: ownKeyLength,
                expiration: expiration, if: { _ in true })
        }

        @inline(__always)
        private func insert(
            _ object: Object, cost: Int, costChanges: Bool, forKey text: String, ownKeyLength: Int,
            expiration: StorageExpiration?, if mayReplace: (_ present: () -> Object?) -> Bool
        ) -> Insertion {
            let (now, key, cost) = (now(), HashedKey(text), max(0, cost))
            var (isKept, evicted, replaced, seen) = (false, [Object](), Object?.none, [Object]())
            state.withLock { state in
                let expiry = Expiry(expiration ?? state.config.expiration, from: now)
                guard expiry.date > now, mayReplace({ state.present(key, at: now, seen: &seen) }) else {
                    return
                }
                replaced = state.table.remove(key)
                state.evicted.remove(key)
                guard cost <= state.config.largestCost else { return }
                evicted = state.makeRoom(forCost: cost, count: 1)
                state.table.insert(
                    .init(value: object, key: key, ownKeyLength: ownKeyLength, cost: cost, expiry: expiry))
                isKept = true
            }
            var insertion = Insertion(discarded: evicted + seen)
            if let replaced { insertion.discarded.append(replaced) }
            if isKept, costChanges { insertion.observed = (object, key, cost) }
            return insertion
        }

        /// Frees what was replaced, and observes the cost of what was stored.
        package func finish(_ insertion: consuming Insertion) {
            let observed = insertion.observed
            _ = consume insertion
            if let (object, key, cost) = observed { observeCost(of: object, under: key, charged: cost) }
        }

        /// The object under `key`, which becomes the most recently used; nil if it has expired.
        package func object(forKey key: String, extending: ExpirationExtending) -> Object? {
            let (now, key) = (now(), HashedKey(key))
            var seen: [Object] = []
            var restoredCost: Int?
            let object = state.withLock { state -> Object? in
                if let object = state.table.touch(key, at: now, extending: extending) { return object }
                guard !state.evicted.isEmpty else { return nil }
                return state.restore(key, at: now, extending: extending, cost: &restoredCost, seen: &seen)
            }
            _ = consume seen
            if let restoredCost, let object {
                observeCost(of: object, under: key, charged: restoredCost)
            }
            return object
        }

        package func isCached(_ key: String) -> Bool {
            let (now, key) = (now(), HashedKey(key))
            var seen: [Object] = []
            let isCached = state.withLock { $0.present(key, at: now, seen: &seen) != nil }
            _ = consume seen
            return isCached
        }

        /// The unexpired values of a key with any processor, in time proportional to the number of values.
        package func variants(
            of key: String
        ) -> [(identifier: String, object: Object, cost: Int, expiry: Date)] {
            let now = now()
            var seen: [Object] = []
            let variants = state.withLock { state in
                state.table.variants(of: key, at: now) + state.evicted.variants(of: key, at: now, seen: &seen)
            }
            _ = consume seen
            return variants.map { ($0.rest.identifier, $0.value, $0.rest.cost, $0.rest.expiry) }
        }

        // MARK: - Removing

        package func remove(_ key: String) {
            let key = HashedKey(key)
            let removed = state.withLock { state in
                state.evicted.remove(key)
                return state.table.remove(key)
            }
            _ = consume removed
        }

        /// Removes a key's values; returns them and others that this call may be the last to hold.
        package func takeVariants(of key: String) -> [Object] {
            var seen: [Object] = []
            let removed = state.withLock { state in
                state.evicted.removeVariants(of: key, seen: &seen)
                return state.table.removeVariants(of: key)
            }
            return removed + seen
        }

        package func removeExpired() {
            let now = now()
            var seen: [Object] = []
            let removed = state.withLock { state in
                state.evicted.removeExpired(at: now, seen: &seen)
                return state.table.count == 0 ? [] : state.table.removeExpired(at: now)
            }
            _ = (consume removed, consume seen)
        }

        package func removeAll() {
            let removed = state.withLock { state in
                state.evicted = EvictedValues()
                return exchange(&state.table, with: LRUTable())
            }
            _ = consume removed
        }

        /// Evicts all values: those that the program holds are still found if the configuration says so.
        package func evictAll() {
            guard config.keepWhileInUse else { return removeAll() }
            let evicted = state.withLock { $0.evict { _ in true } }
            _ = consume evicted
        }

        package func trim(toCost cost: Int) {
            let evicted = state.withLock { state in
                state.config.keepWhileInUse
                    ? state.evict { $0.totalCost > cost } : state.table.purge(toCost: max(0, cost))
            }
            _ = consume evicted
        }

        /// Removes all values and stops sweeping; objects that report their cost may still retain this object.
        package func close() {
            removeAll()
            restartSweeper(every: 0)
        }

        private func restartSweeper(every interval: TimeInterval) {
            let sweeper = RepeatingTimer(every: interval) { [weak self] in self?.removeExpired() }
            let old = state.withLock { exchange(&$0.sweeper, with: sweeper) }
            _ = consume old
        }
    }
}

// MARK: - Objects whose costs change

extension MemoryStorage.Core {
    /// Observes the object's cost, and corrects it if it has changed since it was charged.
    private func observeCost(of object: Object, under key: HashedKey, charged: Int) {
        guard let cost = costs?.observe(object, self, key), cost != charged else { return }
        _ = correctCost(under: key) { $0 === object }
    }

    /// Charges the object under `key` its present cost, and evicts others down to the limit.
    ///
    /// An object that costs more than the limit alone is removed, and no other is.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - isMeant: called under the lock, whether the cost of this object has changed.
    /// - Returns: whether that object is under the key, and stays.
    package func correctCost(under key: HashedKey, if isMeant: (Object) -> Bool) -> Bool {
        let (isCharged, removed) = state.withLock { state -> (Bool, [Object]) in
            guard let costs, let object = state.table.peek(key), isMeant(object) else { return (false, []) }
            // Takes the image's lock inside this one; nothing takes them the other way round (decision 0007).
            let cost = costs.cost(object)
            guard cost <= state.config.largestCost else {
                return (false, state.evict(key))
            }
            state.table.setCost(cost, of: key)
            return (true, state.makeRoom(forCost: 0, count: 0))
        }
        _ = consume removed
        return isCharged
    }
}

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
