public import Alcedo
import Foundation

/// How a picture differs from the expected one, with a text for a failed test.
///
///     #expect(try difference(of: result.image, from: expected).isNone)
///     #expect(try difference(of: result.image, from: expected).psnr > 40)
public struct PictureDifference: Sendable, CustomStringConvertible {
    /// A place in a picture, from the upper left.
    public struct Place: Sendable, Hashable {
        public let x: Int
        public let y: Int
    }

    /// The peak signal-to-noise ratio over all channels, in decibels: infinite for equal pixels, 0 for other sizes.
    public let psnr: Double

    /// The largest difference of a channel, from 0 to 255; 255 for other sizes.
    public let largest: Int

    /// The first place that differs, row by row; nil for equal pixels and for other sizes.
    public let first: Place?

    /// What differs, in one line.
    public let description: String

    /// Whether sizes and all pixels are equal.
    public var isNone: Bool { largest == 0 }

    /// Compares two bitmaps, pixel by pixel, as 8 bits of sRGB.
    ///
    /// For all samples of deep bitmaps, compare them with `==`.
    public init(of found: Bitmap, from wanted: Bitmap) {
        guard found.size == wanted.size else {
            (psnr, largest, first) = (0, 255, nil)
            description = "the size is \(found.size) instead of \(wanted.size)"
            return
        }
        var (squares, largest, count) = (0, 0, 0)
        var first: Int?
        found.withUnsafeBytes { found in
            wanted.withUnsafeBytes { wanted in
                for pixel in 0..<(found.count / 4) {
                    var isEqual = true
                    for index in (4 * pixel)..<(4 * pixel + 4) where found[index] != wanted[index] {
                        let distance = abs(Int(found[index]) - Int(wanted[index]))
                        squares += distance * distance
                        largest = max(largest, distance)
                        isEqual = false
                    }
                    guard !isEqual else { continue }
                    count += 1
                    if first == nil { first = pixel }
                }
            }
        }
        self.largest = largest
        guard let first else {
            (psnr, self.first, description) = (.infinity, nil, "no difference")
            return
        }
        let place = Place(x: first % found.width, y: first / found.width)
        let psnr = 10 * log10(255 * 255 * Double(4 * found.size.area) / Double(squares))
        (self.psnr, self.first) = (psnr, place)
        description =
            "\(count) of \(found.size.area) pixels differ by up to \(largest), first at (\(place.x), \(place.y)); "
            + String(format: "%.1f dB", psnr)
    }
}

/// Compares the first frames of two images, pixel by pixel.
///
/// - Throws: `CodecError` if one can't be decoded.
public func difference(
    of image: KFCrossPlatformImage, from expected: KFCrossPlatformImage
) throws -> PictureDifference {
    PictureDifference(of: try image.bitmap(), from: try expected.bitmap())
}
