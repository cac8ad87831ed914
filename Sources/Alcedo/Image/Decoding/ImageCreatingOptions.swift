public import Foundation

/// How an image is made of bytes or of a frame source.
public struct ImageCreatingOptions: Hashable, Sendable {
    /// Pixels per point; 1 by default.
    public var scale: CGFloat

    /// How long an animation takes, in seconds; 0, the default, for as long as its frames say.
    public var duration: TimeInterval

    /// Whether all frames of an animation are decoded at once; false by default.
    ///
    /// One whose pixels exceed ``DecodeLimits/preloadedBytes`` or all of ``DecodeBudget/shared`` is decoded as it is shown
    /// all the same.
    public var preloadAll: Bool

    /// Whether only the first frame of an animation is wanted; false by default.
    public var onlyFirstFrame: Bool

    /// Sets each of the properties.
    public init(
        scale: CGFloat = 1.0,
        duration: TimeInterval = 0.0,
        preloadAll: Bool = false,
        onlyFirstFrame: Bool = false
    ) {
        self.scale = scale
        self.duration = duration
        self.preloadAll = preloadAll
        self.onlyFirstFrame = onlyFirstFrame
    }
}

extension KingfisherParsedOptionsInfo {
    /// What these options say of making an image.
    package var imageCreatingOptions: ImageCreatingOptions {
        ImageCreatingOptions(
            scale: scaleFactor,
            preloadAll: preloadAllAnimationData,
            onlyFirstFrame: onlyLoadFirstFrame
        )
    }
}
