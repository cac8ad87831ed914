package import AlcedoPixels

/// Where a watermark is drawn on the finished image.
package struct WatermarkLayout: Sendable, Equatable {
    /// The size to scale the watermark to.
    package let size: PixelSize
    package let placement: Placement

    /// One place, or many.
    package enum Placement: Sendable, Equatable {
        /// May hang over the edges; at least a pixel is visible.
        case at(PixelOffset)
        /// From the upper left corner on; neither side of the step is below the watermark's.
        case tiled(step: PixelSize)
    }

    /// Calculates the place on an image of the size `image`, which is with extension and padding.
    ///
    /// `watermark` is the size of the watermark's file, `dpr` the effective one, ``ImageLayout/dpr``.
    package init(options: Watermark, image: PixelSize, watermark: PixelSize, dpr: Double) {
        size = Self.size(of: watermark, scale: options.scale, image: image)
        switch options.position {
        case .gravity(let gravity):
            placement = .at(gravity.place(size, in: image, dpr: dpr, hangsOver: true))
        case .tiled(let x, let y):
            let gapX = Rounding.halfEven(abs(x) >= 1 ? x * dpr : x * Double(image.width))
            let gapY = Rounding.halfEven(abs(y) >= 1 ? y * dpr : y * Double(image.height))
            placement = .tiled(
                step: PixelSize(width: size.width + max(gapX, 0), height: size.height + max(gapY, 0)))
        }
    }

    private static func size(of watermark: PixelSize, scale: Double?, image: PixelSize) -> PixelSize {
        let (width, height) = (max(Double(watermark.width), 1), max(Double(watermark.height), 1))
        guard let scale else {
            return PixelSize(width: Rounding.side(width), height: Rounding.side(height))
        }
        let target = (
            max(1, Double(Rounding.halfEven(Double(image.width) * scale))),
            max(1, Double(Rounding.halfEven(Double(image.height) * scale)))
        )
        let shrink = max(width / target.0, height / target.1)
        return PixelSize(width: Rounding.side(width / shrink), height: Rounding.side(height / shrink))
    }
}
