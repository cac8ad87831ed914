/// What Alcedo's own callers (a view, a prefetcher, another load) set for a load beside its options.
struct LoadContext: Sendable {
    var download = DownloadContext()

    /// Whether a stale image is revalidated before it is used, regardless of `stale-while-revalidate`.
    var revalidatesFirst = false

    /// Whether to store the bytes of the source as they are, instead of the image.
    var storesOnlyBytes = false

    /// Called for a retry or an alternative source.
    var downloadTaskUpdated: DownloadTaskUpdatedBlock?

    /// Receives the result of storing the image, before the load completes with `waitForCache`.
    var stored: (@Sendable (CacheStoreResult) -> Void)?
}
