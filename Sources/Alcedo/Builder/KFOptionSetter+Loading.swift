import Foundation
public import FoundationNetworking

// Options for sources and loading; KingfisherParsedOptionsInfo documents each option.

extension KFOptionSetter {
    /// Sets ``KingfisherParsedOptionsInfo/downloader``.
    public func downloader(_ downloader: ImageDownloader) -> Self {
        setting { $0.downloader = downloader }
    }

    /// Sets ``KingfisherParsedOptionsInfo/downloadPriority``.
    public func downloadPriority(_ priority: Float) -> Self {
        setting { $0.downloadPriority = priority }
    }

    /// Sets ``KingfisherParsedOptionsInfo/forceRefresh``.
    public func forceRefresh(_ enabled: Bool = true) -> Self {
        setting { $0.forceRefresh = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/reportProgressOfUnknownSize``.
    public func reportProgressOfUnknownSize(_ enabled: Bool = true) -> Self {
        setting { $0.reportProgressOfUnknownSize = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/observers``.
    public func observers(_ observers: [any ImageLoadObserver]) -> Self {
        setting { $0.observers = observers }
    }

    /// Sets ``KingfisherParsedOptionsInfo/interceptors``.
    public func interceptors(_ interceptors: [any ImageLoadInterceptor]) -> Self {
        setting { $0.interceptors = interceptors }
    }

    /// Sets ``KingfisherParsedOptionsInfo/networkInterceptors``.
    public func networkInterceptors(_ interceptors: [any ImageLoadInterceptor]) -> Self {
        setting { $0.networkInterceptors = interceptors }
    }

    /// Sets ``KingfisherParsedOptionsInfo/alternativeSources``.
    public func alternativeSources(_ sources: [Source]?) -> Self {
        setting { $0.alternativeSources = sources }
    }

    /// Sets ``KingfisherParsedOptionsInfo/lowDataModeSource``.
    public func lowDataModeSource(_ source: Source?) -> Self {
        setting { $0.lowDataModeSource = source }
    }

    /// Sets ``KingfisherParsedOptionsInfo/retryStrategy``.
    public func retry(_ strategy: (any RetryStrategy)?) -> Self {
        setting { $0.retryStrategy = strategy }
    }

    /// Retries up to `maxCount` times, with an interval of 3 seconds by default.
    public func retry(maxCount: Int, interval: DelayRetryStrategy.Interval = .seconds(3)) -> Self {
        retry(DelayRetryStrategy(maxRetryCount: maxCount, retryInterval: interval))
    }

    /// Sets ``KingfisherParsedOptionsInfo/loaders``.
    public func loaders(_ loaders: ImageLoaderRegistry?) -> Self {
        setting { $0.loaders = loaders }
    }

    /// Sets ``KingfisherParsedOptionsInfo/requestModifier``.
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

    /// Sets ``KingfisherParsedOptionsInfo/redirectHandler``.
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
}

// MARK: - Delivery and display

extension KFOptionSetter {
    /// Sets ``KingfisherParsedOptionsInfo/callbackQueue``.
    public func callbackQueue(_ queue: CallbackQueue) -> Self {
        setting { $0.callbackQueue = queue }
    }

    /// Sets ``KingfisherParsedOptionsInfo/decodeIsolation``.
    public func decodeIsolation(_ isolation: DecodeIsolation) -> Self {
        setting { $0.decodeIsolation = isolation }
    }

    /// Sets ``KingfisherParsedOptionsInfo/progressiveJPEG``, for every format that allows it; by default blurred and without a minimum interval.
    public func progressiveJPEG(_ progressive: ImageProgressive? = .init()) -> Self {
        setting { $0.progressiveJPEG = progressive }
    }

    /// Sets ``KingfisherParsedOptionsInfo/forceTransition``.
    public func forceTransition(_ enabled: Bool = true) -> Self {
        setting { $0.forceTransition = enabled }
    }

    /// Sets ``KingfisherParsedOptionsInfo/onFailureImage``; nil clears the view after a failure.
    public func onFailureImage(_ image: KFCrossPlatformImage?) -> Self {
        setting { $0.onFailureImage = .some(image) }
    }
}
