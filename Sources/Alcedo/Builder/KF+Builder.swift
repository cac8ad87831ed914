import AlcedoLocks
public import Foundation
public import FoundationNetworking

extension KF {
    /// A builder for a load of `source`; for nil, the load fails with `emptySource`.
    public static func source(_ source: Source?) -> KF.Builder { Builder(source: source) }

    public static func resource(_ resource: (any Resource)?) -> KF.Builder {
        source(resource?.convertToSource())
    }

    /// A builder for a load from `url`, cached under `cacheKey`, or the URL's own key if that is nil.
    public static func url(_ url: URL?, cacheKey: String? = nil) -> KF.Builder {
        source(url?.convertToSource(overrideCacheKey: cacheKey))
    }

    public static func dataProvider(_ provider: (any ImageDataProvider)?) -> KF.Builder {
        source(provider?.convertToSource())
    }

    public static func data(_ data: Data?, cacheKey: String) -> KF.Builder {
        dataProvider(data.map { RawImageDataProvider(data: $0, cacheKey: cacheKey) })
    }

    /// Builds a load with chained calls; each call changes this object and returns it.
    ///
    /// The initial options are the shared manager's `defaultOptions`. Safe because the options are behind a lock
    /// and a placeholder is set before the builder is passed to a view.
    public class Builder: @unchecked Sendable {
        public let onFailureDelegate = Delegate<KingfisherError, Void>()
        public let onSuccessDelegate = Delegate<RetrieveImageResult, Void>()
        public let onProgressDelegate = Delegate<(Int64, Int64), Void>()
        package let source: Source?

        private let state: Lock<KingfisherParsedOptionsInfo>

        /// The placeholder that a view shows while loading; set it before the builder is passed to a view.
        var placeholder: (any Placeholder)?

        init(source: Source?) {
            self.source = source
            state = Lock(KingfisherParsedOptionsInfo(KingfisherManager.shared.defaultOptions))
        }

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

    public func showCachedVariantWhileLoading(_ enabled: Bool = true) -> Self {
        options.showCachedVariantWhileLoading = enabled
        return self
    }

    public func showDesktopThumbnailWhileLoading(_ enabled: Bool = true) -> Self {
        options.showDesktopThumbnailWhileLoading = enabled
        return self
    }

    public func onlyLoadFirstFrame(_ enabled: Bool = true) -> Self {
        options.onlyLoadFirstFrame = enabled
        return self
    }

    @available(*, deprecated, message: "It has no effect: a load starts when it is given to a view.")
    public func loadImmediately(_ start: Bool = true) -> Self { self }
}

extension KF {
    /// The argument of a redirect handler's block.
    public struct RedirectPayload {
        public let task: SessionDataTask
        public let response: HTTPURLResponse
        public let newRequest: URLRequest

        /// Call it once, with the request to send, or nil to use the redirect itself as the response.
        public let completionHandler: (URLRequest?) -> Void
    }
}

@MainActor
extension KF.Builder {
    @discardableResult
    public func set(to imageView: KFCrossPlatformImageView) -> DownloadTask? {
        imageView.kf.setImage(
            with: source,
            placeholder: placeholder,
            parsedOptions: options,
            progressBlock: progressBlock,
            completionHandler: completion
        )
    }

    /// Loads the image into an object; only an image is supported as a placeholder.
    @discardableResult
    public func set<Base: KingfisherImageSettable>(to base: Base) -> DownloadTask? {
        base.kf.setImage(
            with: source,
            placeholder: placeholder as? KFCrossPlatformImage,
            parsedOptions: options,
            progressBlock: progressBlock,
            completionHandler: completion
        )
    }

    @discardableResult
    public func set(to button: KFCrossPlatformButton, for state: UIControl.State) -> DownloadTask? {
        set(.image, of: button, state)
    }

    @discardableResult
    public func setBackground(to button: KFCrossPlatformButton, for state: UIControl.State) -> DownloadTask? {
        set(.background, of: button, state)
    }

    private func set(
        _ slot: KFCrossPlatformButton.Slot,
        of button: KFCrossPlatformButton,
        _ state: UIControl.State
    ) -> DownloadTask? {
        button.kf.set(
            slot,
            source,
            for: state,
            placeholder: placeholder as? KFCrossPlatformImage,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completion
        )
    }

    private nonisolated var progressBlock: DownloadProgressBlock {
        { [onProgressDelegate] received, total in onProgressDelegate.call((received, total)) }
    }

    private var completion: @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void {
        { [onSuccessDelegate, onFailureDelegate] result in
            switch result {
            case .success(let value): onSuccessDelegate.call(value)
            case .failure(let error): onFailureDelegate.call(error)
            }
        }
    }
}

extension KF.Builder {
    /// Loads the image without a view, by the shared manager; cancelling the calling task cancels the load.
    ///
    ///     let image = try await KF.url(url).downsampling(size: size).retrieveImage().image
    ///
    /// Placeholder, transition and the other options of views have no effect, and `onSuccess` and `onFailure` are not called.
    ///
    /// - Throws: ``KingfisherError``; `CancellationError` if the task was cancelled before the call.
    public func retrieveImage() async throws -> RetrieveImageResult {
        guard let source else { throw KingfisherError.imageSettingError(reason: .emptySource) }
        return try await KingfisherManager.shared.retrieveImage(
            with: source, parsedOptions: options,
            progressBlock: onProgressDelegate.isSet ? progressBlock : nil)
    }

    public func placeholder(_ placeholder: (any Placeholder)?) -> Self {
        self.placeholder = placeholder
        return self
    }

    public func placeholder(_ image: KFCrossPlatformImage?) -> Self {
        placeholder = image
        return self
    }

    public func transition(_ transition: ImageTransition) -> Self {
        options.transition = transition
        return self
    }

    /// Sets a fade-in with a duration in seconds.
    public func fade(duration: TimeInterval) -> Self {
        options.transition = .fade(duration)
        return self
    }
}
