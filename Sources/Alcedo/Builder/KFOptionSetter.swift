public import Foundation
public import FoundationNetworking

/// A type whose options are set with chained calls: ``KF/Builder``, ``KFImage`` and ``KFAnimatedImage``.
@MainActor
public protocol KFOptionSetter {
    var options: KingfisherParsedOptionsInfo { get nonmutating set }

    /// Called with the error if the load fails.
    var onFailureDelegate: Delegate<KingfisherError, Void> { get }

    /// Called with the result if the load succeeds.
    var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { get }

    /// Called with the download's progress: bytes received and total bytes.
    var onProgressDelegate: Delegate<(Int64, Int64), Void> { get }

    /// The object that each call changes and returns: a class returns itself, a value type a copy.
    func copyForMutation() -> Self
}

extension KF.Builder: KFOptionSetter {}

extension KFOptionSetter {
    public func copyForMutation() -> Self { self }

    func setting(_ change: (inout KingfisherParsedOptionsInfo) -> Void) -> Self {
        let copy = copyForMutation()
        change(&copy.options)
        return copy
    }

    // MARK: - Callbacks

    /// Sets a block that is called with the download's progress, on the main thread.
    public func onProgress(_ block: DownloadProgressBlock?) -> Self {
        let copy = copyForMutation()
        copy.onProgressDelegate.set(block.map { block in { block($0.0, $0.1) } })
        return copy
    }

    public func onSuccess(_ block: ((RetrieveImageResult) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onSuccessDelegate.set(block)
        return copy
    }

    public func onFailure(_ block: ((KingfisherError) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onFailureDelegate.set(block)
        return copy
    }

    // MARK: - Sources and loading; KingfisherParsedOptionsInfo documents each option

    public func downloader(_ downloader: ImageDownloader) -> Self { setting { $0.downloader = downloader } }
    public func downloadPriority(_ priority: Float) -> Self { setting { $0.downloadPriority = priority } }
    public func forceRefresh(_ enabled: Bool = true) -> Self { setting { $0.forceRefresh = enabled } }

    public func reportProgressOfUnknownSize(_ enabled: Bool = true) -> Self {
        setting { $0.reportProgressOfUnknownSize = enabled }
    }

    public func observers(_ observers: [any ImageLoadObserver]) -> Self {
        setting { $0.observers = observers }
    }

    public func interceptors(_ interceptors: [any ImageLoadInterceptor]) -> Self {
        setting { $0.interceptors = interceptors }
    }

    public func networkInterceptors(_ interceptors: [any ImageLoadInterceptor]) -> Self {
        setting { $0.networkInterceptors = interceptors }
    }

    public func alternativeSources(_ sources: [Source]?) -> Self {
        setting { $0.alternativeSources = sources }
    }

    public func lowDataModeSource(_ source: Source?) -> Self { setting { $0.lowDataModeSource = source } }

    /// Sets ``KingfisherParsedOptionsInfo/retryStrategy``.
    public func retry(_ strategy: (any RetryStrategy)?) -> Self { setting { $0.retryStrategy = strategy } }

    /// Retries up to `maxCount` times, with an interval of 3 seconds by default.
    public func retry(maxCount: Int, interval: DelayRetryStrategy.Interval = .seconds(3)) -> Self {
        retry(DelayRetryStrategy(maxRetryCount: maxCount, retryInterval: interval))
    }

    public func loaders(_ loaders: ImageLoaderRegistry?) -> Self { setting { $0.loaders = loaders } }

    public func requestModifier(_ modifier: any AsyncImageDownloadRequestModifier) -> Self {
        setting { $0.requestModifier = modifier }
    }

    /// Changes the request before it is sent.
    public func requestModifier(_ modifyBlock: @escaping @Sendable (inout URLRequest) -> Void) -> Self {
        requestModifier(
            AnyModifier { request in
                var request = request
                modifyBlock(&request)
                return request
            }
        )
    }

    public func redirectHandler(_ handler: any ImageDownloadRedirectHandler) -> Self {
        setting { $0.redirectHandler = handler }
    }

    /// Handles redirects; the block calls the payload's completion handler once.
    public func redirectHandler(_ block: @escaping @Sendable (KF.RedirectPayload) -> Void) -> Self {
        redirectHandler(
            AnyRedirectHandler { task, response, request, completion in
                block(
                    KF.RedirectPayload(
                        task: task, response: response, newRequest: request, completionHandler: completion))
            }
        )
    }

    // MARK: - Delivery and display

    public func callbackQueue(_ queue: CallbackQueue) -> Self { setting { $0.callbackQueue = queue } }

    public func decodeSandbox(_ isolation: DecodeSandbox) -> Self {
        setting { $0.decodeSandbox = isolation }
    }

    /// Sets ``KingfisherParsedOptionsInfo/progressiveJPEG``, for every format that allows it.
    ///
    /// By default blurred and without a minimum interval.
    public func progressiveJPEG(_ progressive: ImageProgressive? = .init()) -> Self {
        setting { $0.progressiveJPEG = progressive }
    }

    public func forceTransition(_ enabled: Bool = true) -> Self { setting { $0.forceTransition = enabled } }

    /// Sets ``KingfisherParsedOptionsInfo/onFailureImage``; nil clears the view after a failure.
    public func onFailureImage(_ image: KFCrossPlatformImage?) -> Self {
        setting { $0.onFailureImage = .some(image) }
    }

    // MARK: - Processing

    public func backgroundDecode(_ enabled: Bool = true) -> Self { setting { $0.backgroundDecode = enabled } }
    public func scaleFactor(_ factor: CGFloat) -> Self { setting { $0.scaleFactor = factor } }
    public func maximumDecodedPixels(_ count: Int?) -> Self { setting { $0.maximumDecodedPixels = count } }

    public func colorRetention(_ retention: ColorRetention) -> Self {
        setting { $0.colorRetention = retention }
    }

    public func downsampleToViewSize(_ enabled: Bool = true) -> Self {
        setting { $0.downsampleToViewSize = enabled }
    }

    public func processingQueue(_ queue: CallbackQueue?) -> Self { setting { $0.processingQueue = queue } }

    public func imageModifier(_ modifier: (any ImageModifier)?) -> Self {
        setting { $0.imageModifier = modifier }
    }

    /// Modifies the image before delivery; if the block throws, the unmodified image is delivered.
    public func imageModifier(_ block: @escaping @Sendable (inout KFCrossPlatformImage) throws -> Void)
        -> Self
    {
        imageModifier(
            AnyImageModifier { image in
                var image = image
                try block(&image)
                return image
            }
        )
    }

    // MARK: - Processors

    /// Sets ``KingfisherParsedOptionsInfo/processor``, and replaces those set before.
    public func setProcessor(_ processor: any ImageProcessor) -> Self { setting { $0.processor = processor } }

    /// Sets a chain of processors, and replaces those set before; the default processor for an empty array.
    public func setProcessors(_ processors: [any ImageProcessor]) -> Self {
        let first = processors.first ?? DefaultImageProcessor.default
        return setProcessor(processors.dropFirst().reduce(first) { $0 |> $1 })
    }

    /// Appends a processor to those set before.
    ///
    /// The first one replaces the default processor, so the cache key is the same as with the option `.processor`.
    public func appendProcessor(_ processor: any ImageProcessor) -> Self {
        setting { options in
            let isFirst = options.processor.identifier == DefaultImageProcessor.default.identifier
            options.processor = isFirst ? processor : options.processor |> processor
        }
    }

    /// Adds rounded corners; see ``RoundCornerImageProcessor``.
    public func roundCorner(
        radius: Radius,
        targetSize: CGSize? = nil,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> Self {
        appendProcessor(
            RoundCornerImageProcessor(
                radius: radius,
                targetSize: targetSize,
                roundingCorners: corners,
                backgroundColor: backgroundColor
            )
        )
    }

    /// Adds a blur; see ``BlurImageProcessor``.
    public func blur(radius: CGFloat) -> Self { appendProcessor(BlurImageProcessor(blurRadius: radius)) }

    /// Adds a colour over the image; see ``OverlayImageProcessor``.
    public func overlay(color: KFCrossPlatformColor, fraction: CGFloat = 0.5) -> Self {
        appendProcessor(OverlayImageProcessor(overlay: color, fraction: fraction))
    }

    /// Adds a tint; see ``TintImageProcessor``.
    public func tint(color: KFCrossPlatformColor) -> Self { appendProcessor(TintImageProcessor(tint: color)) }

    /// Adds a conversion to greyscale; see ``BlackWhiteProcessor``.
    public func blackWhite() -> Self { appendProcessor(BlackWhiteProcessor()) }

    /// Adds cropping; see ``CroppingImageProcessor``.
    public func cropping(size: CGSize, anchor: CGPoint = .init(x: 0.5, y: 0.5)) -> Self {
        appendProcessor(CroppingImageProcessor(size: size, anchor: anchor))
    }

    /// Adds downsampling while decoding; see ``DownsamplingImageProcessor``.
    public func downsampling(size: CGSize) -> Self { appendProcessor(DownsamplingImageProcessor(size: size)) }

    /// Adds resizing; see ``ResizingImageProcessor``.
    public func resizing(referenceSize: CGSize, mode: ContentMode = .none) -> Self {
        appendProcessor(ResizingImageProcessor(referenceSize: referenceSize, mode: mode))
    }

    // MARK: - Caches

    public func targetCache(_ cache: ImageCache) -> Self { setting { $0.targetCache = cache } }
    public func originalCache(_ cache: ImageCache) -> Self { setting { $0.originalCache = cache } }
    public func fallbackCaches(_ caches: [ImageCache]?) -> Self { setting { $0.fallbackCaches = caches } }
    public func sharedCache(_ cache: SharedImageCache?) -> Self { setting { $0.sharedCache = cache } }

    public func fromMemoryCacheOrRefresh(_ enabled: Bool = true) -> Self {
        setting { $0.fromMemoryCacheOrRefresh = enabled }
    }

    public func cacheMemoryOnly(_ enabled: Bool = true) -> Self { setting { $0.cacheMemoryOnly = enabled } }

    public func cacheLayers(read: CacheLayers = .all, write: CacheLayers = .all) -> Self {
        setting { ($0.readLayers, $0.writeLayers) = (read, write) }
    }

    public func waitForCache(_ enabled: Bool = true) -> Self { setting { $0.waitForCache = enabled } }
    public func onlyFromCache(_ enabled: Bool = true) -> Self { setting { $0.onlyFromCache = enabled } }

    public func cacheOriginalImage(_ enabled: Bool = true) -> Self {
        setting { $0.cacheOriginalImage = enabled }
    }

    public func useCachedIntermediates(_ enabled: Bool = true) -> Self {
        setting { $0.useCachedIntermediates = enabled }
    }

    public func diskStoreWriteOptions(_ writingOptions: Data.WritingOptions) -> Self {
        setting { $0.diskStoreWriteOptions = writingOptions }
    }

    public func loadDiskFileSynchronously(_ enabled: Bool = true) -> Self {
        setting { $0.loadDiskFileSynchronously = enabled }
    }

    public func memoryCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting { $0.memoryCacheExpiration = expiration }
    }

    /// Sets ``KingfisherParsedOptionsInfo/memoryCacheAccessExtendingExpiration``.
    public func memoryCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting { $0.memoryCacheAccessExtendingExpiration = extending }
    }

    public func diskCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting { $0.diskCacheExpiration = expiration }
    }

    /// Sets ``KingfisherParsedOptionsInfo/diskCacheAccessExtendingExpiration``.
    public func diskCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting { $0.diskCacheAccessExtendingExpiration = extending }
    }

    public func httpFreshness(_ freshness: HTTPFreshness) -> Self { setting { $0.httpFreshness = freshness } }

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
