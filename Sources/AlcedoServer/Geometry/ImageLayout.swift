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

/// What a layout needs to know of a source.
package struct LayoutSource: Sendable, Equatable {
    /// Turned and trimmed, in pixels; at least 1 × 1.
    package var size: PixelSize
    /// SVG: may be enlarged without `enlarge`.
    package var isVector: Bool
    /// Whether columns of ``size`` are stored from the right to the left, be it as rows; likewise rows.
    package var isReversed: (across: Bool, down: Bool)

    package init(
        size: PixelSize, isVector: Bool = false, isReversed: (across: Bool, down: Bool) = (false, false)
    ) {
        self.size = size
        self.isVector = isVector
        self.isReversed = isReversed
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.size == other.size && one.isVector == other.isVector && one.isReversed == other.isReversed
    }
}

extension ImageLayout {
    /// Calculates the layout; every side is at least 1 and every part inside its whole.
    ///
    /// Sides end at `Int32.max`, so that no area overflows. They may still be larger than memory: check ``canvas``
    /// and ``scaled`` before making them.
    ///
    /// `maxResultDimension` is the longest side of ``canvas`` unless the options have another limit; 0 is none.
    /// `format` is the one whose longest side limits ``result``.
    package init(
        source: LayoutSource, options: ProcessingOptions, maxResultDimension: Int = 0,
        format: EncodedFormat? = nil
    ) {
        let whole = PixelSize(width: Self.side(source.size.width), height: Self.side(source.size.height))
        let crop = options.crop?.size(in: whole) ?? whole
        let cropGravity = options.crop?.gravity ?? options.gravity
        let cropOrigin =
            options.crop == nil
            ? .zero : cropGravity.place(crop, in: whole, dpr: 1, isReversed: source.isReversed)
        self.crop = PixelFrame(at: cropOrigin, crop)
        cropIsSmart = cropGravity.isSmart && crop != whole

        var scale = LayoutScale(of: crop, options: options, isVector: source.isVector)
        var parts = LayoutParts(of: crop, scale: scale, options: options)
        let limit = options.limits.maxResultDimension ?? maxResultDimension
        // Once is enough but for roundings that add up, and for canvases around a single pixel.
        for _ in 0..<16 where limit > 0 && parts.longest > limit {
            scale.shrink(by: Double(limit) / Double(parts.longest), of: crop)
            parts = LayoutParts(of: crop, scale: scale, options: options)
        }

        scaled = parts.scaled
        let cutOrigin = options.gravity.place(parts.cut, in: parts.scaled, dpr: scale.dpr)
        cut = PixelFrame(at: cutOrigin, parts.cut)
        cutIsSmart = options.gravity.isSmart && parts.cut != parts.scaled
        canvas = parts.canvas
        origin = parts.origin
        dpr = scale.dpr
        let short = FormatSides.limited(parts.canvas, to: limit > 0 ? limit : nil)
        result = FormatSides.limited(short, to: format.flatMap(FormatSides.longest))
    }

    private static func side(_ side: Int) -> Int { min(max(side, 1), Int(Int32.max)) }
}

extension Crop {
    fileprivate func size(in whole: PixelSize) -> PixelSize {
        PixelSize(width: Self.side(width, in: whole.width), height: Self.side(height, in: whole.height))
    }

    private static func side(_ length: Double, in whole: Int) -> Int {
        if length == 0 { return whole }
        let side =
            length >= 1
            ? Int(min(length.rounded(.down), Rounding.most)) : Rounding.side(Double(whole) * length)
        return min(side, whole)
    }
}

extension PixelFrame {
    fileprivate init(at origin: PixelOffset, _ size: PixelSize) {
        self.init(x: origin.x, y: origin.y, width: size.width, height: size.height)
    }
}

extension PixelOffset {
    package static let zero = PixelOffset(x: 0, y: 0)
}
