package import Foundation

extension MemoryStorage {
    /// Values in memory, up to a cost and a number; what was used least recently gives way.
    ///
    /// Any thread may call any method. Storing and reading take constant time, never suspend and never touch a
    /// disk. A value that leaves is released after the lock is. An image that is decoded or dropped pixels after it was
    /// stored is charged for what it has then.
    public final class Backend<T: CacheCostCalculable>: Sendable where T: Sendable {
        private let core: Core

        /// Whether values are objects; others are kept in a ``Box``.
        private let holdsObjects = T.self is AnyObject.Type

        /// Makes an empty storage.
        public convenience init(config: Config) {
            self.init(config: config, now: { .coarse })
        }

        /// Makes an empty storage that tells the time by `now`.
        package init(config: Config, now: @escaping @Sendable () -> Date) {
            core = Core(config: config, now: now)
        }

        deinit { core.close() }

        /// The limits and times; a change takes effect at once, and values beyond a new limit leave.
        public var config: Config {
            get { core.config }
            set { core.config = newValue }
        }

        /// Removes all values that have expired.
        public func removeExpired() {
            core.removeExpired()
        }

        /// Keeps `value` under `key`, in place of what was there.
        ///
        /// - Parameters:
        ///   - value: the value; if it costs more than the whole limit, it is not kept, and what was there goes.
        ///   - key: the key.
        ///   - expiration: how long; nil for the configuration's. With a time that is over, nothing happens.
        public func store(value: T, forKey key: String, expiration: StorageExpiration? = nil) {
            core.store(
                object(of: value), cost: value.cacheCost, forKey: key, ownKeyLength: key.utf8.count,
                expiration: expiration)
        }

        /// Keeps what a processor made for a key, so that ``removeVariants(ofKey:)`` finds it.
        func store(value: T, forKey key: String, identifier: String, expiration: StorageExpiration?) {
            core.store(
                object(of: value), cost: value.cacheCost, forKey: key.computedKey(with: identifier),
                ownKeyLength: key.utf8.count, expiration: expiration)
        }

        /// Keeps `value` if `mayReplace` says so of the one that has not expired, or of nil.
        func store(
            value: T,
            forKey key: String,
            identifier: String = "",
            expiration: StorageExpiration? = nil,
            if mayReplace: (T?) -> Bool
        ) {
            core.store(
                object(of: value), cost: value.cacheCost, forKey: key.computedKey(with: identifier),
                ownKeyLength: key.utf8.count, expiration: expiration
            ) { mayReplace($0().map { self.value(of: $0) }) }
        }

        /// Reads a value, which becomes the most recently used.
        ///
        /// An expired value stays, and counts, until a sweep. An expiry is extended to within a thousandth of its time.
        /// A clock that has been set back shortens none.
        ///
        /// - Parameters:
        ///   - key: the key.
        ///   - extendingExpiration: what happens to its expiry.
        /// - Returns: the value; nil if there is none or it has expired.
        public func value(
            forKey key: String,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) -> T? {
            core.object(forKey: key, extending: extendingExpiration).map(value(of:))
        }

        /// Whether there is a value under `key` that has not expired; asking does not count as a use.
        public func isCached(forKey key: String) -> Bool { core.isCached(key) }

        /// Removes the value under `key`, if there is one.
        public func remove(forKey key: String) { core.remove(key) }

        /// Removes what is under `key` and whatever processors made of it, in time proportional to all values.
        func removeVariants(ofKey key: String) { core.removeVariants(of: key) }

        /// Removes all values.
        public func removeAll() { core.removeAll() }

        /// The sum of all costs, those of expired values that no sweep has removed yet included.
        public func totalCacheCost() -> Int { core.totalCost }

        // MARK: - Values as objects

        private func object(of value: T) -> Core.Object {
            // Safe because T is a class.
            holdsObjects ? unsafeBitCast(value, to: Core.Object.self) : Box(value: value)
        }

        private func value(of object: Core.Object) -> T {
            // Safe because T is a class, and what is not was put into a box of its own type.
            holdsObjects ? unsafeBitCast(object, to: T.self) : unsafeDowncast(object, to: Box<T>.self).value
        }
    }

    /// A value that is no object.
    private final class Box<T: Sendable>: Sendable {
        let value: T

        init(value: T) { self.value = value }
    }
}
