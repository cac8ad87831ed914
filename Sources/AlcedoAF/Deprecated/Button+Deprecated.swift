public import Alcedo
public import Foundation

// The names of AlamofireImage 3.

extension KFCrossPlatformButton {
    @available(*, deprecated, renamed: "af.imageDownloader")
    public var af_imageDownloader: ImageDownloader? {
        get { af.imageDownloader }
        set { af.imageDownloader = newValue }
    }

    @available(*, deprecated, renamed: "af.sharedImageDownloader")
    public static var af_sharedImageDownloader: ImageDownloader {
        get { AlamofireExtension<KFCrossPlatformButton>.sharedImageDownloader }
        set { AlamofireExtension<KFCrossPlatformButton>.sharedImageDownloader = newValue }
    }

    @available(*, deprecated, message: "Replaced by `button.af.setImage(for:url:…)`.")
    public func af_setImage(
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
        af.setImage(
            for: state, url: url, cacheKey: cacheKey, placeholderImage: placeholderImage,
            serializer: serializer, filter: filter, progress: progress, progressQueue: progressQueue,
            completion: completion)
    }

    @available(*, deprecated, message: "Replaced by `button.af.setImage(for:urlRequest:…)`.")
    public func af_setImage(
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
        af.setImage(
            for: state, urlRequest: urlRequest, cacheKey: cacheKey, placeholderImage: placeholderImage,
            serializer: serializer, filter: filter, progress: progress, progressQueue: progressQueue,
            completion: completion)
    }

    @available(*, deprecated, renamed: "af.cancelImageRequest(for:)")
    public func af_cancelImageRequest(for state: ControlState) { af.cancelImageRequest(for: state) }

    @available(*, deprecated, message: "Replaced by `button.af.setBackgroundImage(for:url:…)`.")
    public func af_setBackgroundImage(
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
        af.setBackgroundImage(
            for: state, url: url, cacheKey: cacheKey, placeholderImage: placeholderImage,
            serializer: serializer, filter: filter, progress: progress, progressQueue: progressQueue,
            completion: completion)
    }

    @available(*, deprecated, message: "Replaced by `button.af.setBackgroundImage(for:urlRequest:…)`.")
    public func af_setBackgroundImage(
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
        af.setBackgroundImage(
            for: state, urlRequest: urlRequest, cacheKey: cacheKey, placeholderImage: placeholderImage,
            serializer: serializer, filter: filter, progress: progress, progressQueue: progressQueue,
            completion: completion)
    }

    @available(*, deprecated, renamed: "af.cancelBackgroundImageRequest(for:)")
    public func af_cancelBackgroundImageRequest(for state: ControlState) {
        af.cancelBackgroundImageRequest(for: state)
    }
}
