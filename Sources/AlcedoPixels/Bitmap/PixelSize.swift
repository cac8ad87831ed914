/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable {
    /// Pixels from left to right; never negative for an image.
    public var width: Int

    /// Pixels from top to bottom; never negative for an image.
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width times height, or `Int.max` where that overflows.
    public var area: Int {
        let (area, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : area
    }

    /// Whether either side is zero or less.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The same size lying on its side.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
    /// Such as `1200×800`.
    public var description: String { "\(width)×\(height)" }
}
