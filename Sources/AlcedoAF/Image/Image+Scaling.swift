public import Alcedo
import AlcedoPixels
import AlcedoRaster
public import Foundation

extension AlamofireExtension where ExtendedType: Image {
    /// Stretches the image to `size`.
    ///
    /// - Parameters:
    ///   - size: the size in points; both sides must be positive.
    ///   - scale: pixels per point of the result; nil for the scale of the image.
    /// - Returns: an image of `size`; the image itself if it is damaged or `size` is too large.
    public func imageScaled(to size: CGSize, scale: CGFloat? = nil) -> Image {
        type.redrawn(at: size, scale: scale) { target throws(CodecError) in
            try type.pixels(resizedTo: target)
        }
    }

    /// Scales the image to fit inside `size`, centred on a transparent background; otherwise like ``imageScaled(to:scale:)``.
    public func imageAspectScaled(toFit size: CGSize, scale: CGFloat? = nil) -> Image {
        type.redrawn(at: size, scale: scale) { target throws(CodecError) in
            let fitted = type.pixelSize.scaled(by: type.pixelSize.fittingFactor(target))
            return try type.pixels(forReducingTo: fitted).fitting(target)
        }
    }

    /// Scales the image to fill `size`, and crops around the centre; otherwise like ``imageScaled(to:scale:)``.
    public func imageAspectScaled(toFill size: CGSize, scale: CGFloat? = nil) -> Image {
        type.redrawn(at: size, scale: scale) { target throws(CodecError) in
            try type.pixels(forReducingTo: type.pixelSize.filled(target)).filling(target)
        }
    }
}

extension Image {
    /// Pixels from which a reduction to about `size` loses nothing.
    fileprivate func pixels(forReducingTo size: PixelSize) throws(CodecError) -> Bitmap {
        // Twice the size for reduced decoding, whose sizes are rounded up to whole pixels.
        let minimum = PixelSize(width: size.width * 2, height: size.height * 2)
        return try bitmap(atLeast: info?.isScalable == true ? size : minimum)
    }

    /// An image of `size` points with the bitmap that `draw` returns for the size in pixels; the image itself if
    /// `size` is invalid or `draw` throws.
    fileprivate func redrawn(
        at size: CGSize,
        scale: CGFloat?,
        _ draw: (PixelSize) throws(CodecError) -> Bitmap
    ) -> Image {
        assert(size.width > 0 && size.height > 0, "both sides of the size must be positive")
        let scale = scale ?? self.scale
        guard let pixels = PixelSize(points: size, scale: scale) else { return self }
        do throws(CodecError) {
            try DecodeLimits().check(frame: pixels, of: info?.format ?? .png)
            return Image(bitmap: try draw(pixels), scale: scale)
        } catch {
            return self
        }
    }
}

extension PixelSize {
    /// What this size is multiplied with to fit inside `frame`.
    fileprivate func fittingFactor(_ frame: PixelSize) -> Double {
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
        var result = try PixelBuilder(size: target, alpha: .premultiplied, deep: scaled.deep)
        let bytesPerPixel = scaled.bytesPerPixel
        result.withUnsafeMutableBytes { output in
            output.initializeMemory(as: UInt8.self, repeating: 0)
            let input = scaled.storage
            let rowBytes = covered.width * bytesPerPixel
            for row in 0..<covered.height {
                let start = ((rows.first + row) * target.width + columns.first) * bytesPerPixel
                let line = UnsafeMutableRawBufferPointer(rebasing: output[start..<start + rowBytes])
                line.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: input[row * rowBytes..<(row + 1) * rowBytes]))
                func scale(_ pixels: Range<Int>, by factor: Double) {
                    let bytes = UnsafeMutableRawBufferPointer(
                        rebasing: line[pixels.lowerBound * bytesPerPixel..<pixels.upperBound * bytesPerPixel])
                    if scaled.isDeep {
                        bytes.bindMemory(to: UInt16.self).scale(by: factor)
                    } else {
                        bytes.bindMemory(to: UInt8.self).scale(by: factor)
                    }
                }
                if row == 0 || row == covered.height - 1 { scale(0..<covered.width, by: rows.coverage) }
                for pixel in Set([0, covered.width - 1]) where columns.coverage < 1 {
                    scale(pixel..<pixel + 1, by: columns.coverage)
                }
            }
        }
        return result.freeze()
    }
}

extension UnsafeMutableBufferPointer where Element: FixedWidthInteger {
    /// Multiplies each sample, rounding to nearest.
    fileprivate func scale(by factor: Double) {
        guard factor < 1 else { return }
        let weight = Int((factor * 65_536).rounded())
        for index in indices { self[index] = Element((Int(self[index]) * weight + 32_768) >> 16) }
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
