import AlcedoLocks

/// The image caches that are trimmed without a call of the program.
enum ImageCacheRegistry {
    private struct Entry: Sendable {
        weak var cache: ImageCache?
    }

    private static let entries = Lock<[Entry]>([])

    /// Adds or removes a cache.
    static func set(_ cache: ImageCache, isMember: Bool) {
        let entry = Entry(cache: cache)
        entries.withLock { entries in
            entries.removeAll { $0.cache == nil || $0.cache === cache }
            if isMember { entries.append(entry) }
        }
    }

    static var all: [ImageCache] {
        // Read under the lock, because the list is changed in place (decision 0009).
        entries.withLock { $0.compactMap(\.cache) }
    }
}
