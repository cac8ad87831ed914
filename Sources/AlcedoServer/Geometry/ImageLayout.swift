package import AlcedoPixels

/// Where the pixels of a source lie in the result.
///
/// All coordinates are in the image that is turned already: by the file's orientation (unless `ar:0`), `rot`, `fl`.
/// The work: turn, trim, take ``crop``, scale to ``scaled``, take ``cut``, blur …, draw at ``origin`` in
/// ``canvas``, flatten, watermark, and scale to ``result`` if that differs from ``canvas``.
package struct ImageLayout: Sendable, Equatable {
    /// The part of the source to scale; the whole source without a crop.
    package var crop: PixelFrame
    /// The size to scale ``crop`` to.
    package var scaled: PixelSize
    /// The part of the scaled image that is in the result.
    package var cut: PixelFrame
    /// The size of the image with extension and padding.
    package var canvas: PixelSize
    /// Where ``cut`` lies in ``canvas``.
    package var origin: PixelOffset
    /// ``canvas``, or less if the format has shorter sides.
    package var result: PixelSize
    /// The effective DPR: scales offsets of a watermark.
    package var dpr: Double
    /// Whether the origin of ``crop`` is to be chosen from the pixels; it is the centre here.
    package var cropIsSmart: Bool
    /// Whether the origin of ``cut`` is to be chosen from the pixels; it is the centre here.
    package var cutIsSmart: Bool

    /// Whether ``canvas`` shows more than the image, which needs alpha or a background.
    package var isExtended: Bool { canvas != cut.size }
}

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

/// What a layout needs to know of a source.
package struct LayoutSource: Sendable, Equatable {
    /// Turned and trimmed, in pixels; at least 1 × 1.
    package var size: PixelSize
    /// SVG: may be enlarged without `enlarge`.
    package var isVector: Bool

    package init(size: PixelSize, isVector: Bool = false) {
        self.size = size
        self.isVector = isVector
    }
}
