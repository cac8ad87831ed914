/// Changes an image before it is delivered; the caches store the unchanged one.
///
/// Called on threads that it may block; for an image in memory that no task awaits on the thread of the call, before that
/// returns. See <doc:YourCode>.
public protocol ImageModifier: Sendable {
    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage
}

/// An image modifier from a closure.
public struct AnyImageModifier: ImageModifier {
    private let body: @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage

    /// Creates a modifier; if `modify` throws, the unchanged image is delivered.
    public init(modify: @escaping @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage) {
        body = modify
    }

    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        (try? body(image)) ?? image
    }
}
