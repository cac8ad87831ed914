import CLcms2

/// The channels of a codec's pixels before their conversion to BGRA; always four, of 8 or of 16 bits.
package enum ColorLayout: Hashable {
    case bgra
    case rgba
    /// Grey in the first three channels, of which only the first is read; alpha in the fourth.
    case grey
    /// CMYK where the highest number is no ink.
    case invertedCMYK

    /// The pixel format of Little CMS for 8 bits a channel.
    var format: UInt32 {
        switch self {
        case .bgra: alcedo_lcms_bgra
        case .rgba: alcedo_lcms_rgba
        case .grey: alcedo_lcms_grey
        case .invertedCMYK: alcedo_lcms_cmyk_inverted
        }
    }

    /// As ``format``, for 16 bits a channel in the order of RGBA.
    var deepFormat: UInt32 {
        switch self {
        case .bgra, .rgba: alcedo_lcms_rgba_16
        case .grey: alcedo_lcms_grey_16
        case .invertedCMYK: alcedo_lcms_cmyk_inverted_16
        }
    }

    /// The colour space that a profile for this layout must have.
    var space: cmsColorSpaceSignature {
        switch self {
        case .bgra, .rgba: cmsSigRgbData
        case .grey: cmsSigGrayData
        case .invertedCMYK: cmsSigCmykData
        }
    }

    var isRGB: Bool { self == .bgra || self == .rgba }

    /// Pixels whose conversion shows whether a profile differs from sRGB; nil if it always does.
    var probes: [UInt32]? {
        switch self {
        case .bgra, .rgba:
            let levels: [UInt32] = [0, 26, 51, 102, 153, 204, 229, 255]
            return levels.flatMap { red in
                levels.flatMap { green in levels.map { 0xFF00_0000 | red << 16 | green << 8 | $0 } }
            }
        case .grey: return (0..<256).map { 0xFF00_0000 | $0 << 16 | $0 << 8 | $0 }
        case .invertedCMYK: return nil
        }
    }
}
