/// Changes an image just before it is delivered; caches keep it unchanged.
public protocol ImageModifier: Sendable {
    /// The image to deliver.
    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage
}

/// An image modifier made of a closure.
public struct AnyImageModifier: ImageModifier {
    private let body: @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage

    /// Makes a modifier; where `modify` throws, the image is delivered unchanged.
    public init(modify: @escaping @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage) {
        body = modify
    }

    /// What the closure returns.
    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        (try? body(image)) ?? image
    }
}
