public import Alcedo
public import Foundation
import FoundationNetworking

extension AlamofireExtension where ExtendedType: ImageView {
    /// What loads the images of views without a downloader of their own; ``ImageDownloader/default`` by default.
    @preconcurrency @MainActor
    public static var sharedImageDownloader: ImageDownloader {
        get { SharedDownloaders.ofImageViews }
        set { SharedDownloaders.ofImageViews = newValue }
    }

    /// Loads the image of a URL and shows it; see ``setImage(withURLRequest:cacheKey:placeholderImage:serializer:filter:progress:progressQueue:imageTransition:runImageTransitionIfCached:completion:)``.
    ///
    /// The request names the types that are understood.
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
    /// What memory has is shown before the call returns. If the view waits for the same URL already, nothing changes
    /// and the completion is told ``AFIError/requestCancelled``; what it waited for otherwise is cancelled.
    ///
    /// - Parameters:
    ///   - urlRequest: what is asked for.
    ///   - cacheKey: where memory keeps the image; nil for the request and the filter's identifier.
    ///   - placeholderImage: shown until the image is here; nil leaves what is shown.
    ///   - serializer: makes the image; nil for the downloader's.
    ///   - filter: changes the image; called on a worker thread.
    ///   - progress: told how far the download has come.
    ///   - progressQueue: where progress is told.
    ///   - imageTransition: how the view goes over to a downloaded image.
    ///   - runImageTransitionIfCached: whether it does so for an image from memory too.
    ///   - completion: told once, on the main thread, also of an image that the view did not wait for any more.
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
            at: .image(.normal),
            with: downloader,
            showCached: { image, isCurrent, done in
                guard runImageTransitionIfCached else {
                    type.image = image
                    return done()
                }
                showPlaceholder()
                // The placeholder has to be drawn before it is gone over from.
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

    /// Lets the view wait for nothing any more; the completion is told ``AFIError/requestCancelled``.
    @preconcurrency @MainActor
    public func cancelImageRequest() { ActiveRequests.of(type).cancel(at: .image(.normal), downloader) }

    /// Goes over from what the view shows to `image`.
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

/// What loads images where a view has no downloader of its own.
@MainActor
enum SharedDownloaders {
    static var ofImageViews = ImageDownloader.default
    static var ofButtons = ImageDownloader.default
}
