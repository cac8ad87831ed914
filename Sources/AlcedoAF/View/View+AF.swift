public import Alcedo

extension KFCrossPlatformView: AlamofireExtended {}

extension AlamofireExtension where ExtendedType: KFCrossPlatformView {
    /// The downloader of this view; nil, the default, for `sharedImageDownloader`.
    @preconcurrency @MainActor
    public var imageDownloader: ImageDownloader? {
        get { ActiveRequests.of(type).downloader }
        nonmutating set { ActiveRequests.of(type).downloader = newValue }
    }
}
