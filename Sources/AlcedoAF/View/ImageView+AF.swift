public import Alcedo
public import Foundation
import FoundationNetworking

extension AlamofireExtension where ExtendedType: ImageView {
    /// The downloader of image views without their own; ``ImageDownloader/default`` by default.
    @preconcurrency @MainActor
    public static var sharedImageDownloader: ImageDownloader {
        get { SharedDownloaders.ofImageViews }
        set { SharedDownloaders.ofImageViews = newValue }
    }

    /// Loads the image of a URL and shows it; see
    /// ``setImage(withURLRequest:cacheKey:placeholderImage:serializer:filter:progress:progressQueue:imageTransition:runImageTransitionIfCached:completion:)``.
    ///
    /// The request's `Accept` field lists the acceptable image types.
    @preconcurrency @MainActor
    public func setImage(
        withURL url: URL,
        cacheKey: String? = nil,
        placeholderImage: Image? = nil,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        progress: ImageDownloader.ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        imageTransition: ImageView.ImageTransition = .noTransition,
        runImageTransitionIfCached: Bool = false,
        completion: (@MainActor @Sendable (AFIDataResponse<Image>) -> Void)? = nil
    ) {
        setImage(
            withURLRequest: URLRequest(imageAt: url),
            cacheKey: cacheKey,
            placeholderImage: placeholderImage,
            serializer: serializer,
            filter: filter,
            progress: progress,
            progressQueue: progressQueue,
            imageTransition: imageTransition,
            runImageTransitionIfCached: runImageTransitionIfCached,
            completion: completion
        )
    }

    /// Loads the image of a request and shows it.
    ///
    /// An image in memory is shown before the call returns. If the view is loading the same URL already, the load
    /// continues and this completion receives ``AFIError/requestCancelled``; a load of another URL is cancelled.
    ///
    /// - Parameters:
    ///   - urlRequest: the request.
    ///   - cacheKey: the key in memory; nil for the request and the filter's identifier.
    ///   - placeholderImage: shown while loading; nil keeps the present image.
    ///   - serializer: creates the image; nil for the downloader's.
    ///   - filter: changes the image; called on a worker thread.
    ///   - progress: called with the progress of the download.
    ///   - progressQueue: the queue of `progress`.
    ///   - imageTransition: the transition to a downloaded image.
    ///   - runImageTransitionIfCached: whether the transition also runs for an image in memory.
    ///   - completion: called once, on the main thread, also if the load was superseded.
    @preconcurrency @MainActor
    public func setImage(
        withURLRequest urlRequest: any URLRequestConvertible,
        cacheKey: String? = nil,
        placeholderImage: Image? = nil,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        progress: ImageDownloader.ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        imageTransition: ImageView.ImageTransition = .noTransition,
        runImageTransitionIfCached: Bool = false,
        completion: (@MainActor @Sendable (AFIDataResponse<Image>) -> Void)? = nil
    ) {
        let request = ImageRequest(
            request: urlRequest, cacheKey: cacheKey, serializer: serializer, filter: filter,
            progress: progress, progressQueue: progressQueue, completion: completion)
        func showPlaceholder() {
            if let placeholderImage { type.image = placeholderImage }
        }
        request.start(
            ActiveRequests.of(type),
            in: .image(.normal),
            with: downloader,
            showCached: { image, isCurrent, done in
                guard runImageTransitionIfCached else {
                    type.image = image
                    return done()
                }
                showPlaceholder()
                // The placeholder has to be drawn before the transition starts.
                DispatchQueue.main.asyncAfter(deadline: .now() + 0.001) { [weak view = type as ImageView] in
                    MainActor.assumeIsolated {
                        if isCurrent() { view?.af.run(imageTransition, with: image) }
                        done()
                    }
                }
            },
            showPlaceholder: showPlaceholder,
            show: { [weak view = type as ImageView] in view?.af.run(imageTransition, with: $0) }
        )
    }

    /// Cancels the view's load; its completion receives ``AFIError/requestCancelled``.
    @preconcurrency @MainActor
    public func cancelImageRequest() { ActiveRequests.of(type).cancel(in: .image(.normal), downloader) }

    /// Runs a transition from the view's present content to `image`.
    @preconcurrency @MainActor
    public func run(_ imageTransition: ImageView.ImageTransition, with image: Image) {
        let view: ImageView = type
        let (animations, completion) = (imageTransition.animations, imageTransition.completion)
        if case .noTransition = imageTransition { return animations(view, image) }
        view.surface.transition(
            ViewTransition(imageTransition.animationOptions, duration: imageTransition.duration),
            changes: { animations(view, image) },
            completion: { completion?($0) }
        )
    }

    @MainActor
    private var downloader: ImageDownloader { imageDownloader ?? Self.sharedImageDownloader }
}

/// The downloaders of views without their own.
@MainActor
enum SharedDownloaders {
    static var ofImageViews = ImageDownloader.default
    static var ofButtons = ImageDownloader.default
}
