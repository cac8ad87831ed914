/// A rectangle of whole pixels inside an image.
package struct PixelFrame: Sendable, Hashable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package var size: PixelSize { PixelSize(width: width, height: height) }
    package var origin: PixelOffset { PixelOffset(x: x, y: y) }

    /// Whether it is not empty, and all of it lies in an image of `size`.
    package func isWithin(_ size: PixelSize) -> Bool {
        x >= 0 && y >= 0 && width > 0 && height > 0 && width <= size.width - x && height <= size.height - y
    }
}

/// A position in whole pixels; negative for a watermark that hangs over an edge.
package struct PixelOffset: Sendable, Hashable {
    package var x: Int
    package var y: Int

    package init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}
