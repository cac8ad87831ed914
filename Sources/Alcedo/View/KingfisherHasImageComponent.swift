/// A class with a settable image, such as a custom view.
public protocol KingfisherImageSettable: KingfisherCompatible {
    /// Shows an image; nothing for nil.
    @MainActor func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    /// The present image.
    @MainActor func getImage() -> KFCrossPlatformImage?
}

/// A class with an `image` property.
public protocol KingfisherHasImageComponent: KingfisherImageSettable {
    /// The present image.
    @MainActor var image: KFCrossPlatformImage? { get set }
}

extension KingfisherHasImageComponent {
    /// Sets `image`.
    @MainActor
    public func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        self.image = image
    }

    /// Returns `image`.
    @MainActor
    public func getImage() -> KFCrossPlatformImage? { image }
}
