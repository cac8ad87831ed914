/// What the red, green and blue of pixels mean.
public enum ColorSpace: Hashable, Sendable {
    /// Primaries and transfer function by the code points of ITU-T H.273, in full range.
    case codePoints(primaries: UInt8, transfer: UInt8)

    /// An ICC profile for RGB.
    case icc([UInt8])

    /// sRGB (IEC 61966-2-1).
    public static let sRGB = ColorSpace.codePoints(primaries: 1, transfer: 13)

    /// Display P3: the primaries of SMPTE EG 432-1 with the transfer function of sRGB.
    public static let displayP3 = ColorSpace.codePoints(primaries: 12, transfer: 13)

    /// The most bytes of a profile that pixels keep; it fits a message of a worker process.
    package static let largestProfile = 96 << 10

    /// Bytes of memory beside the value.
    var byteCount: Int {
        switch self {
        case .codePoints: 0
        case .icc(let profile): profile.count
        }
    }
}

/// The colour space of deep pixels, with what makes 8 bits of sRGB of them.
package final class DeepColors: Sendable {
    package let space: ColorSpace
    package let conversion: any StandardConversion

    package init(_ space: ColorSpace, _ conversion: any StandardConversion) {
        (self.space, self.conversion) = (space, conversion)
    }
}

/// Converts deep pixels to 8 bits of sRGB; the modules above this one know colour profiles.
package protocol StandardConversion: Sendable {
    /// `bitmap`, which is deep, in 8 bits of sRGB, with the same kind of alpha.
    func standard(_ bitmap: Bitmap) throws(CodecError) -> Bitmap

    /// The red, green and blue in `space` of colours in sRGB, all from 0 to 1 and one colour after the other; nil for a
    /// space that can't be converted to.
    func levels(of colors: [Double], in space: ColorSpace) -> [Double]?

    /// Whether light is encoded by sRGB's curve in `space`, whatever its primaries are.
    func hasStandardCurve(_ space: ColorSpace) -> Bool
}
