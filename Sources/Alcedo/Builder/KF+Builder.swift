import AlcedoLocks
public import Foundation
public import FoundationNetworking

extension KF {
    /// Begins a load of `source`; for nil, one that fails with `emptySource`.
    public static func source(_ source: Source?) -> KF.Builder {
        Builder(source: source)
    }

    /// Begins a load of `resource`.
    public static func resource(_ resource: (any Resource)?) -> KF.Builder {
        source(resource?.convertToSource())
    }

    /// Begins a load from `url`, cached under `cacheKey` or else the URL's own key.
    public static func url(_ url: URL?, cacheKey: String? = nil) -> KF.Builder {
        source(url?.convertToSource(overrideCacheKey: cacheKey))
    }

    /// Begins a load from `provider`.
    public static func dataProvider(_ provider: (any ImageDataProvider)?) -> KF.Builder {
        source(provider?.convertToSource())
    }

    /// Begins a load of bytes that are in memory already.
    public static func data(_ data: Data?, cacheKey: String) -> KF.Builder {
        dataProvider(data.map { RawImageDataProvider(data: $0, cacheKey: cacheKey) })
    }
}

extension KF {
    /// A load that is being described, one call after another; each call changes this object and returns it.
    ///
    /// The options begin with the shared manager's `defaultOptions`. Safe because what changes is behind a lock.
    public class Builder: @unchecked Sendable {
        /// Told why the load failed.
        public let onFailureDelegate = Delegate<KingfisherError, Void>()

        /// Told what the load brought.
        public let onSuccessDelegate = Delegate<RetrieveImageResult, Void>()

        /// Told how far the download has come: bytes received, and bytes in all.
        public let onProgressDelegate = Delegate<(Int64, Int64), Void>()

        package let source: Source?

        private let state: Lock<KingfisherParsedOptionsInfo>

        /// What a view shows until the image is there; set before the builder is given to a view.
        var placeholder: (any Placeholder)?

        init(source: Source?) {
            self.source = source
            state = Lock(KingfisherParsedOptionsInfo(KingfisherManager.shared.defaultOptions))
        }

        /// The options so far.
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

// MARK: - What only views look at

extension KF.Builder {
    /// Sets whether a view keeps what it shows until the new image is there.
    public func keepCurrentImageWhileLoading(_ enabled: Bool = true) -> Self {
        options.keepCurrentImageWhileLoading = enabled
        return self
    }

    /// Sets whether an animation becomes a still image of its first frame.
    public func onlyLoadFirstFrame(_ enabled: Bool = true) -> Self {
        options.onlyLoadFirstFrame = enabled
        return self
    }

    /// Does nothing.
    @available(*, deprecated, message: "It has no effect: a load starts when it is given to a view.")
    public func loadImmediately(_ start: Bool = true) -> Self { self }
}

extension KF {
    /// What a redirect handler made of a block is told.
    public struct RedirectPayload {
        /// The transfer that is redirected.
        public let task: SessionDataTask

        /// The response that redirects.
        public let response: HTTPURLResponse

        /// The request that follows from it.
        public let newRequest: URLRequest

        /// To be called once, with the request to send; nil takes the redirect itself as the response.
        public let completionHandler: (URLRequest?) -> Void
    }
}
