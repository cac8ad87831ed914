/// A rectangle on a canvas, in pixels from the upper left corner.
public struct PixelRect: Hashable, Sendable {
    /// The left edge, from the left edge of the canvas.
    public var x: Double

    /// The upper edge, from the top of the canvas.
    public var y: Double

    public var width: Double
    public var height: Double

    /// Creates a rectangle; all values are in pixels.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The rectangle in units of blocks of `columns` × `rows` pixels.
    func divided(by columns: Int, _ rows: Int) -> PixelRect {
        PixelRect(
            x: x / Double(columns), y: y / Double(rows), width: width / Double(columns),
            height: height / Double(rows))
    }

    var isFinite: Bool { x.isFinite && y.isFinite && width.isFinite && height.isFinite }
}
