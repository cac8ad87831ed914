import AlcedoPixels

/// The sizes of a layout for one scale.
struct LayoutParts {
    let scaled: PixelSize
    /// The part of ``scaled`` that is in the result.
    let cut: PixelSize
    private(set) var canvas: PixelSize
    /// Where ``cut`` lies in ``canvas``.
    private(set) var origin = PixelOffset.zero

    var longest: Int { max(canvas.width, canvas.height) }

    init(of size: PixelSize, scale: LayoutScale, options: ProcessingOptions) {
        let target = PixelSize(
            width: Rounding.halfAway(Double(options.width) * scale.dpr * scale.zoomX),
            height: Rounding.halfAway(Double(options.height) * scale.dpr * scale.zoomY))
        scaled = PixelSize(
            width: Rounding.side(Double(size.width) / scale.x),
            height: Rounding.side(Double(size.height) / scale.y))
        cut = Self.cut(scaled, to: target, options: options)
        canvas = cut
        if options.extend.isEnabled {
            let wanted = PixelSize(
                width: max(canvas.width, target.width), height: max(canvas.height, target.height))
            extend(to: wanted, options.extend.gravity, dpr: scale.dpr)
        }
        if options.extendAspectRatio.isEnabled, !target.isEmpty {
            extend(
                to: Self.around(canvas, shape: target), options.extendAspectRatio.gravity, dpr: scale.dpr)
        }
        pad(options.padding, dpr: scale.dpr)
    }

    private static func cut(_ scaled: PixelSize, to target: PixelSize, options: ProcessingOptions)
        -> PixelSize
    {
        var cut = PixelSize(
            width: target.width > 0 ? min(target.width, scaled.width) : scaled.width,
            height: target.height > 0 ? min(target.height, scaled.height) : scaled.height)
        guard options.resizingType == .fillDown, !options.enlarge, !target.isEmpty else { return cut }
        let (width, height) = (Double(target.width), Double(target.height))
        let (lackX, lackY) = (width / Double(scaled.width), height / Double(scaled.height))
        if lackX > lackY, lackX > 1 {
            cut.height = min(Rounding.side(Double(scaled.width) * height / width), scaled.height)
        } else if lackY > lackX, lackY > 1 {
            cut.width = min(Rounding.side(Double(scaled.height) * width / height), scaled.width)
        }
        return cut
    }

    /// The smallest size of a shape that holds `size`.
    private static func around(_ size: PixelSize, shape: PixelSize) -> PixelSize {
        let (width, height) = (Double(shape.width), Double(shape.height))
        let (lackX, lackY) = (width / Double(size.width), height / Double(size.height))
        if lackX > lackY {
            let wide = Rounding.halfAway(Double(size.height) * width / height)
            return PixelSize(width: max(wide, size.width), height: size.height)
        }
        let high = lackX < lackY ? Rounding.halfAway(Double(size.width) * height / width) : size.height
        return PixelSize(width: size.width, height: max(high, size.height))
    }

    private mutating func extend(to size: PixelSize, _ gravity: Gravity, dpr: Double) {
        let place = gravity.place(canvas, in: size, dpr: dpr)
        origin = PixelOffset(x: origin.x + place.x, y: origin.y + place.y)
        canvas = size
    }

    private mutating func pad(_ padding: Padding, dpr: Double) {
        func pixels(_ side: Int) -> Int { Rounding.halfEven(Double(side) * dpr) }
        let (left, top) = (pixels(padding.left), pixels(padding.top))
        let most = Int(Int32.max)
        canvas = PixelSize(
            width: min(canvas.width + left + pixels(padding.right), most),
            height: min(canvas.height + top + pixels(padding.bottom), most))
        origin.x = min(origin.x + left, canvas.width - cut.width)
        origin.y = min(origin.y + top, canvas.height - cut.height)
    }
}
