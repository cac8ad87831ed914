extension ImageCache {
    /// Whether a ``MemoryPressureMonitor`` and AlcedoGTK's windows trim this cache; true for ``default``, else false.
    ///
    /// A monitor evicts images from memory when memory gets short. When the last visible window of a program with
    /// AlcedoGTK's views is hidden, the cache does what ``trimInBackground()`` does.
    public var trimsAutomatically: Bool {
        get { ImageCacheRegistry.all.contains { $0 === self } }
        set { ImageCacheRegistry.set(self, isMember: newValue) }
    }

    /// Evicts the least recently used images from memory until their cost is at most a share of what it is.
    ///
    /// - Parameter share: from 0, which removes all, to 1.
    public func trimMemoryCache(toShare share: Double) {
        guard share > 0 else { return clearMemoryCache() }
        memoryStorage.trim(toCost: Int(Double(memoryStorage.totalCacheCost()) * min(share, 1)))
    }

    /// Frees memory and disk while nobody sees the program.
    ///
    /// Removes expired entries from memory and disk, and evicts the less recently used half of the images in memory unless
    /// ``MemoryStorage/Config/keepWhenEnteringBackground`` is set.
    public func trimInBackground() {
        if !memoryStorage.config.keepWhenEnteringBackground { trimMemoryCache(toShare: 0.5) }
        cleanExpiredCache()
    }

    /// Sets ``trimsAutomatically``.
    func trimmedAutomatically() -> ImageCache {
        trimsAutomatically = true
        return self
    }

    /// Calls ``trimInBackground()`` for all caches that are trimmed automatically.
    package static func trimAllInBackground() {
        for cache in ImageCacheRegistry.all { cache.trimInBackground() }
    }
}
