import AlcedoCodecs
import AlcedoPixels

/// Converts the 16-bit samples of a frame as libjxl gives them, so that no frame of them is kept.
final class JXLReceiver {
    private let rows: PixelRows
    private let convert: DeepConverter
    private var pixels: [SIMD4<UInt16>] = []

    /// Converts to `rows`, whose memory must outlive it.
    init(_ rows: PixelRows, _ convert: DeepConverter) { (self.rows, self.convert) = (rows, convert) }

    /// Converts `count` pixels of a row; those outside the frame are ignored.
    func receive(_ samples: UnsafeRawPointer, count: Int, at place: (x: Int, y: Int)) {
        guard place.y < rows.size.height, place.x < rows.size.width else { return }
        let count = min(count, rows.size.width - place.x)
        if pixels.count < count { pixels = Array(repeating: .zero, count: rows.size.width) }
        pixels.withUnsafeMutableBufferPointer { pixels in
            for index in 0..<count {
                pixels[index] = samples.loadUnaligned(fromByteOffset: index * 8, as: SIMD4<UInt16>.self)
            }
            _ = convert(
                DeepPixels(rebasing: pixels[..<count]), to: rows.row(place.y).base + place.x, at: place)
        }
    }

    /// The alpha of the frame.
    var alpha: Bitmap.Alpha { convert.alpha(isOpaque: rows.isOpaque) }
}
