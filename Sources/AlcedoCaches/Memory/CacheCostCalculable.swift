/// A value with a cost in a memory cache.
public protocol CacheCostCalculable {
    /// The cost in bytes, or in the unit of the cache's limit.
    var cacheCost: Int { get }
}
