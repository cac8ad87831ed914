import AlcedoPixels
import AlcedoRaster

extension PixelSize {
    /// What this size is multiplied with to fit inside `frame`.
    func fittingFactor(_ frame: PixelSize) -> Double {
        min(Double(frame.width) / Double(width), Double(frame.height) / Double(height))
    }
}

extension Bitmap {
    /// Scales to fit inside `target`, centred on a transparent background.
    ///
    /// The edges of the scaled bitmap may be fractional. Pixels that it covers in part are translucent.
    func fitting(_ target: PixelSize) throws(CodecError) -> Bitmap {
        let factor = size.fittingFactor(target)
        let columns = FittedSpan(of: width, in: target.width, factor: factor)
        let rows = FittedSpan(of: height, in: target.height, factor: factor)
        let covered = PixelSize(width: columns.count, height: rows.count)
        let scaled = try resized(
            to: covered,
            showing: PixelRect(
                x: columns.sourceStart, y: rows.sourceStart, width: columns.sourceLength,
                height: rows.sourceLength))
        if covered == target, columns.coverage == 1, rows.coverage == 1 { return scaled }
        var result = try PixelBuilder(size: target, alpha: .premultiplied)
        result.withUnsafeMutableBytes { output in
            output.initializeMemory(as: UInt8.self, repeating: 0)
            scaled.withUnsafeBytes { input in
                for row in 0..<covered.height {
                    let start = ((rows.first + row) * target.width + columns.first) * 4
                    let line = UnsafeMutableRawBufferPointer(
                        rebasing: output[start..<start + covered.width * 4])
                    line.copyMemory(
                        from: UnsafeRawBufferPointer(
                            rebasing: input[row * covered.width * 4..<(row + 1) * covered.width * 4]))
                    if row == 0 || row == covered.height - 1 { line.scale(by: rows.coverage) }
                    for pixel in Set([0, covered.width - 1]) where columns.coverage < 1 {
                        UnsafeMutableRawBufferPointer(rebasing: line[pixel * 4..<pixel * 4 + 4])
                            .scale(by: columns.coverage)
                    }
                }
            }
        }
        return result.freeze()
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Multiplies each byte, rounding to nearest.
    fileprivate func scale(by factor: Double) {
        guard factor < 1 else { return }
        let weight = Int((factor * 65_536).rounded())
        for index in indices { self[index] = UInt8((Int(self[index]) * weight + 32_768) >> 16) }
    }
}

/// A side of a scaled bitmap, centred in the side of its frame.
private struct FittedSpan {
    /// The first pixel that it covers, at least in part, and the number of pixels.
    let first, count: Int

    /// How much of the first pixel is covered, and of the last.
    let coverage: Double

    /// The part of the bitmap that these pixels show; it may exceed the bitmap.
    let sourceStart, sourceLength: Double

    init(of side: Int, in frame: Int, factor: Double) {
        let exact = Double(side) * factor
        // The side that fills the frame, up to the rounding of the factor.
        let length = abs(exact - exact.rounded()) < 1e-6 ? exact.rounded() : exact
        let start = (Double(frame) - length) / 2
        first = Int(start.rounded(.down))
        count = Int((start + length).rounded(.up)) - first
        // A single pixel is covered by the whole length.
        coverage = count == 1 ? length : 1 - (start - Double(first))
        sourceStart = (Double(first) - start) / length * Double(side)
        sourceLength = Double(count) / length * Double(side)
    }
}
