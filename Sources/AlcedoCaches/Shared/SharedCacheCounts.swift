/// What a ``SharedImageCache`` has done so far.
public struct SharedCacheCounts: Sendable, Equatable, Codable {
    /// Lookups that found a value.
    public var hits = 0

    /// Lookups that found nothing.
    public var misses = 0

    /// Lookups that found that the source has failed a moment ago.
    public var negativeHits = 0

    /// Values that were damaged, misplaced, or signed with another secret; each was deleted.
    ///
    /// One that is read again before that counts again.
    public var wrongValues = 0

    /// Calls of the store that failed or took too long.
    public var failures = 0

    /// Calls that were left out, because the store or the node that has the key has failed often, or too many calls were running.
    public var skipped = 0

    /// Leases that this process got: it loaded for the fleet.
    public var leasesWon = 0

    /// Leases that another process had.
    public var leasesLost = 0

    /// Waits for another process that ended without a value.
    public var leasesTimedOut = 0

    /// Values loaded again in the last fifth of their life.
    public var renewals = 0

    /// Values stored.
    public var writes = 0

    /// Values not stored because the queue was full.
    public var droppedWrites = 0

    /// Values not stored because they exceed the size limit.
    public var tooLarge = 0

    /// Values not stored because the image was removed meanwhile, or another process has stored one.
    public var superseded = 0

    /// Bytes of values read.
    public var receivedBytes = 0

    /// Bytes of values written.
    public var sentBytes = 0

    public init() {}
}
