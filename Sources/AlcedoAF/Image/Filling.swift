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
    /// Only the part that will be seen is scaled, so a long strip takes no more memory than a square.
    func filling(_ target: PixelSize) throws(CodecError) -> Bitmap {
        let whole = size.filled(target)
        let columns = VisiblePart(of: width, scaledTo: whole.width, showing: target.width)
        let rows = VisiblePart(of: height, scaledTo: whole.height, showing: target.height)
        return
            try cropped(x: columns.start, y: rows.start, width: columns.count, height: rows.count)
            .resized(to: PixelSize(width: columns.scaledCount, height: rows.scaledCount))
            .cropped(x: columns.offset, y: rows.offset, width: target.width, height: target.height)
    }
}

/// The part of a side that still matters when its scaled middle is all that will be seen.
private struct VisiblePart {
    /// The first pixel of the side that matters, and how many do.
    let start, count: Int

    /// What those come to when scaled.
    let scaledCount: Int

    /// Where in those the middle starts.
    let offset: Int

    init(of length: Int, scaledTo scaledLength: Int, showing shown: Int) {
        let factor = Double(scaledLength) / Double(length)
        let hidden = (scaledLength - shown) / 2
        // As far as the resampling filter looks beyond the pixel that it makes.
        let margin = 3 * max(1, 1 / factor)
        let first = max(0, Int((Double(hidden) / factor - margin).rounded(.down)))
        let last = min(length, Int((Double(hidden + shown) / factor + margin).rounded(.up)))
        start = first
        count = last - first
        scaledCount = max(shown, Int((Double(count) * factor).rounded()))
        offset = min(max(0, hidden - Int((Double(first) * factor).rounded())), scaledCount - shown)
    }
}
