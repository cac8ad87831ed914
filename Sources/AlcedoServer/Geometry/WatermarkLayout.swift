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
        /// In rows and columns, one of them in the centre; `start` is the first one's place, at or before the upper left
        /// corner, and neither side of the step is below the watermark's.
        case tiled(start: PixelOffset, step: PixelSize)
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
            let step = PixelSize(width: size.width + max(gapX, 0), height: size.height + max(gapY, 0))
            placement = .tiled(
                start: PixelOffset(
                    x: Self.start(image.width, size.width, step.width),
                    y: Self.start(image.height, size.height, step.height)),
                step: step)
        }
    }

    /// Where the first tile starts if one is in the centre.
    private static func start(_ outer: Int, _ inner: Int, _ step: Int) -> Int {
        let centre = Rounding.halfEven(Double(outer - inner + 1) / 2)
        let step = max(1, step)
        return centre - (max(centre, 0) + step - 1) / step * step
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
