import AlcedoPixels

/// How much a source shrinks, and the effective DPR.
struct LayoutScale {
    /// Sides of the source for one of the scaled image.
    private(set) var x: Double
    private(set) var y: Double
    private(set) var dpr: Double
    let zoomX: Double
    let zoomY: Double

    init(of size: PixelSize, options: ProcessingOptions, isVector: Bool) {
        let (width, height) = (Double(size.width), Double(size.height))
        // The order is that of imgproxy, whose tests define sizes to the pixel (decision 0035).
        (x, y) = Self.shrinks(of: size, options: options)
        zoomX = Self.sane(options.zoomX)
        zoomY = Self.sane(options.zoomY)
        x /= zoomX
        y /= zoomY
        dpr = Self.sane(options.dpr)

        if !options.enlarge, !isVector {
            let least = min(x, y)
            if least < 1 {
                x /= least
                y /= least
                if !options.extend.isEnabled { dpr /= least }
            }
            dpr = min(dpr, x, y)
        }

        let leastWidth = width / Double(options.minWidth)
        if options.minWidth > 0, leastWidth < x {
            y /= x / leastWidth
            x = leastWidth
        }
        let leastHeight = height / Double(options.minHeight)
        if options.minHeight > 0, leastHeight < y {
            x /= y / leastHeight
            y = leastHeight
        }
        x = min(x / dpr, width)
        y = min(y / dpr, height)
    }

    /// The shrinks without zoom.
    private static func shrinks(of size: PixelSize, options: ProcessingOptions) -> (x: Double, y: Double) {
        let (width, height) = (Double(size.width), Double(size.height))
        let x = options.width == 0 ? 1 : width / Double(options.width)
        let y = options.height == 0 ? 1 : height / Double(options.height)
        if options.resizingType == .force { return (x, y) }
        if options.width == 0 { return (y, y) }
        if options.height == 0 { return (x, x) }
        let both: Double
        switch options.resizingType {
        case .fit, .force: both = max(x, y)
        case .fill, .fillDown: both = min(x, y)
        case .auto:
            let isSameShape = (size.width >= size.height) == (options.width >= options.height)
            both = isSameShape ? min(x, y) : max(x, y)
        }
        return (both, both)
    }

    /// Makes the scaled image smaller by a factor below 1, but not below a pixel.
    mutating func shrink(by factor: Double, of size: PixelSize) {
        x = min(x / factor, Double(size.width))
        y = min(y / factor, Double(size.height))
        dpr *= factor
    }

    /// Keeps products and quotients of factors finite and above 0.
    private static func sane(_ factor: Double) -> Double { min(max(factor, 1e-9), 1e9) }
}
