/// The memory layout of another library's pixels: four bytes each, top row first.
public struct PixelLayout: Sendable, Hashable {
    /// The order of the four bytes.
    public enum Order: Sendable {
        case bgra
        case rgba
    }

    public var order: Order

    /// The kind of alpha; the fourth byte of an opaque layout is ignored.
    public var alpha: Bitmap.Alpha

    /// Creates a layout of four bytes a pixel.
    public init(_ order: Order, _ alpha: Bitmap.Alpha) {
        self.order = order
        self.alpha = alpha
    }
}
