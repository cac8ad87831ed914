import AlcedoPixels
import AlcedoRaster

extension PixelSize {
    /// The largest size of this shape within `frame`, rounded and at least 1.
    func fitted(_ frame: PixelSize) -> PixelSize {
        scaled(by: min(widthFactor(frame), heightFactor(frame)))
    }

    /// The smallest size of this shape that covers `frame`, rounded.
    func filled(_ frame: PixelSize) -> PixelSize {
        scaled(by: max(widthFactor(frame), heightFactor(frame)))
    }

    private func widthFactor(_ frame: PixelSize) -> Double { Double(frame.width) / Double(width) }
    private func heightFactor(_ frame: PixelSize) -> Double { Double(frame.height) / Double(height) }

    private func scaled(by factor: Double) -> PixelSize {
        PixelSize(
            width: max(1, Int((Double(width) * factor).rounded())),
            height: max(1, Int((Double(height) * factor).rounded()))
        )
    }
}

extension Bitmap {
    /// The middle of the picture, scaled without stretching so that it covers `target`, and cut to that.
    ///
    /// The edges of what is shown may be between pixels. Only what the filter looks at is scaled, so a long strip takes no
    /// more memory than a square.
    func filling(_ target: PixelSize) throws(CodecError) -> Bitmap {
        let factor = max(Double(target.width) / Double(width), Double(target.height) / Double(height))
        let columns = Middle(of: width, showing: Double(target.width) / factor, factor: factor)
        let rows = Middle(of: height, showing: Double(target.height) / factor, factor: factor)
        return
            try cropped(x: columns.first, y: rows.first, width: columns.count, height: rows.count)
            .resized(
                to: target,
                showing: PixelRect(
                    x: columns.start - Double(columns.first), y: rows.start - Double(rows.first),
                    width: columns.length, height: rows.length))
    }
}

/// The middle of a side, and the pixels that it is made of.
private struct Middle {
    /// Where it starts, in pixels, and how many it has.
    let start, length: Double

    /// The first pixel that the filter looks at, and how many it does.
    let first, count: Int

    init(of side: Int, showing shown: Double, factor: Double) {
        length = min(shown, Double(side))
        start = (Double(side) - length) / 2
        // As far as the filter looks beyond the pixel that it makes, and blocks that it averages first.
        let margin = 6 * max(1, 1 / factor)
        first = max(0, Int((start - margin).rounded(.down)))
        count = min(side, Int((start + length + margin).rounded(.up))) - first
    }
}
