public import Alcedo
public import AlcedoWaiting
public import Foundation

extension ImageCache {
    /// Creates a cache in a time of its own: a manual clock decides when images expire and when responses get stale.
    ///
    /// With `httpFreshness`, the times of requests and responses are the clock's too, so advance it by a `max-age` to
    /// have the next load revalidate its image.
    ///
    /// - Parameters:
    ///   - name: the name of the folder and of the memory cache.
    ///   - cacheDirectoryURL: the folder in which the cache creates its own.
    ///   - clock: the clock.
    ///   - start: the date when the clock's time is zero; 1 January 2030 by default.
    /// - Throws: `cannotCreateDirectory`.
    public convenience init(
        name: String, cacheDirectoryURL: URL, clock: ManualClock,
        start: Date = Date(timeIntervalSince1970: 1_893_456_000)
    ) throws(KingfisherError) {
        let now: @Sendable () -> Date = { start + clock.now.offset / .seconds(1) }
        // No timer of the system's sweeps such a cache.
        let memory = MemoryStorage.Config(totalCostLimit: 256 << 20, cleanInterval: 0)
        let disk = DiskStorage.Config(name: name, sizeLimit: 0, directory: cacheDirectoryURL)
        self.init(
            memoryStorage: MemoryStorage.Backend(config: memory, now: now),
            diskStorage: try DiskStorage.Backend(config: disk, now: now))
    }
}
