import AlcedoPixels
import AlcedoRaster

extension PixelSize {
    /// The smallest size with this aspect ratio that covers `frame`, rounded and at least 1.
    func filled(_ frame: PixelSize) -> PixelSize {
        scaled(by: max(Double(frame.width) / Double(width), Double(frame.height) / Double(height)))
    }

    /// This size times `factor`, rounded and at least 1.
    func scaled(by factor: Double) -> PixelSize {
        PixelSize(
            width: max(1, Int((Double(width) * factor).rounded())),
            height: max(1, Int((Double(height) * factor).rounded()))
        )
    }
}

extension Bitmap {
    /// Scales to fill `target` and crops around the centre.
    ///
    /// The crop rectangle may have fractional edges. Only the filter's input is scaled, so a long strip takes no
    /// more memory than a square.
    func filling(_ target: PixelSize) throws(CodecError) -> Bitmap {
        let factor = max(Double(target.width) / Double(width), Double(target.height) / Double(height))
        let columns = CenterSpan(of: width, visible: Double(target.width) / factor, factor: factor)
        let rows = CenterSpan(of: height, visible: Double(target.height) / factor, factor: factor)
        return
            try cropped(x: columns.first, y: rows.first, width: columns.count, height: rows.count)
            .resized(
                to: target,
                showing: PixelRect(
                    x: columns.start - Double(columns.first), y: rows.start - Double(rows.first),
                    width: columns.length, height: rows.length))
    }
}

/// The visible centre of a side, and the pixels that the resampling filter reads for it.
private struct CenterSpan {
    /// The start and length of the visible part, in pixels.
    let start, length: Double

    /// The first pixel that the filter reads, and the number of pixels.
    let first, count: Int

    init(of side: Int, visible: Double, factor: Double) {
        length = min(visible, Double(side))
        start = (Double(side) - length) / 2
        // The filter's support around a target pixel, and the blocks that are averaged before it.
        let margin = 6 * max(1, 1 / factor)
        first = max(0, Int((start - margin).rounded(.down)))
        count = min(side, Int((start + length + margin).rounded(.up))) - first
    }
}
