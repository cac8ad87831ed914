import AlcedoLocks
import Foundation

extension MemoryStorage {
    /// The storage of a backend; its values are objects of any type.
    ///
    /// It is not generic: a generic class is not specialised for types of other modules, and was ten times as slow for them.
    final class Core: Sendable {
        typealias Object = any AnyObject & Sendable

        struct State {
            var config: Config
            var table = LRUTable<Object>()
            var sweeper: RepeatingTimer?
            var evictionCount = 0

            /// Empty unless ``MemoryStorage/Config/keepWhileInUse`` is set.
            var evicted = EvictedValues()
        }

        private let state: Lock<State>
        private let now: @Sendable () -> Date

        init(config: Config, now: @escaping @Sendable () -> Date) {
            state = Lock(State(config: config))
            self.now = now
            restartSweeper(every: config.cleanInterval)
        }

        var config: Config {
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

        var totalCost: Int { state.withLock { $0.table.totalCost } }

        /// The number of objects evicted because of a limit.
        var evictionCount: Int { state.withLock { $0.evictionCount } }

        // MARK: - Storing and reading

        /// What an object has replaced, and what is left to do for it; see ``finish(_:)``.
        struct Insertion: Sendable {
            fileprivate var discarded: [Object] = []
            fileprivate var observed: (image: Image, key: HashedKey, cost: Int)?
        }

        /// Stores an object if `mayReplace` allows it; see ``insert(_:cost:forKey:ownKeyLength:expiration:if:)``.
        func store(
            _ object: Object,
            cost: Int,
            forKey text: String,
            ownKeyLength: Int,
            expiration: StorageExpiration?,
            if mayReplace: (_ present: () -> Object?) -> Bool = { _ in true }
        ) {
            finish(
                insert(
                    object, cost: cost, forKey: text, ownKeyLength: ownKeyLength, expiration: expiration,
                    if: mayReplace))
        }

        /// Stores an object if `mayReplace` allows it, and frees nothing.
        ///
        /// - Parameters:
        ///   - object: the object.
        ///   - cost: its cost; above the limit it is not stored, and a present object is removed.
        ///   - text: the key.
        ///   - ownKeyLength: bytes of the key before a processor's identifier.
        ///   - expiration: its lifetime; nil for the configuration's.
        ///   - mayReplace: called under the lock with a closure that looks up the present object, unless it has expired.
        /// - Returns: what the caller, who may have a lock, passes to ``finish(_:)`` when it has none.
        func insert(
            _ object: Object,
            cost: Int,
            forKey text: String,
            ownKeyLength: Int,
            expiration: StorageExpiration?,
            if mayReplace: (_ present: () -> Object?) -> Bool = { _ in true }
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
            if isKept, let image = object as? Image { insertion.observed = (image, key, cost) }
            return insertion
        }

        /// Frees what was replaced, and observes the cost of what was stored.
        func finish(_ insertion: consuming Insertion) {
            let observed = insertion.observed
            _ = consume insertion
            if let (image, key, cost) = observed { observeCost(of: image, under: key, charged: cost) }
        }

        /// The object under `key`, which becomes the most recently used; nil if it has expired.
        func object(forKey key: String, extending: ExpirationExtending) -> Object? {
            let (now, key) = (now(), HashedKey(key))
            var seen: [Object] = []
            var restoredCost: Int?
            let object = state.withLock { state -> Object? in
                if let object = state.table.touch(key, at: now, extending: extending) { return object }
                guard !state.evicted.isEmpty else { return nil }
                return state.restore(key, at: now, extending: extending, cost: &restoredCost, seen: &seen)
            }
            _ = consume seen
            if let restoredCost, let image = object as? Image {
                observeCost(of: image, under: key, charged: restoredCost)
            }
            return object
        }

        func isCached(_ key: String) -> Bool {
            let (now, key) = (now(), HashedKey(key))
            var seen: [Object] = []
            let isCached = state.withLock { $0.present(key, at: now, seen: &seen) != nil }
            _ = consume seen
            return isCached
        }

        /// The unexpired values of a key with any processor, in time proportional to the number of values.
        func variants(of key: String) -> [(object: Object, rest: EvictedEntry)] {
            let now = now()
            var seen: [Object] = []
            let variants = state.withLock { state in
                state.table.variants(of: key, at: now) + state.evicted.variants(of: key, at: now, seen: &seen)
            }
            _ = consume seen
            return variants.map { (object: $0.value, rest: $0.rest) }
        }

        // MARK: - Removing

        func remove(_ key: String) {
            let key = HashedKey(key)
            let removed = state.withLock { state in
                state.evicted.remove(key)
                return state.table.remove(key)
            }
            _ = consume removed
        }

        /// Removes a key's values; returns them and others that this call may be the last to hold.
        func takeVariants(of key: String) -> [Object] {
            var seen: [Object] = []
            let removed = state.withLock { state in
                state.evicted.removeVariants(of: key, seen: &seen)
                return state.table.removeVariants(of: key)
            }
            return removed + seen
        }

        func removeExpired() {
            let now = now()
            var seen: [Object] = []
            let removed = state.withLock { state in
                state.evicted.removeExpired(at: now, seen: &seen)
                return state.table.count == 0 ? [] : state.table.removeExpired(at: now)
            }
            _ = (consume removed, consume seen)
        }

        func removeAll() {
            let removed = state.withLock { state in
                state.evicted = EvictedValues()
                return exchange(&state.table, with: LRUTable())
            }
            _ = consume removed
        }

        /// Evicts all values: those that the program holds are still found if the configuration says so.
        func evictAll() {
            guard config.keepWhileInUse else { return removeAll() }
            let evicted = state.withLock { $0.evict { _ in true } }
            _ = consume evicted
        }

        func trim(toCost cost: Int) {
            let evicted = state.withLock { state in
                state.config.keepWhileInUse
                    ? state.evict { $0.totalCost > cost } : state.table.purge(toCost: max(0, cost))
            }
            _ = consume evicted
        }

        /// Removes all values and stops sweeping; images that report their cost may still retain this object.
        func close() {
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

// MARK: - Images whose costs change

extension MemoryStorage.Core {
    /// Observes the image's cost, and corrects it if it has changed since it was charged.
    private func observeCost(of image: Image, under key: HashedKey, charged: Int) {
        guard image.animation != nil || !image.store.isFixed else { return }
        if image.addCostObserver(self, key: key) != charged { _ = correctCost(under: key, of: image.store) }
    }

    /// Charges the image under `key` its present cost, and evicts others down to the limit.
    ///
    /// An image that costs more than the limit alone is removed, and no other is.
    ///
    /// - Returns: whether the image under the key shows `pixels` and stays.
    func correctCost(under key: HashedKey, of pixels: PixelStore) -> Bool {
        let (isCharged, removed) = state.withLock { state -> (Bool, [Object]) in
            guard let image = state.table.peek(key) as? Image, image.shows(pixels) else { return (false, []) }
            let cost = image.cacheCost
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
