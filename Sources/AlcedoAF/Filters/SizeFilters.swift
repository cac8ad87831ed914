public import Foundation

/// Stretches to a size.
public struct ScaledToSizeFilter: ImageFilter, Sizable {
    /// In points.
    public let size: CGSize

    /// Makes a filter; neither side of `size` may be zero or less.
    public init(size: CGSize) { self.size = size }

    /// Stretches the image.
    public var filter: (Image) -> Image { { $0.af.imageScaled(to: size) } }
}

/// Fits the whole image into a size and leaves the rest of that transparent.
public struct AspectScaledToFitSizeFilter: ImageFilter, Sizable {
    /// In points.
    public let size: CGSize

    /// Makes a filter; neither side of `size` may be zero or less.
    public init(size: CGSize) { self.size = size }

    /// Fits the image.
    public var filter: (Image) -> Image { { $0.af.imageAspectScaled(toFit: size) } }
}

/// Covers a size with the image and cuts off what is beyond.
public struct AspectScaledToFillSizeFilter: ImageFilter, Sizable {
    /// In points.
    public let size: CGSize

    /// Makes a filter; neither side of `size` may be zero or less.
    public init(size: CGSize) { self.size = size }

    /// Fills the size.
    public var filter: (Image) -> Image { { $0.af.imageAspectScaled(toFill: size) } }
}
