import AlcedoLocks
import Foundation

extension MemoryStorage {
    /// The storage of a backend; its values are objects of any type.
    ///
    /// It is not generic: a generic class is not specialised for types of other modules, and was ten times as slow for them.
    final class Core: Sendable {
        typealias Object = any AnyObject & Sendable

        private struct State {
            var config: Config
            var table = LRUTable<Object>()
            var sweeper: RepeatingTimer?

            /// Evicts entries until there is room; the caller frees them after the lock.
            mutating func makeRoom(forCost cost: Int, count: Int) -> [Object] {
                table.purge(toCost: config.largestCost - cost, count: config.largestCount - count)
            }
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
                    return state.makeRoom(forCost: 0, count: 0)
                }
                _ = consume evicted
                restartSweeper(every: newValue.cleanInterval)
            }
        }

        var totalCost: Int { state.withLock { $0.table.totalCost } }

        // MARK: - Storing and reading

        /// Stores an object if `mayReplace` allows it.
        ///
        /// - Parameters:
        ///   - object: the object.
        ///   - cost: its cost; above the limit it is not stored, and a present object is removed.
        ///   - text: the key.
        ///   - ownKeyLength: bytes of the key before a processor's identifier.
        ///   - expiration: its lifetime; nil for the configuration's.
        ///   - mayReplace: called under the lock with a closure that looks up the present object, unless it has expired.
        func store(
            _ object: Object,
            cost: Int,
            forKey text: String,
            ownKeyLength: Int,
            expiration: StorageExpiration?,
            if mayReplace: (_ present: () -> Object?) -> Bool = { _ in true }
        ) {
            let (now, key, cost) = (now(), HashedKey(text), max(0, cost))
            var (isKept, evicted, replaced) = (false, [Object](), Object?.none)
            state.withLock { state in
                let expiry = Expiry(expiration ?? state.config.expiration, from: now)
                guard expiry.date > now, mayReplace({ state.table.value(key, at: now) }) else { return }
                replaced = state.table.remove(key)
                guard cost <= state.config.largestCost else { return }
                evicted = state.makeRoom(forCost: cost, count: 1)
                state.table.insert(
                    .init(value: object, key: key, ownKeyLength: ownKeyLength, cost: cost, expiry: expiry))
                isKept = true
            }
            _ = (consume evicted, consume replaced)
            if isKept, let image = object as? Image { observeCost(of: image, under: key, charged: cost) }
        }

        /// The object under `key`, which becomes the most recently used; nil if it has expired.
        func object(forKey key: String, extending: ExpirationExtending) -> Object? {
            let (now, key) = (now(), HashedKey(key))
            return state.withLock { $0.table.touch(key, at: now, extending: extending) }
        }

        func isCached(_ key: String) -> Bool {
            let (now, key) = (now(), HashedKey(key))
            return state.withLock { $0.table.value(key, at: now) != nil }
        }

        // MARK: - Removing

        func remove(_ key: String) {
            let key = HashedKey(key)
            let removed = state.withLock { $0.table.remove(key) }
            _ = consume removed
        }

        func removeVariants(of key: String) {
            let removed = state.withLock { $0.table.removeVariants(of: key) }
            _ = consume removed
        }

        func removeExpired() {
            let now = now()
            let removed = state.withLock { $0.table.count == 0 ? [] : $0.table.removeExpired(at: now) }
            _ = consume removed
        }

        func removeAll() {
            let removed = state.withLock { exchange(&$0.table, with: LRUTable()) }
            _ = consume removed
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
                return (false, state.table.remove(key).map { [$0] } ?? [])
            }
            state.table.setCost(cost, of: key)
            return (true, state.makeRoom(forCost: 0, count: 0))
        }
        _ = consume removed
        return isCharged
    }
}
