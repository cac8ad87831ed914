public import AlcedoCodecs
import AlcedoLocks
import AlcedoPixels
public import Foundation

/// The options of one load, one property each.
public struct KingfisherParsedOptionsInfo: Sendable {
    /// The cache; nil for the manager's.
    public var targetCache: ImageCache? = nil

    /// The cache for originals; nil for ``targetCache``.
    public var originalCache: ImageCache? = nil

    /// Caches to look up in order if ``targetCache`` does not have the image; none by default.
    ///
    /// A hit is stored in ``targetCache``, in the layers of ``writeLayers``. Nothing is stored in these caches. If none has
    /// the processed image, the original is looked up in ``originalCache``, then in these.
    public var fallbackCaches: [ImageCache]? = nil

    /// The cache that machines share, after the disk; nil for that of ``targetCache``.
    public var sharedCache: SharedImageCache? = nil

    /// The downloader; nil for the manager's.
    public var downloader: ImageDownloader? = nil

    /// The transition of a view to the image; `.none` by default.
    public var transition: ImageTransition = .none

    /// The priority of queued downloads and decode jobs, from 0 to 1; 0.5 by default, 0.25 for a prefetcher.
    public var downloadPriority: Float = 0.5

    /// Bypasses the caches' content; false by default.
    public var forceRefresh = false

    /// Looks up memory only, and loads after a miss; false by default.
    public var fromMemoryCacheOrRefresh = false

    /// Runs the transition for cached images too; false by default.
    public var forceTransition = false

    /// Stores nothing on disk and nothing in the shared cache; false by default.
    public var cacheMemoryOnly = false

    /// The layers that the load reads; all by default.
    ///
    /// A layer is read only if the other options allow it too: ``forceRefresh`` reads the network alone,
    /// ``fromMemoryCacheOrRefresh`` neither the disk nor the shared cache, ``onlyFromCache`` not the network. Originals
    /// are read from the same layers. Without the network, a miss fails with `imageNotExisting`.
    public var readLayers: CacheLayers = .all

    /// The layers that the load stores in; all by default, of which the network has no effect.
    ///
    /// A disk hit is stored in memory only if ``CacheLayers/memory`` is among them, an original only if
    /// ``CacheLayers/disk`` is. ``cacheMemoryOnly`` excludes the disk, except for an original. A layer that is not
    /// written keeps the entry it has.
    public var writeLayers: CacheLayers = .all

    /// Completes after the caches have stored the image, or with a disk that hangs after 5 to 10 s; false by default.
    public var waitForCache = false

    /// Fails with `imageNotExisting` after a miss, instead of loading; false by default.
    public var onlyFromCache = false

    /// Decodes pixels before the completion, instead of on first use; false by default.
    ///
    /// A load whose image can't be decoded then fails, and the caches do not get the image.
    public var backgroundDecode = false

    /// The queue of the completion; `.mainCurrentOrAsync` by default.
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync

    /// Pixels per point of images created from data; 1 by default.
    public var scaleFactor: CGFloat = 1.0

    /// Decodes all frames of an animation at once, instead of during playback; false by default.
    public var preloadAllAnimationData = false

    /// The loaders of URLs that the downloader is not to load; ``ImageLoaderRegistry/shared`` for nil.
    public var loaders: ImageLoaderRegistry? = nil

    /// Changes the request before it is sent.
    public var requestModifier: (any AsyncImageDownloadRequestModifier)? = nil

    public var redirectHandler: (any ImageDownloadRedirectHandler)? = nil

    /// The processor; its identifier is part of the cache key.
    public var processor: any ImageProcessor = DefaultImageProcessor.default

    /// Encodes and decodes the disk cache's entries.
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default

    /// Changes the delivered image, not the cached one.
    public var imageModifier: (any ImageModifier)? = nil

    /// Keeps the view's current image during the load; false by default.
    public var keepCurrentImageWhileLoading = false

    /// Shows another cached variant of the image in the view during the load; false by default.
    ///
    /// The variant replaces the placeholder: at once if memory has its pixels, later if it has to be decoded or read from
    /// disk. It is the one that ``ImageCache/bestVariant(forKey:size:)`` finds for the view's size.
    public var showCachedVariantWhileLoading = false

    /// Shows the desktop's thumbnail of a local file in the view during the load, if there is one; false by default.
    public var showDesktopThumbnailWhileLoading = false

    /// Decodes only the first frame of an animation, as a still image; false by default.
    public var onlyLoadFirstFrame = false

    /// Stores the original too if there is a processor; false by default.
    public var cacheOriginalImage = false

    /// Creates the image from a cached result of the processor chain's first steps if there is one; false by default.
    ///
    /// With `A |> B |> C`, `A |> B` is looked up in the target cache, then `A`: up to four of these, the longest first,
    /// and before the original. A result that was stored as a JPEG has lost some quality. A serializer that stores
    /// originals has no such results.
    public var useCachedIntermediates = false

    /// The image of a view after a failure; an inner nil clears the view, the default leaves it unchanged.
    public var onFailureImage: KFCrossPlatformImage?? = .none

    /// Makes a prefetcher promote disk entries to memory; false by default.
    public var alsoPrefetchToMemory = false

    /// Makes a prefetcher store bytes on disk as they come, without decoding or processing, and not in memory; false by default.
    ///
    /// Only bytes whose headers are an image's are stored. With a processor they are stored as the original, in
    /// ``originalCache``. A source is skipped if the disk has it, or has the processed image. Overrides
    /// ``alsoPrefetchToMemory``, ``cacheMemoryOnly`` and ``writeLayers``.
    public var prefetchToDiskOnly = false

    /// Reads the disk cache on the calling thread and completes before the call returns; false by default.
    public var loadDiskFileSynchronously = false

    /// Has no effect: the disk is always read on another thread, except with ``loadDiskFileSynchronously``.
    public var asyncCacheTypeCheck = false

    /// Options for files of the disk cache; only `.withoutOverwriting` has an effect.
    public var diskStoreWriteOptions: Data.WritingOptions = []

    /// The lifetime in memory; nil for the cache's configuration.
    public var memoryCacheExpiration: StorageExpiration? = nil

    /// The effect of a memory hit on the expiry; `.cacheTime` by default.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime

    /// The lifetime on disk; nil for the cache's configuration.
    public var diskCacheExpiration: StorageExpiration? = nil

    /// The effect of a disk hit on the expiry; `.cacheTime` by default.
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime

    /// Whether cached images stay valid for as long as their servers say; nil for the target cache's setting.
    public var httpFreshness: HTTPFreshness? = nil

    /// Called on the callback queue after the completion, if that has delivered a stale image which is revalidated in the
    /// background, as `stale-while-revalidate` allows.
    ///
    /// Gets the new image, or the same one if the server has confirmed it or could not be reached.
    public var revalidationHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? = nil

    /// The queue of processors; nil for Alcedo's worker threads.
    public var processingQueue: CallbackQueue? = nil

    /// Shows previews of an image of any format that allows it during the download; nil for none.
    ///
    /// Despite its name, which is Kingfisher's, it applies to JPEG, PNG, still WebP and lossy JPEG XL.
    public var progressiveJPEG: ImageProgressive? = nil

    /// Sources to try in order when the first one fails.
    public var alternativeSources: [Source]? = nil

    /// Decides whether a failed load is retried.
    public var retryStrategy: (any RetryStrategy)? = nil

    /// The source for a constrained network; see ``ImageDownloader/isNetworkConstrained``.
    public var lowDataModeSource: Source? = nil

    /// The extension of the file in the disk cache, without a dot.
    public var forcedExtension: String? = nil

    /// Reduces images of more pixels to this number, as a processor does that runs first; nil, the default, for no reduction.
    ///
    /// Part of the cache key, so a reduced image never serves a load that wants it whole. Unless
    /// ``DecodeLimits/storedPixelsPerFrame`` is set, files of up to 1,000 million pixels are reduced if their format
    /// supports that. Has no effect if the first ``processor`` downsamples or resizes.
    public var maximumDecodedPixels: Int? = nil

    /// Reduces images as far as they still cover the image view that shows them; false by default.
    ///
    /// The view's size in pixels is part of the cache key. Takes precedence over ``maximumDecodedPixels`` if the view has
    /// a size at the call, and has no effect otherwise, or if the first ``processor`` downsamples or resizes.
    public var downsampleToViewSize = false

    public var decodeLimits = DecodeLimits()

    /// Whether images are decoded in this process or in a worker process; stored in ``decodeLimits``.
    ///
    /// The option of this name overrides `decodeLimits` in any order.
    public var decodeSandbox: DecodeSandbox {
        get { decodeLimits.sandbox }
        set { decodeLimits.sandbox = newValue }
    }

    /// How much of an image's colour decoding keeps, ``ColorRetention/standard`` by default; stored in ``decodeLimits``.
    ///
    /// Part of the cache key, as a processor is that runs first. For all loads of a manager, set it in its
    /// ``KingfisherManager/defaultOptions``. The option of this name overrides `decodeLimits` in any order.
    public var colorRetention: ColorRetention {
        get { decodeLimits.colorRetention }
        set { decodeLimits.colorRetention = newValue }
    }

    /// The codecs; ``CodecRegistry/shared`` for nil, with the formats of the package traits.
    ///
    /// Codecs of a registry of your own decode in this process, so with ``DecodeSandbox/required`` they fail.
    /// Images from the caches keep the codecs they were created with.
    public var codecs: CodecRegistry? = nil

    /// The memory budget of decode jobs; ``DecodeBudget/shared`` for nil.
    public var decodeBudget: DecodeBudget? = nil

    /// Reports the progress of downloads whose total is unknown too, as a total of -1; false by default.
    public var reportProgressOfUnknownSize = false

    /// Observe the load, with those of ``KingfisherManager/observers``; none by default.
    public var observers: [any ImageLoadObserver] = []

    /// Intercept the load before the caches, inside those of ``KingfisherManager/interceptors``; none by default.
    public var interceptors: [any ImageLoadInterceptor] = []

    /// Intercept the load after a miss, inside those of ``KingfisherManager/networkInterceptors``; none by default.
    public var networkInterceptors: [any ImageLoadInterceptor] = []

    /// Whether the image is decoded at the size of a view only, so that it may have more pixels than may be decoded.
    var decodesReduced = false

    /// Whether the image is decoded before it is stored, to store no damaged one.
    var checksPixels = false

    /// False once the load was cancelled, or its view loads another image; nil means always current.
    var isCurrent: (@Sendable () -> Bool)?

    /// What the next call gets beside the options.
    var handover: Handover?

    /// Applies the items of `info`; the last one of a kind wins.
    public init(_ info: KingfisherOptionsInfo?) {
        var (sandbox, retention): (DecodeSandbox?, ColorRetention?)
        for item in info ?? [] {
            apply(item)
            if case .decodeSandbox(let value) = item { sandbox = value }
            if case .colorRetention(let value) = item { retention = value }
        }
        // Last, because `decodeLimits` has these two as well, and may follow them.
        if let sandbox { decodeSandbox = sandbox }
        if let retention { colorRetention = retention }
        if originalCache == nil { originalCache = targetCache }
        if scaleFactor != 1 { processor = processor.named(forScale: scaleFactor) }
    }

    /// Whether creating the image decodes no pixels, so that it needs no other thread.
    var onlyReadsHeaders: Bool {
        processor is DefaultImageProcessor && !backgroundDecode && !preloadAllAnimationData
            && !checksPixels && processingQueue == nil
    }

    /// Whether the load was cancelled, or its view loads another image by now.
    var isSourceTaskStale: Bool { isCurrent?() == false }
}

extension KingfisherParsedOptionsInfo {
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
        case .showDesktopThumbnailWhileLoading: showDesktopThumbnailWhileLoading = true
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
        case .decodeSandbox(let value): decodeSandbox = value
        case .colorRetention(let value): colorRetention = value
        case .codecs(let value): codecs = value
        case .decodeBudget(let value): decodeBudget = value
        case .reportProgressOfUnknownSize: reportProgressOfUnknownSize = true
        case .observers(let value): observers = value
        case .interceptors(let value): interceptors = value
        case .networkInterceptors(let value): networkInterceptors = value
        }
    }
}

extension KingfisherParsedOptionsInfo {
    /// These options with a processor that reduces images as ``downsampleToViewSize`` and ``maximumDecodedPixels`` say, after
    /// one for ``colorRetention``, and whose identifier names ``scaleFactor`` where that changes the result: what these
    /// options decide is part of cache keys.
    ///
    /// A second call changes nothing. `view` is the view's size in pixels; nil without one.
    func reducing(for view: PixelSize? = nil) -> KingfisherParsedOptionsInfo {
        var options = self
        options.reduce(for: view)
        return options
    }

    /// As ``reducing(for:)``, in place: a copy of options counts dozens of references.
    mutating func reduce(for view: PixelSize? = nil) {
        // An interceptor may have changed the option since an earlier call.
        if type(of: processor) != DefaultImageProcessor.self { processor = processor.withoutColorRetention }
        reduceSize(for: view)
        if colorRetention.keepsColors {
            processor = processor.preceded(by: ColorRetainingProcessor(colorRetention))
        }
    }

    /// A processor stays as it is if its first step determines the size.
    private mutating func reduceSize(for view: PixelSize?) {
        let view = downsampleToViewSize ? view : nil
        // A comparison of types, because a cast takes a hundred times as long.
        let isDefault = type(of: processor) == DefaultImageProcessor.self
        guard view != nil || maximumDecodedPixels != nil || !isDefault else { return }
        processor = processor.named(forScale: scaleFactor)
        if maximumDecodedPixels != nil { decodeLimits.allowGiants() }
        guard !processor.startsWithSize else { return }
        let goal: ReducingImageProcessor.Goal? =
            if let view { .covering(view) } else { maximumDecodedPixels.map { .pixels($0) } }
        if let goal { processor = processor.preceded(by: ReducingImageProcessor(goal)) }
    }
}

extension ImageProcessor {
    /// The processor after another; what keeps metadata has to be the outermost.
    fileprivate func preceded(by first: any ImageProcessor) -> any ImageProcessor {
        if let keeping = self as? MetadataProcessor {
            return MetadataProcessor(base: keeping.base.preceded(by: first), policy: keeping.policy)
        }
        return self is DefaultImageProcessor ? first : first |> self
    }

    fileprivate var startsWithSize: Bool {
        if let keeping = self as? MetadataProcessor { return keeping.base.startsWithSize }
        return (steps.first as? any PixelProcessor)?.determinesSize ?? false
    }
}

extension DecodeLimits {
    /// Stored pixels of an image that an option or a view reduces, unless the program has set another number.
    private static let giantPixels = 1_000_000_000

    mutating func allowGiants() {
        guard storedPixelsPerFrame == DecodeLimits().storedPixelsPerFrame else { return }
        storedPixelsPerFrame = Self.giantPixels
    }
}
