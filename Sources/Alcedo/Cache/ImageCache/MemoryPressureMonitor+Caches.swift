extension MemoryPressureMonitor {
    /// Starts to watch.
    ///
    /// - Parameter handler: frees other memory of the program; called on a queue of the monitor after the caches were trimmed.
    public convenience init(handler: (@Sendable (Level) -> Void)? = nil) {
        self.init(allowance: MemoryAllowance()) { level in
            Self.relieve(level, ImageCacheRegistry.all, .shared)
            handler?(level)
        }
    }

    /// Frees images of caches, and frames that playing animations have decoded ahead.
    static func relieve(_ level: Level, _ caches: [ImageCache], _ frames: FrameBudget) {
        for cache in caches { cache.trimMemoryCache(toShare: level == .warning ? 0.5 : 0) }
        frames.relieve()
    }
}
