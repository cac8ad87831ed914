public import Foundation

/// The memory cache.
public enum MemoryStorage {
    /// The limits and lifetimes of a memory cache.
    public struct Config: Sendable {
        /// Largest sum of costs, which for images are bytes; 0 or less for no limit.
        ///
        /// It holds at every moment: the least recently used values are evicted. A value that costs more than this
        /// alone is not stored.
        public var totalCostLimit: Int

        /// Largest number of values; no limit by default, nor with 0 or less.
        public var countLimit: Int = .max

        /// The lifetime of a value after it was stored or last read; 300 seconds by default.
        public var expiration: StorageExpiration = .seconds(300)

        /// Seconds between two sweeps that remove expired values; 120 by default.
        ///
        /// With 0 or less there are no sweeps: expired values are evicted when others need the room.
        public var cleanInterval: TimeInterval

        /// Keeps all images when the program's windows are hidden, see ``ImageCache/trimInBackground()``; false by default.
        public var keepWhenEnteringBackground: Bool = false

        /// Whether a value that was evicted is still found while the program holds it, as a view holds the image that it
        /// shows; false by default.
        ///
        /// The storage keeps a weak reference, and a lookup stores the value again. This holds for eviction by a limit and
        /// for ``ImageCache/clearMemoryCache()``. What was removed, replaced or has expired is not found.
        public var keepWhileInUse: Bool = false

        /// A configuration with these limits.
        public init(totalCostLimit: Int, cleanInterval: TimeInterval = 120) {
            self.totalCostLimit = totalCostLimit
            self.cleanInterval = cleanInterval
        }
    }
}

extension MemoryStorage.Config {
    package var largestCost: Int { totalCostLimit > 0 ? totalCostLimit : .max }

    var largestCount: Int { countLimit > 0 ? countLimit : .max }
}
