import AlcedoLocks
import Foundation

/// What a load sets for a store beside the options.
struct StoreConditions: Sendable {
    /// Whether the image was replaced or removed meanwhile, so that it must not be stored.
    var isSuperseded: (@Sendable () -> Bool)?

    /// Whether the cache may drop the store if too many bytes wait for the disk.
    var isOptional = false

    /// Whether it belongs to the key's response, so that its record is kept.
    var keepsResponse = false

    /// Receives the image's encoded bytes, which the shared cache gets too.
    var encoded: (@Sendable (Data) -> Void)?

    /// Counts stores that wait for the disk, so that downloads wait too.
    var backpressure: Backpressure?
}
