public import Foundation

/// Rounds the corners.
public struct RoundedCornersFilter: ImageFilter, Roundable {
    /// The radius in points, or in pixels with ``divideRadiusByImageScale``.
    public let radius: CGFloat

    /// Whether `radius` is in pixels.
    public let divideRadiusByImageScale: Bool

    /// Creates a filter; `radius` is in points, or in pixels if `divideRadiusByImageScale` is true.
    public init(radius: CGFloat, divideRadiusByImageScale: Bool = false) {
        self.radius = radius
        self.divideRadiusByImageScale = divideRadiusByImageScale
    }

    /// Returns the image with transparent corners.
    public var filter: (Image) -> Image {
        {
            $0.af.imageRounded(
                withCornerRadius: radius, divideRadiusByImageScale: divideRadiusByImageScale)
        }
    }

    /// The type's name, the radius and ``divideRadiusByImageScale``.
    public var identifier: String {
        "\(type(of: self))-radius:(\(identifierText(radius)))-divided:(\(divideRadiusByImageScale))"
    }
}

/// Crops to the largest centred circle.
public struct CircleFilter: ImageFilter {
    public init() {}

    /// Returns the circle; the corners are transparent.
    public var filter: (Image) -> Image { { $0.af.imageRoundedIntoCircle() } }
}

/// Stretches to a size and rounds the corners.
public struct ScaledToSizeWithRoundedCornersFilter: CompositeImageFilter {
    public let filters: [any ImageFilter]

    /// Creates a filter; `size` is in points, and `radius` in points or pixels.
    public init(size: CGSize, radius: CGFloat, divideRadiusByImageScale: Bool = false) {
        filters = [
            ScaledToSizeFilter(size: size),
            RoundedCornersFilter(radius: radius, divideRadiusByImageScale: divideRadiusByImageScale),
        ]
    }
}

/// Scales to fill a size and rounds the corners.
public struct AspectScaledToFillSizeWithRoundedCornersFilter: CompositeImageFilter {
    public let filters: [any ImageFilter]

    /// Creates a filter; `size` is in points, and `radius` in points or pixels.
    public init(size: CGSize, radius: CGFloat, divideRadiusByImageScale: Bool = false) {
        filters = [
            AspectScaledToFillSizeFilter(size: size),
            RoundedCornersFilter(radius: radius, divideRadiusByImageScale: divideRadiusByImageScale),
        ]
    }
}

/// Stretches to a size and crops to the largest centred circle.
public struct ScaledToSizeCircleFilter: CompositeImageFilter {
    public let filters: [any ImageFilter]

    /// Creates a filter; `size` is in points.
    public init(size: CGSize) { filters = [ScaledToSizeFilter(size: size), CircleFilter()] }
}

/// Scales to fill a size and crops to the largest centred circle.
public struct AspectScaledToFillSizeCircleFilter: CompositeImageFilter {
    public let filters: [any ImageFilter]

    /// Creates a filter; `size` is in points.
    public init(size: CGSize) { filters = [AspectScaledToFillSizeFilter(size: size), CircleFilter()] }
}
