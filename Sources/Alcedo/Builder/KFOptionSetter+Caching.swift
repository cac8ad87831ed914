public import Foundation

// Options for caches; KingfisherParsedOptionsInfo documents each option.

extension KFOptionSetter {
    /// Sets ``KingfisherParsedOptionsInfo/targetCache``.
    public func targetCache(_ cache: ImageCache) -> Self {
        setting { $0.targetCache = cache }
    }

    /// Sets ``KingfisherParsedOptionsInfo/originalCache``.
    public func originalCache(_ cache: ImageCache) -> Self {
        setting { $0.originalCache = cache }
    }

    /// Sets ``KingfisherParsedOptionsInfo/fallbackCaches``.
    public func fallbackCaches(_ caches: [ImageCache]?) -> Self {
        setting { $0.fallbackCaches = caches }
    }

    /// Sets ``KingfisherParsedOptionsInfo/sharedCache``.
    public func sharedCache(_ cache: SharedImageCache?) -> Self {
        setting { $0.sharedCache = cache }
    }

    /// Sets ``KingfisherParsedOptionsInfo/fromMemoryCacheOrRefresh``.
    public func fromMemoryCacheOrRefresh(_ enabled: Bool = true) -> Self {
        setting { $0.fromMemoryCacheOrRefresh = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/cacheMemoryOnly``.
    public func cacheMemoryOnly(_ enabled: Bool = true) -> Self {
        setting { $0.cacheMemoryOnly = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/readLayers`` and ``KingfisherParsedOptionsInfo/writeLayers``.
    public func cacheLayers(read: CacheLayers = .all, write: CacheLayers = .all) -> Self {
        setting { ($0.readLayers, $0.writeLayers) = (read, write) }
    }

    /// Sets ``KingfisherParsedOptionsInfo/waitForCache``.
    public func waitForCache(_ enabled: Bool = true) -> Self {
        setting { $0.waitForCache = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/onlyFromCache``.
    public func onlyFromCache(_ enabled: Bool = true) -> Self {
        setting { $0.onlyFromCache = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/cacheOriginalImage``.
    public func cacheOriginalImage(_ enabled: Bool = true) -> Self {
        setting { $0.cacheOriginalImage = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/useCachedIntermediates``.
    public func useCachedIntermediates(_ enabled: Bool = true) -> Self {
        setting { $0.useCachedIntermediates = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/diskStoreWriteOptions``.
    public func diskStoreWriteOptions(_ writingOptions: Data.WritingOptions) -> Self {
        setting { $0.diskStoreWriteOptions = writingOptions }
    }

    /// Sets ``KingfisherParsedOptionsInfo/loadDiskFileSynchronously``.
    public func loadDiskFileSynchronously(_ enabled: Bool = true) -> Self {
        setting { $0.loadDiskFileSynchronously = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/memoryCacheExpiration``.
    public func memoryCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting { $0.memoryCacheExpiration = expiration }
    }

    /// Sets ``KingfisherParsedOptionsInfo/memoryCacheAccessExtendingExpiration``.
    public func memoryCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting { $0.memoryCacheAccessExtendingExpiration = extending }
    }

    /// Sets ``KingfisherParsedOptionsInfo/diskCacheExpiration``.
    public func diskCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting { $0.diskCacheExpiration = expiration }
    }

    /// Sets ``KingfisherParsedOptionsInfo/diskCacheAccessExtendingExpiration``.
    public func diskCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting { $0.diskCacheAccessExtendingExpiration = extending }
    }

    /// Sets ``KingfisherParsedOptionsInfo/httpFreshness``.
    public func httpFreshness(_ freshness: HTTPFreshness) -> Self {
        setting { $0.httpFreshness = freshness }
    }

    /// Sets ``KingfisherParsedOptionsInfo/revalidationHandler``.
    public func onRevalidation(
        _ block: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> Self {
        setting { $0.revalidationHandler = block }
    }

    /// Sets ``KingfisherParsedOptionsInfo/cacheSerializer``.
    public func serialize(by cacheSerializer: any CacheSerializer) -> Self {
        setting { $0.cacheSerializer = cacheSerializer }
    }

    /// Stores images in one format, regardless of their source format.
    ///
    /// A JPEG's quality is from 0 to 1; 1 by default. An unknown format stores PNG.
    public func serialize(as format: ImageFormat, jpegCompressionQuality: CGFloat? = nil) -> Self {
        let serializer: FormatIndicatedCacheSerializer =
            switch format {
            case .PNG, .unknown: .png
            case .JPEG: .jpeg(compressionQuality: jpegCompressionQuality ?? 1)
            case .GIF: .gif
            }
        return serialize(by: serializer)
    }
}
