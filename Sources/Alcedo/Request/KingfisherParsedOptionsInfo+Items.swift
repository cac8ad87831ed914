extension KingfisherParsedOptionsInfo {
    /// Sets the property of an item.
    mutating func apply(_ item: KingfisherOptionsInfoItem) {
        switch item {
        case .targetCache(let value): targetCache = value
        case .originalCache(let value): originalCache = value
        case .fallbackCaches(let value): fallbackCaches = value
        case .sharedCache(let value): sharedCache = value
        case .downloader(let value): downloader = value
        case .transition(let value): transition = value
        case .downloadPriority(let value): downloadPriority = value
        case .forceRefresh: forceRefresh = true
        case .fromMemoryCacheOrRefresh: fromMemoryCacheOrRefresh = true
        case .forceTransition: forceTransition = true
        case .cacheMemoryOnly: cacheMemoryOnly = true
        case .cacheLayers(let read, let write): (readLayers, writeLayers) = (read, write)
        case .waitForCache: waitForCache = true
        case .onlyFromCache: onlyFromCache = true
        case .backgroundDecode: backgroundDecode = true
        case .callbackQueue(let value): callbackQueue = value
        case .scaleFactor(let value): scaleFactor = value
        case .preloadAllAnimationData: preloadAllAnimationData = true
        case .loaders(let value): loaders = value
        case .requestModifier(let value): requestModifier = value
        case .redirectHandler(let value): redirectHandler = value
        case .processor(let value): processor = value
        case .cacheSerializer(let value): cacheSerializer = value
        case .imageModifier(let value): imageModifier = value
        case .keepCurrentImageWhileLoading: keepCurrentImageWhileLoading = true
        case .showCachedVariantWhileLoading: showCachedVariantWhileLoading = true
        case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
        case .cacheOriginalImage: cacheOriginalImage = true
        case .useCachedIntermediates: useCachedIntermediates = true
        case .onFailureImage(let value): onFailureImage = .some(value)
        case .alsoPrefetchToMemory: alsoPrefetchToMemory = true
        case .prefetchToDiskOnly: prefetchToDiskOnly = true
        case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
        case .asyncCacheTypeCheck: asyncCacheTypeCheck = true
        case .diskStoreWriteOptions(let value): diskStoreWriteOptions = value
        case .memoryCacheExpiration(let value): memoryCacheExpiration = value
        case .memoryCacheAccessExtendingExpiration(let value): memoryCacheAccessExtendingExpiration = value
        case .diskCacheExpiration(let value): diskCacheExpiration = value
        case .diskCacheAccessExtendingExpiration(let value): diskCacheAccessExtendingExpiration = value
        case .httpFreshness(let value): httpFreshness = value
        case .revalidationHandler(let value): revalidationHandler = value
        case .processingQueue(let value): processingQueue = value
        case .progressiveJPEG(let value): progressiveJPEG = value
        case .alternativeSources(let value): alternativeSources = value
        case .retryStrategy(let value): retryStrategy = value
        case .lowDataMode(let value): lowDataModeSource = value
        case .forcedCacheFileExtension(let value): forcedExtension = value
        case .decodeLimits(let value): decodeLimits = value
        case .maximumDecodedPixels(let value): maximumDecodedPixels = value
        case .downsampleToViewSize: downsampleToViewSize = true
        case .decodeIsolation(let value): decodeIsolation = value
        case .codecs(let value): codecs = value
        case .decodeBudget(let value): decodeBudget = value
        case .reportProgressOfUnknownSize: reportProgressOfUnknownSize = true
        case .observers(let value): observers = value
        case .interceptors(let value): interceptors = value
        case .networkInterceptors(let value): networkInterceptors = value
        }
    }
}
