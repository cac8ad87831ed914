public import Foundation

/// The cache in memory.
public enum MemoryStorage {
    /// What a memory cache may hold, and for how long.
    public struct Config: Sendable {
        /// Largest sum of costs, which for images are bytes; 0 or less for no limit.
        ///
        /// It holds at every moment: what was used least recently gives way. A value that costs more than this by
        /// itself is not stored.
        public var totalCostLimit: Int

        /// Largest number of values; no limit by default, nor with 0 or less.
        public var countLimit: Int = .max

        /// How long a value is kept after it was stored or last used; 300 seconds by default.
        public var expiration: StorageExpiration = .seconds(300)

        /// Seconds between two sweeps that remove expired values; 120 by default.
        ///
        /// There are no sweeps with 0 or less: then expired values go when others need the room.
        public var cleanInterval: TimeInterval

        /// Has no effect: a program on Linux does not enter the background.
        public var keepWhenEnteringBackground: Bool = false

        /// A configuration with these limits.
        public init(totalCostLimit: Int, cleanInterval: TimeInterval = 120) {
            self.totalCostLimit = totalCostLimit
            self.cleanInterval = cleanInterval
        }
    }
}

extension MemoryStorage.Config {
    var largestCost: Int { totalCostLimit > 0 ? totalCostLimit : .max }

    var largestCount: Int { countLimit > 0 ? countLimit : .max }
}
