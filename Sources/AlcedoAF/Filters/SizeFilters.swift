public import Foundation

/// Stretches to a size.
public struct ScaledToSizeFilter: ImageFilter, Sizable {
    public let size: CGSize

    /// Creates a filter; both sides of `size` must be positive.
    public init(size: CGSize) { self.size = size }

    public var filter: (Image) -> Image { { $0.af.imageScaled(to: size) } }
}

/// Scales to fit inside a size, and pads with transparent pixels.
public struct AspectScaledToFitSizeFilter: ImageFilter, Sizable {
    public let size: CGSize

    /// Creates a filter; both sides of `size` must be positive.
    public init(size: CGSize) { self.size = size }

    public var filter: (Image) -> Image { { $0.af.imageAspectScaled(toFit: size) } }
}

/// Scales to fill a size, and crops the excess.
public struct AspectScaledToFillSizeFilter: ImageFilter, Sizable {
    public let size: CGSize

    /// Creates a filter; both sides of `size` must be positive.
    public init(size: CGSize) { self.size = size }

    public var filter: (Image) -> Image { { $0.af.imageAspectScaled(toFill: size) } }
}
