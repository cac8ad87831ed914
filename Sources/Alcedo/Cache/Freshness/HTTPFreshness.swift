/// Whether cached images stay valid for as long as their servers say (RFC 9111).
public enum HTTPFreshness: Sendable {
    /// An image is valid until it expires by the cache's ``StorageExpiration``; the default.
    case ignored

    /// An image is valid while its response is fresh, and is revalidated afterwards.
    ///
    /// The caches keep each response's headers beside its images. ``StorageExpiration`` still decides when an entry
    /// is removed. Applies to `http` and `https` URLs.
    case respected

    /// As ``respected``, but the server has to confirm an image before each use, however long it is fresh.
    ///
    /// For one load, such as a screen that is refreshed by hand: an unchanged image costs a 304, where `forceRefresh` loads it again.
    case revalidated
}

extension ImageCache {
    /// How loads with this target cache respect what servers say about freshness; `.ignored` by default.
    ///
    /// The option of this name overrides it. Applies to later loads.
    public var httpFreshness: HTTPFreshness {
        get { responses.freshness }
        set { responses.freshness = newValue }
    }
}
