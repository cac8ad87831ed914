public import Alcedo
public import Foundation
import FoundationNetworking

/// A button, under the name that AlamofireImage's API would give it here.
public typealias Button = KFCrossPlatformButton

/// What a control is doing.
public typealias ControlState = UIControl.State

extension AlamofireExtension where ExtendedType: KFCrossPlatformButton {
    /// What loads the images of buttons without a downloader of their own; ``ImageDownloader/default`` by default.
    @preconcurrency @MainActor
    public static var sharedImageDownloader: ImageDownloader {
        get { SharedDownloaders.ofButtons }
        set { SharedDownloaders.ofButtons = newValue }
    }

    /// Loads the image of a URL for a state of the button; see the form with a request.
    ///
    /// The request names the types that are understood.
    @preconcurrency @MainActor
    public func setImage(
        for state: ControlState,
        url: URL,
        cacheKey: String? = nil,
        placeholderImage: Image? = nil,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        progress: ImageDownloader.ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        completion: (@MainActor @Sendable (AFIDataResponse<Image>) -> Void)? = nil
    ) {
        setImage(
            for: state, urlRequest: URLRequest(imageAt: url), cacheKey: cacheKey,
            placeholderImage: placeholderImage, serializer: serializer, filter: filter, progress: progress,
            progressQueue: progressQueue, completion: completion)
    }

    /// Loads the image of a request for a state of the button.
    ///
    /// What memory has is shown before the call returns. If the state waits for the same URL already, nothing changes
    /// and the completion is told ``AFIError/requestCancelled``; what it waited for otherwise is cancelled.
    ///
    /// - Parameters:
    ///   - state: the state that the image is for.
    ///   - urlRequest: what is asked for.
    ///   - cacheKey: where memory keeps the image; nil for the request and the filter's identifier.
    ///   - placeholderImage: shown until the image is here; nil leaves what is shown.
    ///   - serializer: makes the image; nil for the downloader's.
    ///   - filter: changes the image; called on a worker thread.
    ///   - progress: told how far the download has come.
    ///   - progressQueue: where progress is told.
    ///   - completion: told once, on the main thread, also of an image that the button did not wait for any more.
    @preconcurrency @MainActor
    public func setImage(
        for state: ControlState,
        urlRequest: any URLRequestConvertible,
        cacheKey: String? = nil,
        placeholderImage: Image? = nil,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        progress: ImageDownloader.ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        completion: (@MainActor @Sendable (AFIDataResponse<Image>) -> Void)? = nil
    ) {
        let request = ImageRequest(
            request: urlRequest, cacheKey: cacheKey, serializer: serializer, filter: filter,
            progress: progress, progressQueue: progressQueue, completion: completion)
        start(request, at: .image(state), placeholder: placeholderImage) { $0.setImage($1, for: state) }
    }

    /// Lets a state wait for no image any more; the completion is told ``AFIError/requestCancelled``.
    @preconcurrency @MainActor
    public func cancelImageRequest(for state: ControlState) {
        ActiveRequests.of(type).cancel(at: .image(state), downloader)
    }

    /// Loads the background image of a URL for a state of the button; see ``setImage(for:urlRequest:cacheKey:placeholderImage:serializer:filter:progress:progressQueue:completion:)``.
    ///
    /// The request names the types that are understood.
    @preconcurrency @MainActor
    public func setBackgroundImage(
        for state: ControlState,
        url: URL,
        cacheKey: String? = nil,
        placeholderImage: Image? = nil,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        progress: ImageDownloader.ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        completion: (@MainActor @Sendable (AFIDataResponse<Image>) -> Void)? = nil
    ) {
        setBackgroundImage(
            for: state, urlRequest: URLRequest(imageAt: url), cacheKey: cacheKey,
            placeholderImage: placeholderImage, serializer: serializer, filter: filter, progress: progress,
            progressQueue: progressQueue, completion: completion)
    }

    /// Loads the background image of a request for a state of the button; see ``setImage(for:urlRequest:cacheKey:placeholderImage:serializer:filter:progress:progressQueue:completion:)``.
    ///
    /// It does not get into the way of the state's other image.
    @preconcurrency @MainActor
    public func setBackgroundImage(
        for state: ControlState,
        urlRequest: any URLRequestConvertible,
        cacheKey: String? = nil,
        placeholderImage: Image? = nil,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        progress: ImageDownloader.ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        completion: (@MainActor @Sendable (AFIDataResponse<Image>) -> Void)? = nil
    ) {
        let request = ImageRequest(
            request: urlRequest, cacheKey: cacheKey, serializer: serializer, filter: filter,
            progress: progress, progressQueue: progressQueue, completion: completion)
        start(request, at: .background(state), placeholder: placeholderImage) {
            $0.setBackgroundImage($1, for: state)
        }
    }

    /// Lets a state wait for no background image any more; the completion is told ``AFIError/requestCancelled``.
    @preconcurrency @MainActor
    public func cancelBackgroundImageRequest(for state: ControlState) {
        ActiveRequests.of(type).cancel(at: .background(state), downloader)
    }

    @MainActor
    private var downloader: ImageDownloader { imageDownloader ?? Self.sharedImageDownloader }

    @MainActor
    private func start(
        _ request: ImageRequest,
        at place: ActiveRequests.Place,
        placeholder: Image?,
        set: @escaping @MainActor @Sendable (KFCrossPlatformButton, Image) -> Void
    ) {
        request.start(
            ActiveRequests.of(type),
            at: place,
            with: downloader,
            showCached: { image, _, done in
                set(type, image)
                done()
            },
            showPlaceholder: { if let placeholder { set(type, placeholder) } },
            show: { [weak button = type as KFCrossPlatformButton] image in
                if let button { set(button, image) }
            }
        )
    }
}
