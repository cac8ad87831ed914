public import Foundation
package import FoundationNetworking

/// The options of one load, one property each.
public struct KingfisherParsedOptionsInfo: Sendable {
    /// The cache to look in and to store to; nil for the manager's.
    public var targetCache: ImageCache? = nil

    /// The cache for originals; nil for ``targetCache``.
    public var originalCache: ImageCache? = nil

    /// The downloader to use; nil for the manager's.
    public var downloader: ImageDownloader? = nil

    /// How a view goes over to the image; `.none` by default.
    public var transition: ImageTransition = .none

    /// Which of the downloads that wait for a connection, and which of the images that wait to be decoded, comes first,
    /// from 0 to 1; 0.5 by default, 0.25 for a prefetcher.
    public var downloadPriority: Float = 0.5

    /// Loads again whatever the caches hold; false by default.
    public var forceRefresh = false

    /// Looks in memory only and loads again otherwise; false by default.
    public var fromMemoryCacheOrRefresh = false

    /// Shows the transition for an image from a cache too; false by default.
    public var forceTransition = false

    /// Stores nothing on disk; false by default.
    public var cacheMemoryOnly = false

    /// Completes only when the caches hold the image; false by default.
    public var waitForCache = false

    /// Never loads: fails with `imageNotExisting` if no cache has it; false by default.
    public var onlyFromCache = false

    /// Decodes pixels before the callback rather than when they are first needed; false by default.
    public var backgroundDecode = false

    /// Where the completion runs; `.mainCurrentOrAsync` by default.
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync

    /// Pixels per point of images made from data; 1 by default.
    public var scaleFactor: CGFloat = 1.0

    /// Decodes all frames of an animation at once rather than as they are shown; false by default.
    public var preloadAllAnimationData = false

    /// Changes the request before it is sent.
    public var requestModifier: (any AsyncImageDownloadRequestModifier)? = nil

    /// Decides on redirects.
    public var redirectHandler: (any ImageDownloadRedirectHandler)? = nil

    /// What is done to the image; its identifier is part of the cache key.
    public var processor: any ImageProcessor = DefaultImageProcessor.default

    /// How images become the disk cache's bytes and back.
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default

    /// Changes the image that is delivered, not the one that is cached.
    public var imageModifier: (any ImageModifier)? = nil

    /// Keeps what a view shows until the new image is there; false by default.
    public var keepCurrentImageWhileLoading = false

    /// Makes a still image of an animation, of its first frame; false by default.
    public var onlyLoadFirstFrame = false

    /// Stores the bytes as they came too, when a processor changes the image; false by default.
    public var cacheOriginalImage = false

    /// What a view shows after a failure: an image, or nothing for a nil image; nil leaves what it shows.
    public var onFailureImage: KFCrossPlatformImage?? = .none

    /// Has a prefetcher bring images into memory that are on disk already; false by default.
    public var alsoPrefetchToMemory = false

    /// Reads the disk cache on the calling thread, and completes before the call returns; false by default.
    public var loadDiskFileSynchronously = false

    /// Has no effect: the disk is always asked on another thread, but with ``loadDiskFileSynchronously``.
    public var asyncCacheTypeCheck = false

    /// How files of the disk cache are written; the cache publishes whole files by itself.
    public var diskStoreWriteOptions: Data.WritingOptions = []

    /// How long memory keeps the image; nil for the cache's configuration.
    public var memoryCacheExpiration: StorageExpiration? = nil

    /// What a hit in memory does to the expiry; `.cacheTime` by default.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime

    /// How long the disk keeps the image; nil for the cache's configuration.
    public var diskCacheExpiration: StorageExpiration? = nil

    /// What a hit on disk does to the expiry; `.cacheTime` by default.
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime

    /// Where processors run; nil for Alcedo's own worker threads.
    public var processingQueue: CallbackQueue? = nil

    /// Shows a progressive JPEG while it loads; nil for not before it is complete.
    public var progressiveJPEG: ImageProgressive? = nil

    /// Sources to try in order when the first one fails.
    public var alternativeSources: [Source]? = nil

    /// Decides whether a failed load is tried again.
    public var retryStrategy: (any RetryStrategy)? = nil

    /// What to load instead while the network is constrained; see ``ImageDownloader/isNetworkConstrained``.
    public var lowDataModeSource: Source? = nil

    /// An extension for the file in the disk cache, without a dot.
    public var forcedExtension: String? = nil

    /// What decoding may spend.
    public var decodeLimits = DecodeLimits()

    /// Whether images are decoded in this process or in a worker process; it is one of ``decodeLimits``.
    ///
    /// Among options, it counts whether it comes before limits or after them.
    public var decodeIsolation: DecodeIsolation {
        get { decodeLimits.isolation }
        set { decodeLimits.isolation = newValue }
    }

    /// Told how far a download has come.
    package var progress: ProgressCallback?

    /// Whether the completion runs somebody else's code on the thread that calls it; nil to tell by the queue.
    package var completionMayBlock: Bool?

    /// Whether a response of any status is taken, and judged by who processes it; that of the first caller counts.
    package var acceptsAnyStatus = false

    /// Answers the server's first wish for a credential; that of the first caller counts.
    package var credential: URLCredential?

    /// The transfer whose bytes a processor is given; nil for bytes from elsewhere.
    package internal(set) var transfer: SessionDataTask?

    /// Where the project's own processors note why they make no image; nil where nobody asks.
    var codecFailure: CodecFailure?

    /// Runs a callback that must not come after the load's completion; nil for a download without a load.
    var announce: (@Sendable (_ callback: () -> Void) -> Void)?

    /// Told of a download's bytes as they come.
    package var onDataReceived: [any DataReceivingSideEffect]?

    /// Whether the one who asked still wants this image; nil if it always does.
    ///
    /// A view has changed its mind when it was given another image to load; a load that was cancelled always has.
    package var sourceTaskIdentifierChecker: (@Sendable () -> Bool)?

    /// Whether what is to be stored was made of something that has been removed since; asked as it is stored.
    var isOutOfDate: (@Sendable () -> Bool)?

    /// Whether a store is a load's own: it is left out when too much waits for the disk.
    var isStoreOptional = false

    /// Sets what the items of `info` say, the last of a kind last.
    public init(_ info: KingfisherOptionsInfo?) {
        for item in info ?? [] { apply(item) }
        for case .decodeIsolation(let value) in info ?? [] { decodeIsolation = value }
        if originalCache == nil { originalCache = targetCache }
    }

    private mutating func apply(_ item: KingfisherOptionsInfoItem) {
        switch item {
        case .targetCache(let value): targetCache = value
        case .originalCache(let value): originalCache = value
        case .downloader(let value): downloader = value
        case .transition(let value): transition = value
        case .downloadPriority(let value): downloadPriority = value
        case .forceRefresh: forceRefresh = true
        case .fromMemoryCacheOrRefresh: fromMemoryCacheOrRefresh = true
        case .forceTransition: forceTransition = true
        case .cacheMemoryOnly: cacheMemoryOnly = true
        case .waitForCache: waitForCache = true
        case .onlyFromCache: onlyFromCache = true
        case .backgroundDecode: backgroundDecode = true
        case .callbackQueue(let value): callbackQueue = value
        case .scaleFactor(let value): scaleFactor = value
        case .preloadAllAnimationData: preloadAllAnimationData = true
        case .requestModifier(let value): requestModifier = value
        case .redirectHandler(let value): redirectHandler = value
        case .processor(let value): processor = value
        case .cacheSerializer(let value): cacheSerializer = value
        case .imageModifier(let value): imageModifier = value
        case .keepCurrentImageWhileLoading: keepCurrentImageWhileLoading = true
        case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
        case .cacheOriginalImage: cacheOriginalImage = true
        case .onFailureImage(let value): onFailureImage = .some(value)
        case .alsoPrefetchToMemory: alsoPrefetchToMemory = true
        case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
        case .asyncCacheTypeCheck: asyncCacheTypeCheck = true
        case .diskStoreWriteOptions(let value): diskStoreWriteOptions = value
        case .memoryCacheExpiration(let value): memoryCacheExpiration = value
        case .memoryCacheAccessExtendingExpiration(let value): memoryCacheAccessExtendingExpiration = value
        case .diskCacheExpiration(let value): diskCacheExpiration = value
        case .diskCacheAccessExtendingExpiration(let value): diskCacheAccessExtendingExpiration = value
        case .processingQueue(let value): processingQueue = value
        case .progressiveJPEG(let value): progressiveJPEG = value
        case .alternativeSources(let value): alternativeSources = value
        case .retryStrategy(let value): retryStrategy = value
        case .lowDataMode(let value): lowDataModeSource = value
        case .forcedCacheFileExtension(let value): forcedExtension = value
        case .decodeLimits(let value): decodeLimits = value
        case .decodeIsolation(let value): decodeIsolation = value
        }
    }

    /// Whether making the image decodes nothing, so that it is not worth another thread.
    var onlyReadsHeaders: Bool {
        processor is DefaultImageProcessor && !backgroundDecode && !preloadAllAnimationData
            && processingQueue == nil
    }

    /// Whether the one who asked has changed its mind.
    var isSourceTaskStale: Bool { sourceTaskIdentifierChecker?() == false }

    /// Where processors run.
    package func process(_ block: @Sendable @escaping () -> Void) {
        if let processingQueue {
            processingQueue.execute(block)
        } else {
            WorkerPool.shared.submit(priority: downloadPriority, block)
        }
    }
}
