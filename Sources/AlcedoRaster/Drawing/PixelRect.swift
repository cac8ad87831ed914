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

    /// The same rectangle where blocks of pixels count as one.
    func divided(by columns: Int, _ rows: Int) -> PixelRect {
        PixelRect(
            x: x / Double(columns), y: y / Double(rows), width: width / Double(columns),
            height: height / Double(rows))
    }

    var isFinite: Bool { x.isFinite && y.isFinite && width.isFinite && height.isFinite }
}
