public import AlcedoCaches
package import Foundation

extension MemoryStorage {
    /// Values in memory up to a total cost and a number, with least-recently-used eviction.
    ///
    /// Any thread may call any method. Storing and reading take constant time, never suspend and never access a
    /// disk. An evicted value is released after the lock. The cost of an image is updated when it is decoded or drops
    /// its pixels.
    public final class Backend<T: CacheCostCalculable>: Sendable where T: Sendable {
        private let core: Core

        /// Whether values are objects; others are stored in a ``Box``.
        private let holdsObjects = T.self is AnyObject.Type

        public convenience init(config: Config) {
            self.init(config: config, now: { .coarse })
        }

        /// Creates an empty storage with `now` as its clock.
        package init(config: Config, now: @escaping @Sendable () -> Date) {
            core = Core(config: config, costs: T.self == Image.self ? .ofImages : nil, now: now)
        }

        deinit { core.close() }

        /// The limits and times; a change takes effect at once and evicts values beyond a new limit.
        public var config: Config {
            get { core.config }
            set { core.config = newValue }
        }

        /// Removes all values that have expired.
        public func removeExpired() {
            core.removeExpired()
        }

        /// Stores `value` under `key` and replaces a present value.
        ///
        /// - Parameters:
        ///   - value: the value; if it costs more than the whole limit, it is not stored, and a present value is removed.
        ///   - key: the key.
        ///   - expiration: its lifetime; nil for the configuration's. With an expired one, nothing happens.
        public func store(value: T, forKey key: String, expiration: StorageExpiration? = nil) {
            let object = object(of: value)
            core.store(
                object, cost: value.cacheCost, costChanges: Image.costChanges(of: object), forKey: key,
                ownKeyLength: key.utf8.count, expiration: expiration)
        }

        /// Stores a processor's result for a key, so that ``removeVariants(ofKey:)`` finds it; frees nothing.
        ///
        /// The caller, who may have a lock, passes the result to ``finish(_:)`` when it has none.
        func insert(
            value: T, forKey key: String, identifier: String, expiration: StorageExpiration?
        ) -> Core.Insertion {
            let object = object(of: value)
            return core.insert(
                object, cost: value.cacheCost, costChanges: Image.costChanges(of: object),
                forKey: key.computedKey(with: identifier), ownKeyLength: key.utf8.count,
                expiration: expiration)
        }

        func finish(_ insertion: consuming Core.Insertion) { core.finish(insertion) }

        /// Stores `value` if `mayReplace` allows it; gets the present value, or nil if there is none or it has expired.
        func store(
            value: T,
            forKey key: String,
            identifier: String = "",
            expiration: StorageExpiration? = nil,
            if mayReplace: (T?) -> Bool
        ) {
            let object = object(of: value)
            core.store(
                object, cost: value.cacheCost, costChanges: Image.costChanges(of: object),
                forKey: key.computedKey(with: identifier), ownKeyLength: key.utf8.count,
                expiration: expiration
            ) { mayReplace($0().map { self.value(of: $0) }) }
        }

        /// Reads a value and touches it.
        ///
        /// An expired value stays, and counts, until a sweep. A clock that was set back shortens no expiry.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - extendingExpiration: what happens to its expiry.
        /// - Returns: the value; nil if there is none or it has expired.
        public func value(
            forKey key: String,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) -> T? {
            // `map` is not specialised here, and retains this object, which all threads share: a fifth of a hit.
            guard let object = core.object(forKey: key, extending: extendingExpiration) else { return nil }
            return value(of: object)
        }

        /// The unexpired values of a key, with their processors' identifiers, costs and expiries; touches none.
        func variants(ofKey key: String) -> [(identifier: String, value: T, cost: Int, expiry: Date)] {
            core.variants(of: key).map { ($0.identifier, value(of: $0.object), $0.cost, $0.expiry) }
        }

        /// Whether there is an unexpired value under `key`; does not touch it.
        public func isCached(forKey key: String) -> Bool { core.isCached(key) }

        /// Removes the value under `key`, if there is one.
        public func remove(forKey key: String) { core.remove(key) }

        /// Removes the value under `key` and all its variants, in time proportional to the number of values.
        func removeVariants(ofKey key: String) { _ = core.takeVariants(of: key) }

        /// As ``removeVariants(ofKey:)``; returns what it has removed, for a caller that must not free it yet.
        func takeVariants(ofKey key: String) -> [AnyObject] { core.takeVariants(of: key) }

        public func removeAll() { core.removeAll() }

        /// Evicts all values; see ``MemoryStorage/Config/keepWhileInUse``.
        func evictAll() { core.evictAll() }

        /// Evicts the least recently used values until their cost is at most `cost`.
        public func trim(toCost cost: Int) { core.trim(toCost: cost) }

        /// The sum of all costs, including expired values that no sweep has removed yet.
        public func totalCacheCost() -> Int { core.totalCost }

        /// The number of values evicted because of a limit.
        var evictionCount: Int { core.evictionCount }

        // MARK: - Values as objects

        private func object(of value: T) -> Core.Object {
            // Safe because T is a class.
            holdsObjects ? unsafeBitCast(value, to: Core.Object.self) : Box(value: value)
        }

        private func value(of object: Core.Object) -> T {
            // Safe because T is a class, and other values are in a box of their type.
            holdsObjects ? unsafeBitCast(object, to: T.self) : unsafeDowncast(object, to: Box<T>.self).value
        }
    }

    /// An object for a value that is none.
    private final class Box<T: Sendable>: Sendable {
        let value: T

        init(value: T) { self.value = value }
    }
}
