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

    /// Deletes the values of an image from the shared cache; calls `then` once, with ``SharedCacheError/removalPending`` if the
    /// store has not confirmed that.
    func removeShared(
        forKey key: String, identifiers: some Sequence<String>, forcedExtension: String? = nil,
        then: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        guard let shared = sharedCache else { return then(.success(())) }
        var keys: [SharedKey] = []
        for identifier in Set(identifiers) {
            if identifier.isEmpty { keys.append(SharedKey(.original, of: key)) }
            for forced in forcedExtension == nil ? [nil] : [nil, forcedExtension] {
                keys.append(SharedKey(.image, of: key, identifier: identifier, forcedExtension: forced))
            }
        }
        guard !keys.isEmpty else { return then(.success(())) }
        shared.remove(keys) { then($0 ? .success(()) : .failure(SharedCacheError.removalPending)) }
    }
}
