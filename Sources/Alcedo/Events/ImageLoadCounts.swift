/// What loads have done so far, and what waits at this moment.
public struct ImageLoadCounts: Sendable, Equatable, Codable {
    /// Loads that were started.
    public var started = 0

    /// Loads that have delivered an image.
    public var delivered = 0

    /// Loads that have failed.
    public var failed = 0

    /// Loads that were cancelled.
    public var cancelled = 0

    /// Lookups that memory has answered, with the image or its original.
    public var memoryHits = 0

    /// Lookups that the disk has answered, with the image or its original.
    public var diskHits = 0

    /// Lookups that the shared cache has answered, with the image or its original.
    public var sharedHits = 0

    /// Lookups that no cache has answered.
    public var misses = 0

    /// Loads that have shared the download of another load.
    public var coalesced = 0

    /// Attempts that failed and were followed by another one.
    public var retries = 0

    /// Bytes received by downloads that have ended, for whatever reason.
    public var receivedBytes = 0

    /// Images that the memory cache has evicted.
    public var memoryEvictions = 0

    /// Files that the disk cache has evicted.
    public var diskEvictions = 0

    /// Bytes of those files.
    public var diskEvictedBytes = 0

    /// Downloads that run now, those included that wait for a connection.
    public var runningDownloads = 0

    /// Downloads that wait for their turn now.
    public var queuedDownloads = 0

    /// Bytes received by the running downloads so far.
    public var bytesInFlight = 0

    /// Images that wait for a thread that decodes or processes them now, of all downloaders and caches.
    public var queuedJobs = 0

    /// Changes that the disk cache has not written yet.
    public var queuedWrites = 0

    /// Bytes of those changes.
    public var queuedWriteBytes = 0

    /// Makes counts of zero.
    public init() {}

    /// Loads that have not ended.
    public var inFlight: Int { started - delivered - failed - cancelled }
}
