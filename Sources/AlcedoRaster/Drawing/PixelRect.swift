/// A rectangle on a canvas, in pixels from the upper left corner.
public struct PixelRect: Hashable, Sendable {
    /// The left edge.
    public var x: Double

    /// The upper edge.
    public var y: Double

    /// From the left edge to the right edge.
    public var width: Double

    /// From the upper edge to the lower edge.
    public var height: Double

    /// Makes a rectangle.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    var isFinite: Bool { x.isFinite && y.isFinite && width.isFinite && height.isFinite }
}
