/// Something with a size in memory.
public protocol CacheCostCalculable {
    /// Bytes, or any unit that a limit is given in.
    var cacheCost: Int { get }
}
