import AlcedoLocks
import Foundation

extension MemoryStorage {
    /// What a backend keeps its values in: objects, whatever the values are.
    ///
    /// It is not generic, so that values of all types are as quick as images: a generic class is not specialised for
    /// types of other modules, and each step of it would go through tables of functions.
    final class Core: Sendable {
        typealias Object = any AnyObject & Sendable

        private struct State {
            var config: Config
            var table = LRUTable<Object>()
            var sweeper: RepeatingTimer?

            /// Removes the oldest values until there is room, and gives them to `leaving`, which frees them later.
            mutating func makeRoom(forCost cost: Int, count: Int, _ leaving: inout Leaving<Object>) {
                table.purge(toCost: config.largestCost - cost, count: config.largestCount - count) {
                    leaving.append($0)
                }
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
                    var evicted = Leaving<Object>()
                    state.config = newValue
                    state.makeRoom(forCost: 0, count: 0, &evicted)
                    return evicted
                }
                _ = consume evicted
                restartSweeper(every: newValue.cleanInterval)
            }
        }

        var totalCost: Int { state.withLock { $0.table.totalCost } }

        // MARK: - Storing and reading

        /// Keeps an object, if `mayReplace` says so of the one that has not expired, or of nil.
        ///
        /// - Parameters:
        ///   - object: the object.
        ///   - cost: what it costs; with more than the limit it is not kept, and what was there goes.
        ///   - text: the key.
        ///   - ownKeyLength: bytes of the key that come before a processor's identifier.
        ///   - expiration: how long; nil for the configuration's.
        ///   - mayReplace: is called under the lock, with what looks the present one up.
        func store(
            _ object: Object,
            cost: Int,
            forKey text: String,
            ownKeyLength: Int,
            expiration: StorageExpiration?,
            if mayReplace: (_ present: () -> Object?) -> Bool = { _ in true }
        ) {
            let (now, key, cost) = (now(), HashedKey(text), max(0, cost))
            var isKept = false
            let leaving = state.withLock { state in
                var leaving = Leaving<Object>()
                let expiry = Expiry(expiration ?? state.config.expiration, from: now)
                guard expiry.date > now, mayReplace({ state.table.value(key, at: now) }) else {
                    return leaving
                }
                if let old = state.table.remove(key) { leaving.append(old) }
                guard cost <= state.config.largestCost else { return leaving }
                state.makeRoom(forCost: cost, count: 1, &leaving)
                state.table.insert(
                    .init(key: key, ownKeyLength: ownKeyLength, value: object, cost: cost, expiry: expiry))
                isKept = true
                return leaving
            }
            _ = consume leaving
            if isKept, let image = object as? Image { follow(image, under: key, charged: cost) }
        }

        /// The object under `key`, which becomes the most recently used; nil if it has expired.
        func object(forKey key: String, extending: ExpirationExtending) -> Object? {
            let (now, key) = (now(), HashedKey(key))
            return state.withLock { $0.table.use(key, at: now, extending: extending) }
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

        /// Removes all values and sweeps no more: nobody can reach them.
        ///
        /// Images whose costs it follows may keep it.
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
    /// Has the image tell when it is decoded, and puts right what has changed since it was charged.
    private func follow(_ image: Image, under key: HashedKey, charged: Int) {
        guard image.animation != nil || !image.store.isFixed else { return }
        if image.addCostObserver(self, key: key) != charged { _ = correctCost(under: key, of: image.store) }
    }

    /// Charges the image under `key` what it costs now, and evicts what is too much then.
    ///
    /// An image that costs more than the limit by itself leaves, and nothing else does.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - pixels: what has changed.
    /// - Returns: whether the image under the key shows these pixels.
    func correctCost(under key: HashedKey, of pixels: PixelStore) -> Bool {
        let (isThere, leaving) = state.withLock { state in
            var leaving = Leaving<Object>()
            guard let image = state.table.peek(key) as? Image, image.shows(pixels) else {
                return (false, leaving)
            }
            let cost = image.cacheCost
            if cost > state.config.largestCost {
                if let removed = state.table.remove(key) { leaving.append(removed) }
                return (false, leaving)
            }
            state.table.setCost(cost, of: key)
            state.makeRoom(forCost: 0, count: 0, &leaving)
            return (true, leaving)
        }
        _ = consume leaving
        return isThere
    }
}
