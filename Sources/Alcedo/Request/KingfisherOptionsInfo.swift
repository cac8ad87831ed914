public import AlcedoCodecs
public import Foundation

/// Options of one load; a later item overrides an earlier one of the same kind.
public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

extension Array where Element == KingfisherOptionsInfoItem {
    /// No options.
    public static let empty: KingfisherOptionsInfo = []
}

/// One option of a load; ``KingfisherParsedOptionsInfo`` describes each with its default.
public enum KingfisherOptionsInfoItem: Sendable {
    /// See ``KingfisherParsedOptionsInfo/targetCache``.
    case targetCache(ImageCache)
    /// See ``KingfisherParsedOptionsInfo/originalCache``.
    case originalCache(ImageCache)
    /// See ``KingfisherParsedOptionsInfo/fallbackCaches``.
    case fallbackCaches([ImageCache])
    /// See ``KingfisherParsedOptionsInfo/sharedCache``.
    case sharedCache(SharedImageCache)
    /// See ``KingfisherParsedOptionsInfo/downloader``.
    case downloader(ImageDownloader)
    /// See ``KingfisherParsedOptionsInfo/transition``.
    case transition(ImageTransition)
    /// See ``KingfisherParsedOptionsInfo/downloadPriority``.
    case downloadPriority(Float)
    /// See ``KingfisherParsedOptionsInfo/forceRefresh``.
    case forceRefresh
    /// See ``KingfisherParsedOptionsInfo/fromMemoryCacheOrRefresh``.
    case fromMemoryCacheOrRefresh
    /// See ``KingfisherParsedOptionsInfo/forceTransition``.
    case forceTransition
    /// See ``KingfisherParsedOptionsInfo/cacheMemoryOnly``.
    case cacheMemoryOnly
    /// See ``KingfisherParsedOptionsInfo/readLayers`` and ``KingfisherParsedOptionsInfo/writeLayers``.
    case cacheLayers(read: CacheLayers = .all, write: CacheLayers = .all)
    /// See ``KingfisherParsedOptionsInfo/waitForCache``.
    case waitForCache
    /// See ``KingfisherParsedOptionsInfo/onlyFromCache``.
    case onlyFromCache
    /// See ``KingfisherParsedOptionsInfo/backgroundDecode``.
    case backgroundDecode
    /// See ``KingfisherParsedOptionsInfo/callbackQueue``.
    case callbackQueue(CallbackQueue)
    /// See ``KingfisherParsedOptionsInfo/scaleFactor``.
    case scaleFactor(CGFloat)
    /// See ``KingfisherParsedOptionsInfo/preloadAllAnimationData``.
    case preloadAllAnimationData
    /// See ``KingfisherParsedOptionsInfo/loaders``.
    case loaders(ImageLoaderRegistry)
    /// See ``KingfisherParsedOptionsInfo/requestModifier``.
    case requestModifier(any AsyncImageDownloadRequestModifier)
    /// See ``KingfisherParsedOptionsInfo/redirectHandler``.
    case redirectHandler(any ImageDownloadRedirectHandler)
    /// See ``KingfisherParsedOptionsInfo/processor``.
    case processor(any ImageProcessor)
    /// See ``KingfisherParsedOptionsInfo/cacheSerializer``.
    case cacheSerializer(any CacheSerializer)
    /// See ``KingfisherParsedOptionsInfo/imageModifier``.
    case imageModifier(any ImageModifier)
    /// See ``KingfisherParsedOptionsInfo/keepCurrentImageWhileLoading``.
    case keepCurrentImageWhileLoading
    /// See ``KingfisherParsedOptionsInfo/showCachedVariantWhileLoading``.
    case showCachedVariantWhileLoading
    /// See ``KingfisherParsedOptionsInfo/onlyLoadFirstFrame``.
    case onlyLoadFirstFrame
    /// See ``KingfisherParsedOptionsInfo/cacheOriginalImage``.
    case cacheOriginalImage
    /// See ``KingfisherParsedOptionsInfo/useCachedIntermediates``.
    case useCachedIntermediates
    /// See ``KingfisherParsedOptionsInfo/onFailureImage``.
    case onFailureImage(KFCrossPlatformImage?)
    /// See ``KingfisherParsedOptionsInfo/alsoPrefetchToMemory``.
    case alsoPrefetchToMemory
    /// See ``KingfisherParsedOptionsInfo/prefetchToDiskOnly``.
    case prefetchToDiskOnly
    /// See ``KingfisherParsedOptionsInfo/loadDiskFileSynchronously``.
    case loadDiskFileSynchronously
    /// See ``KingfisherParsedOptionsInfo/asyncCacheTypeCheck``.
    case asyncCacheTypeCheck
    /// See ``KingfisherParsedOptionsInfo/diskStoreWriteOptions``.
    case diskStoreWriteOptions(Data.WritingOptions)
    /// See ``KingfisherParsedOptionsInfo/memoryCacheExpiration``.
    case memoryCacheExpiration(StorageExpiration)
    /// See ``KingfisherParsedOptionsInfo/memoryCacheAccessExtendingExpiration``.
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    /// See ``KingfisherParsedOptionsInfo/diskCacheExpiration``.
    case diskCacheExpiration(StorageExpiration)
    /// See ``KingfisherParsedOptionsInfo/diskCacheAccessExtendingExpiration``.
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    /// See ``KingfisherParsedOptionsInfo/httpFreshness``.
    case httpFreshness(HTTPFreshness)
    /// See ``KingfisherParsedOptionsInfo/revalidationHandler``.
    case revalidationHandler(@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)
    /// See ``KingfisherParsedOptionsInfo/processingQueue``.
    case processingQueue(CallbackQueue)
    /// See ``KingfisherParsedOptionsInfo/progressiveJPEG``; applies to every format that allows it.
    case progressiveJPEG(ImageProgressive)
    /// See ``KingfisherParsedOptionsInfo/alternativeSources``.
    case alternativeSources([Source])
    /// See ``KingfisherParsedOptionsInfo/retryStrategy``.
    case retryStrategy(any RetryStrategy)
    /// See ``KingfisherParsedOptionsInfo/lowDataModeSource``.
    case lowDataMode(Source?)
    /// See ``KingfisherParsedOptionsInfo/forcedExtension``.
    case forcedCacheFileExtension(String?)
    /// See ``KingfisherParsedOptionsInfo/decodeLimits``.
    case decodeLimits(DecodeLimits)
    /// See ``KingfisherParsedOptionsInfo/maximumDecodedPixels``.
    case maximumDecodedPixels(Int)
    /// See ``KingfisherParsedOptionsInfo/downsampleToViewSize``.
    case downsampleToViewSize
    /// See ``KingfisherParsedOptionsInfo/decodeIsolation``.
    case decodeIsolation(DecodeIsolation)
    /// See ``KingfisherParsedOptionsInfo/codecs``.
    case codecs(CodecRegistry)
    /// See ``KingfisherParsedOptionsInfo/decodeBudget``.
    case decodeBudget(DecodeBudget)
    /// See ``KingfisherParsedOptionsInfo/reportProgressOfUnknownSize``.
    case reportProgressOfUnknownSize
    /// See ``KingfisherParsedOptionsInfo/observers``.
    case observers([any ImageLoadObserver])
    /// See ``KingfisherParsedOptionsInfo/interceptors``.
    case interceptors([any ImageLoadInterceptor])
    /// See ``KingfisherParsedOptionsInfo/networkInterceptors``.
    case networkInterceptors([any ImageLoadInterceptor])
}
