public import Alcedo
public import Foundation

// The names of AlamofireImage 3.

extension ImageView {
    @available(*, deprecated, renamed: "af.imageDownloader")
    public var af_imageDownloader: ImageDownloader? {
        get { af.imageDownloader }
        set { af.imageDownloader = newValue }
    }

    @available(*, deprecated, renamed: "af.sharedImageDownloader")
    public static var af_sharedImageDownloader: ImageDownloader {
        get { AlamofireExtension<ImageView>.sharedImageDownloader }
        set { AlamofireExtension<ImageView>.sharedImageDownloader = newValue }
    }

    @available(*, deprecated, message: "Replaced by `imageView.af.setImage(withURL:…)`.")
    public func af_setImage(
        withURL url: URL,
        cacheKey: String? = nil,
        placeholderImage: Image? = nil,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        progress: ImageDownloader.ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        imageTransition: ImageTransition = .noTransition,
        runImageTransitionIfCached: Bool = false,
        completion: (@MainActor @Sendable (AFIDataResponse<Image>) -> Void)? = nil
    ) {
        af.setImage(
            withURL: url, cacheKey: cacheKey, placeholderImage: placeholderImage,
            serializer: serializer, filter: filter, progress: progress, progressQueue: progressQueue,
            imageTransition: imageTransition, runImageTransitionIfCached: runImageTransitionIfCached,
            completion: completion)
    }

    @available(*, deprecated, message: "Replaced by `imageView.af.setImage(withURLRequest:…)`.")
    public func af_setImage(
        withURLRequest urlRequest: any URLRequestConvertible,
        cacheKey: String? = nil,
        placeholderImage: Image? = nil,
        serializer: ImageResponseSerializer? = nil,
        filter: (any ImageFilter)? = nil,
        progress: ImageDownloader.ProgressHandler? = nil,
        progressQueue: DispatchQueue = .main,
        imageTransition: ImageTransition = .noTransition,
        runImageTransitionIfCached: Bool = false,
        completion: (@MainActor @Sendable (AFIDataResponse<Image>) -> Void)? = nil
    ) {
        af.setImage(
            withURLRequest: urlRequest, cacheKey: cacheKey, placeholderImage: placeholderImage,
            serializer: serializer, filter: filter, progress: progress, progressQueue: progressQueue,
            imageTransition: imageTransition, runImageTransitionIfCached: runImageTransitionIfCached,
            completion: completion)
    }

    @available(*, deprecated, renamed: "af.cancelImageRequest()")
    public func af_cancelImageRequest() { af.cancelImageRequest() }

    @available(*, deprecated, renamed: "af.run(_:with:)")
    public func run(_ imageTransition: ImageTransition, with image: Image) {
        af.run(imageTransition, with: image)
    }
}
