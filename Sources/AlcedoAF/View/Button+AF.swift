public import Alcedo
public import Foundation
import FoundationNetworking

/// The button type in AlamofireImage's API.
public typealias Button = KFCrossPlatformButton

public typealias ControlState = UIControl.State

extension AlamofireExtension where ExtendedType: KFCrossPlatformButton {
    /// The downloader of buttons without their own; ``ImageDownloader/default`` by default.
    @preconcurrency @MainActor
    public static var sharedImageDownloader: ImageDownloader {
        get { SharedDownloaders.ofButtons }
        set { SharedDownloaders.ofButtons = newValue }
    }

    /// Loads the image of a URL for a state of the button; see the overload with a request.
    ///
    /// The request's `Accept` field lists the acceptable image types.
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
    /// An image in memory is shown before the call returns. If the state is loading the same URL already, the load
    /// continues and this completion receives ``AFIError/requestCancelled``; a load of another URL is cancelled.
    ///
    /// - Parameters:
    ///   - state: the state of the image.
    ///   - urlRequest: the request.
    ///   - cacheKey: the key in memory; nil for the request and the filter's identifier.
    ///   - placeholderImage: shown while loading; nil keeps the present image.
    ///   - serializer: creates the image; nil for the downloader's.
    ///   - filter: changes the image; called on a worker thread.
    ///   - progress: called with the progress of the download.
    ///   - progressQueue: the queue of `progress`.
    ///   - completion: called once, on the main thread, also if the load was superseded.
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
        start(request, in: .image(state), placeholder: placeholderImage) { $0.setImage($1, for: state) }
    }

    /// Cancels a state's image load; its completion receives ``AFIError/requestCancelled``.
    @preconcurrency @MainActor
    public func cancelImageRequest(for state: ControlState) {
        ActiveRequests.of(type).cancel(in: .image(state), downloader)
    }

    /// Loads the background image of a URL for a state of the button; see
    /// ``setImage(for:urlRequest:cacheKey:placeholderImage:serializer:filter:progress:progressQueue:completion:)``.
    ///
    /// The request's `Accept` field lists the acceptable image types.
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

    /// Loads the background image of a request for a state of the button; see
    /// ``setImage(for:urlRequest:cacheKey:placeholderImage:serializer:filter:progress:progressQueue:completion:)``.
    ///
    /// Independent of the state's other image.
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
        start(request, in: .background(state), placeholder: placeholderImage) {
            $0.setBackgroundImage($1, for: state)
        }
    }

    /// Cancels a state's background image load; its completion receives ``AFIError/requestCancelled``.
    @preconcurrency @MainActor
    public func cancelBackgroundImageRequest(for state: ControlState) {
        ActiveRequests.of(type).cancel(in: .background(state), downloader)
    }

    @MainActor
    private var downloader: ImageDownloader { imageDownloader ?? Self.sharedImageDownloader }

    @MainActor
    private func start(
        _ request: ImageRequest,
        in slot: ActiveRequests.Slot,
        placeholder: Image?,
        set: @escaping @MainActor @Sendable (KFCrossPlatformButton, Image) -> Void
    ) {
        request.start(
            ActiveRequests.of(type),
            in: slot,
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
