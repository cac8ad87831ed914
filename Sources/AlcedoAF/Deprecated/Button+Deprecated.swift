public import Alcedo
public import Foundation

// The names of AlamofireImage 3.

extension KFCrossPlatformButton {
    /// The former name of `af.imageDownloader`.
    @available(*, deprecated, renamed: "af.imageDownloader")
    public var af_imageDownloader: ImageDownloader? {
        get { af.imageDownloader }
        set { af.imageDownloader = newValue }
    }

    /// The former name of `af.sharedImageDownloader`.
    @available(*, deprecated, renamed: "af.sharedImageDownloader")
    public static var af_sharedImageDownloader: ImageDownloader {
        get { AlamofireExtension<KFCrossPlatformButton>.sharedImageDownloader }
        set { AlamofireExtension<KFCrossPlatformButton>.sharedImageDownloader = newValue }
    }

    /// The former name of `af.setImage(for:url:…)`.
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

    /// The former name of `af.setImage(for:urlRequest:…)`.
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

    /// The former name of `af.cancelImageRequest(for:)`.
    @available(*, deprecated, renamed: "af.cancelImageRequest(for:)")
    public func af_cancelImageRequest(for state: ControlState) { af.cancelImageRequest(for: state) }

    /// The former name of `af.setBackgroundImage(for:url:…)`.
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

    /// The former name of `af.setBackgroundImage(for:urlRequest:…)`.
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

    /// The former name of `af.cancelBackgroundImageRequest(for:)`.
    @available(*, deprecated, renamed: "af.cancelBackgroundImageRequest(for:)")
    public func af_cancelBackgroundImageRequest(for state: ControlState) {
        af.cancelBackgroundImageRequest(for: state)
    }
}
