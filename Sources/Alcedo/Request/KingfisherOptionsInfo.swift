public import AlcedoCodecs
public import Foundation

/// Options of one load; a later item overrides an earlier one of the same kind.
public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

extension Array where Element == KingfisherOptionsInfoItem {
    public static let empty: KingfisherOptionsInfo = []
}

/// One option of a load; ``KingfisherParsedOptionsInfo`` describes each with its default.
public enum KingfisherOptionsInfoItem: Sendable {
    case targetCache(ImageCache)
    case originalCache(ImageCache)
    case fallbackCaches([ImageCache])
    case sharedCache(SharedImageCache)
    case downloader(ImageDownloader)
    case transition(ImageTransition)
    case downloadPriority(Float)
    case forceRefresh
    case fromMemoryCacheOrRefresh
    case forceTransition
    case cacheMemoryOnly
    case cacheLayers(read: CacheLayers = .all, write: CacheLayers = .all)
    case waitForCache
    case onlyFromCache
    case backgroundDecode
    case callbackQueue(CallbackQueue)
    case scaleFactor(CGFloat)
    case preloadAllAnimationData
    case loaders(ImageLoaderRegistry)
    case requestModifier(any AsyncImageDownloadRequestModifier)
    case redirectHandler(any ImageDownloadRedirectHandler)
    case processor(any ImageProcessor)
    case cacheSerializer(any CacheSerializer)
    case imageModifier(any ImageModifier)
    case keepCurrentImageWhileLoading
    case showCachedVariantWhileLoading
    case showDesktopThumbnailWhileLoading
    case onlyLoadFirstFrame
    case cacheOriginalImage
    case useCachedIntermediates
    case onFailureImage(KFCrossPlatformImage?)
    case alsoPrefetchToMemory
    case prefetchToDiskOnly
    case loadDiskFileSynchronously
    case asyncCacheTypeCheck
    case diskStoreWriteOptions(Data.WritingOptions)
    case memoryCacheExpiration(StorageExpiration)
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    case diskCacheExpiration(StorageExpiration)
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    case httpFreshness(HTTPFreshness)
    case revalidationHandler(@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)
    case processingQueue(CallbackQueue)
    /// See ``KingfisherParsedOptionsInfo/progressiveJPEG``; applies to every format that allows it.
    case progressiveJPEG(ImageProgressive)
    case alternativeSources([Source])
    case retryStrategy(any RetryStrategy)
    /// See ``KingfisherParsedOptionsInfo/lowDataModeSource``.
    case lowDataMode(Source?)
    /// See ``KingfisherParsedOptionsInfo/forcedExtension``.
    case forcedCacheFileExtension(String?)
    case decodeLimits(DecodeLimits)
    case maximumDecodedPixels(Int)
    case downsampleToViewSize
    case decodeSandbox(DecodeSandbox)
    /// See ``KingfisherParsedOptionsInfo/colorRetention``.
    case colorRetention(ColorRetention)
    case codecs(CodecRegistry)
    case decodeBudget(DecodeBudget)
    case reportProgressOfUnknownSize
    case observers([any ImageLoadObserver])
    case interceptors([any ImageLoadInterceptor])
    case networkInterceptors([any ImageLoadInterceptor])
}
