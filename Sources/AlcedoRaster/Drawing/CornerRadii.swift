/// The radius of each corner, in pixels; negative values and NaN count as 0.
///
/// A radius is clamped to half of the shorter side.
public struct CornerRadii: Hashable, Sendable {
    public var topLeft: Double
    public var topRight: Double
    public var bottomLeft: Double
    public var bottomRight: Double

    /// Creates radii; the default for each corner is 0, a square corner.
    public init(topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomLeft = bottomLeft
        self.bottomRight = bottomRight
    }

    public init(_ radius: Double) {
        self.init(topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius)
    }

    /// The radii that fit a rectangle of `width` × `height`.
    func clamped(width: Double, height: Double) -> CornerRadii {
        let most = max(0, min(width, height) / 2)
        func clamp(_ radius: Double) -> Double { radius > 0 ? min(radius, most) : 0 }
        return CornerRadii(
            topLeft: clamp(topLeft),
            topRight: clamp(topRight),
            bottomLeft: clamp(bottomLeft),
            bottomRight: clamp(bottomRight)
        )
    }
}
