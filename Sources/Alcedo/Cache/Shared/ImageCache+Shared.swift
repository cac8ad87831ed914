import AlcedoLocks
import Foundation

/// The shared cache of an image cache.
final class SharedCacheSlot: Sendable {
    let cache = Lock<SharedImageCache?>(nil)
}

extension ImageCache {
    /// The cache that other machines use too, which loads with this target cache look up after the disk; nil by default.
    ///
    /// The option of this name overrides it. Applies to later loads. Only what is loaded from a URL is shared, except for
    /// `file` and `data` URLs.
    public var sharedCache: SharedImageCache? {
        get { sharedSlot.cache.withLock { $0 } }
        set {
            let old = sharedSlot.cache.withLock { exchange(&$0, with: newValue) }
            withExtendedLifetime(old) {}
        }
    }

    /// Deletes the values of an image from the shared cache, as far as its nodes can be reached.
    func removeShared(forKey key: String, identifiers: some Sequence<String>, forcedExtension: String? = nil)
    {
        guard let shared = sharedCache else { return }
        for identifier in Set(identifiers) {
            if identifier.isEmpty { shared.remove(SharedKey(.original, of: key)) }
            for forced in forcedExtension == nil ? [nil] : [nil, forcedExtension] {
                shared.remove(
                    SharedKey(.image, of: key, identifier: identifier, forcedExtension: forced))
            }
        }
    }
}
