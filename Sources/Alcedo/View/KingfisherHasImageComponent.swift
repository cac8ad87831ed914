/// A class with an image that can be set, such as somebody's own view.
public protocol KingfisherImageSettable: KingfisherCompatible {
    /// Shows an image, or nothing.
    @MainActor func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    /// What is shown.
    @MainActor func getImage() -> KFCrossPlatformImage?
}

/// A class with an `image`.
public protocol KingfisherHasImageComponent: KingfisherImageSettable {
    /// What is shown.
    @MainActor var image: KFCrossPlatformImage? { get set }
}

extension KingfisherHasImageComponent {
    /// Sets `image`.
    @MainActor
    public func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        self.image = image
    }

    /// `image`.
    @MainActor
    public func getImage() -> KFCrossPlatformImage? { image }
}
