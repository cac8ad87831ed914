public import Alcedo

extension KFCrossPlatformView: AlamofireExtended {}

extension AlamofireExtension where ExtendedType: KFCrossPlatformView {
    /// What loads this view's images; nil, the default, for `sharedImageDownloader`.
    @preconcurrency @MainActor
    public var imageDownloader: ImageDownloader? {
        get { ActiveRequests.of(type).downloader }
        nonmutating set { ActiveRequests.of(type).downloader = newValue }
    }
}
