import AlcedoLocks
package import Foundation

extension MemoryStorage {
    /// Values in memory, up to a cost and a number; what was used least recently gives way.
    ///
    /// Any thread may call any method. Storing and reading take constant time, never suspend and never touch a
    /// disk. A value that leaves is released after the lock is.
    public final class Backend<T: CacheCostCalculable>: Sendable where T: Sendable {
        private struct State {
            var config: Config
            var table = LRUTable<T>()
            var sweeper: RepeatingTimer?

            /// Removes the oldest values until there is room, and gives them to `leaving`, which frees them later.
            mutating func makeRoom(forCost cost: Int, count: Int, _ leaving: inout Leaving<T>) {
                table.purge(toCost: config.largestCost - cost, count: config.largestCount - count) {
                    leaving.append($0)
                }
            }
        }

        private let state: Lock<State>
        private let now: @Sendable () -> Date

        /// Makes an empty storage.
        public convenience init(config: Config) {
            self.init(config: config, now: { .coarse })
        }

        /// Makes an empty storage that tells the time by `now`.
        package init(config: Config, now: @escaping @Sendable () -> Date) {
            state = Lock(State(config: config))
            self.now = now
            restartSweeper(every: config.cleanInterval)
        }

        /// The limits and times; a change takes effect at once, and values beyond a new limit leave.
        public var config: Config {
            get { state.withLock { $0.config } }
            set {
                let evicted = state.withLock { state in
                    var evicted = Leaving<T>()
                    state.config = newValue
                    state.makeRoom(forCost: 0, count: 0, &evicted)
                    return evicted
                }
                _ = consume evicted
                restartSweeper(every: newValue.cleanInterval)
            }
        }

        /// Removes all values that have expired.
        public func removeExpired() {
            let now = now()
            let removed = state.withLock { $0.table.count == 0 ? [] : $0.table.removeExpired(at: now) }
            _ = consume removed
        }

        /// Keeps `value` under `key`, in place of what was there.
        ///
        /// - Parameters:
        ///   - value: the value; if it costs more than the whole limit, it is not kept, and what was there goes.
        ///   - key: the key.
        ///   - expiration: how long; nil for the configuration's. With a time that is over, nothing happens.
        @_specialize(where T == KFCrossPlatformImage)  // generic code takes five times as long
        public func store(value: T, forKey key: String, expiration: StorageExpiration? = nil) {
            store(value, forKey: key, ownKeyLength: key.utf8.count, expiration: expiration)
        }

        /// Keeps what a processor made for a key, so that ``removeVariants(ofKey:)`` finds it.
        func store(value: T, forKey key: String, identifier: String, expiration: StorageExpiration?) {
            store(
                value,
                forKey: key.computedKey(with: identifier),
                ownKeyLength: key.utf8.count,
                expiration: expiration
            )
        }

        /// Keeps `value` if `mayReplace` says so of the one that has not expired, or of nil.
        func store(
            value: T,
            forKey key: String,
            identifier: String = "",
            expiration: StorageExpiration? = nil,
            if mayReplace: (T?) -> Bool
        ) {
            store(
                value,
                forKey: key.computedKey(with: identifier),
                ownKeyLength: key.utf8.count,
                expiration: expiration,
                if: { mayReplace($0()) }
            )
        }

        private func store(
            _ value: T,
            forKey key: String,
            ownKeyLength: Int,
            expiration: StorageExpiration?,
            if mayReplace: (_ present: () -> T?) -> Bool = { _ in true }
        ) {
            let (now, key) = (now(), HashedKey(key))
            let cost = max(0, value.cacheCost)
            let leaving = state.withLock { state in
                var leaving = Leaving<T>()
                let expiry = Expiry(expiration ?? state.config.expiration, from: now)
                guard expiry.date > now, mayReplace({ state.table.value(key, at: now) }) else {
                    return leaving
                }
                if let old = state.table.remove(key) { leaving.append(old) }
                guard cost <= state.config.largestCost else { return leaving }
                state.makeRoom(forCost: cost, count: 1, &leaving)
                state.table.insert(
                    .init(key: key, ownKeyLength: ownKeyLength, value: value, cost: cost, expiry: expiry))
                return leaving
            }
            _ = consume leaving
        }

        /// Reads a value, which becomes the most recently used.
        ///
        /// An expired value stays, and counts, until a sweep. An expiry is extended to within a thousandth of its time.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - extendingExpiration: what happens to its expiry.
        /// - Returns: the value; nil if there is none or it has expired.
        @_specialize(where T == KFCrossPlatformImage)
        public func value(
            forKey key: String,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) -> T? {
            let (now, key) = (now(), HashedKey(key))
            return state.withLock { $0.table.use(key, at: now, extending: extendingExpiration) }
        }

        /// Whether there is a value under `key` that has not expired; asking does not count as a use.
        @_specialize(where T == KFCrossPlatformImage)
        public func isCached(forKey key: String) -> Bool {
            let (now, key) = (now(), HashedKey(key))
            return state.withLock { $0.table.value(key, at: now) != nil }
        }

        /// Removes the value under `key`, if there is one.
        public func remove(forKey key: String) {
            let key = HashedKey(key)
            let removed = state.withLock { $0.table.remove(key) }
            _ = consume removed
        }

        /// Removes what is under `key` and whatever processors made of it, in time proportional to all values.
        func removeVariants(ofKey key: String) {
            let removed = state.withLock { $0.table.removeVariants(of: key) }
            _ = consume removed
        }

        /// Removes all values.
        public func removeAll() {
            let removed = state.withLock { exchange(&$0.table, with: LRUTable()) }
            _ = consume removed
        }

        /// The sum of all costs, those of expired values that no sweep has removed yet included.
        public func totalCacheCost() -> Int {
            state.withLock { $0.table.totalCost }
        }

        private func restartSweeper(every interval: TimeInterval) {
            let sweeper = RepeatingTimer(every: interval) { [weak self] in self?.removeExpired() }
            let old = state.withLock { exchange(&$0.sweeper, with: sweeper) }
            _ = consume old
        }
    }
}
