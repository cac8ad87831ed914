public import Foundation

/// Options for making an image of data or of a frame source.
public struct ImageCreatingOptions: Hashable, Sendable {
    /// Pixels per point; 1 by default.
    public var scale: CGFloat

    /// The duration of one loop of an animation, in seconds; 0, the default, for the sum of its frames' durations.
    public var duration: TimeInterval

    /// Whether to decode all frames of an animation at once; false by default.
    ///
    /// An animation whose pixels exceed ``DecodeLimits/preloadedBytes`` or all of ``DecodeBudget/shared`` is
    /// decoded on demand regardless.
    public var preloadAll: Bool

    /// Whether to use only the first frame of an animation; false by default.
    public var onlyFirstFrame: Bool

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
    package var imageCreatingOptions: ImageCreatingOptions {
        ImageCreatingOptions(
            scale: scaleFactor,
            preloadAll: preloadAllAnimationData,
            onlyFirstFrame: onlyLoadFirstFrame
        )
    }
}
