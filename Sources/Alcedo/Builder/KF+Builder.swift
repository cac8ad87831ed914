import AlcedoLocks
public import Foundation
public import FoundationNetworking

extension KF {
    /// A builder for a load of `source`; for nil, the load fails with `emptySource`.
    public static func source(_ source: Source?) -> KF.Builder {
        Builder(source: source)
    }

    /// A builder for a load of `resource`.
    public static func resource(_ resource: (any Resource)?) -> KF.Builder {
        source(resource?.convertToSource())
    }

    /// A builder for a load from `url`, cached under `cacheKey`, or the URL's own key if that is nil.
    public static func url(_ url: URL?, cacheKey: String? = nil) -> KF.Builder {
        source(url?.convertToSource(overrideCacheKey: cacheKey))
    }

    /// A builder for a load from `provider`.
    public static func dataProvider(_ provider: (any ImageDataProvider)?) -> KF.Builder {
        source(provider?.convertToSource())
    }

    /// A builder for a load of bytes in memory.
    public static func data(_ data: Data?, cacheKey: String) -> KF.Builder {
        dataProvider(data.map { RawImageDataProvider(data: $0, cacheKey: cacheKey) })
    }
}

extension KF {
    /// Builds a load with chained calls; each call changes this object and returns it.
    ///
    /// The initial options are the shared manager's `defaultOptions`. Safe because the options are behind a lock
    /// and a placeholder is set before the builder is passed to a view.
    public class Builder: @unchecked Sendable {
        /// Called with the error if the load fails.
        public let onFailureDelegate = Delegate<KingfisherError, Void>()

        /// Called with the result if the load succeeds.
        public let onSuccessDelegate = Delegate<RetrieveImageResult, Void>()

        /// Called with the download's progress: bytes received and total bytes.
        public let onProgressDelegate = Delegate<(Int64, Int64), Void>()

        package let source: Source?

        private let state: Lock<KingfisherParsedOptionsInfo>

        /// The placeholder that a view shows while loading; set it before the builder is passed to a view.
        var placeholder: (any Placeholder)?

        init(source: Source?) {
            self.source = source
            state = Lock(KingfisherParsedOptionsInfo(KingfisherManager.shared.defaultOptions))
        }

        /// The present options.
        public var options: KingfisherParsedOptionsInfo {
            get { state.withLock { $0 } }
            set {
                let old = state.withLock { options in
                    defer { options = newValue }
                    return options
                }
                withExtendedLifetime(old) {}
            }
        }
    }
}

// MARK: - Options for views only

extension KF.Builder {
    /// Sets whether a view keeps its present image until the new one is loaded.
    public func keepCurrentImageWhileLoading(_ enabled: Bool = true) -> Self {
        options.keepCurrentImageWhileLoading = enabled
        return self
    }

    /// Sets ``KingfisherParsedOptionsInfo/showCachedVariantWhileLoading``.
    public func showCachedVariantWhileLoading(_ enabled: Bool = true) -> Self {
        options.showCachedVariantWhileLoading = enabled
        return self
    }

    /// Sets whether to load only the first frame of an animation, as a still image.
    public func onlyLoadFirstFrame(_ enabled: Bool = true) -> Self {
        options.onlyLoadFirstFrame = enabled
        return self
    }

    /// Does nothing.
    @available(*, deprecated, message: "It has no effect: a load starts when it is given to a view.")
    public func loadImmediately(_ start: Bool = true) -> Self { self }
}

extension KF {
    /// The argument of a redirect handler's block.
    public struct RedirectPayload {
        /// The redirected transfer.
        public let task: SessionDataTask

        /// The redirect response.
        public let response: HTTPURLResponse

        /// The request to the new location.
        public let newRequest: URLRequest

        /// Call it once, with the request to send, or nil to use the redirect itself as the response.
        public let completionHandler: (URLRequest?) -> Void
    }
}
