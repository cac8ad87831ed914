import AlcedoCodecs
import AlcedoPixels

/// How samples become colours, from a `colr` box (ISO/IEC 15444-1, I.5.3.3, and 15444-2, M.11.7.3).
enum JP2Colors {
    /// A code stream without boxes, or without one that specifies it.
    case unspecified
    /// A profile, and the channels that it describes.
    case profile(Range<Int>, ColorLayout)
    /// White is 0 if it is inverted.
    case grey(isInverted: Bool)
    case rgb
    /// A matrix from three channels to RGB.
    case matrix(JP2Matrix.Kind)
    case cmyk
    /// CMYK whose inks are YCbCr, and whose black is not.
    case ycck
    case lab(JP2Lab)
    /// ROMM RGB (ANSI/I3A IT10.7666).
    case romm
    /// What can't be shown, in words.
    case unsupported(String)

    /// Uses the first of the boxes that can be shown.
    init(_ boxes: [Range<Int>], _ bytes: RawSpan) {
        let colors = boxes.map { Self.colors(in: $0, bytes) }
        let usable = colors.first { if case .unsupported = $0 { false } else { true } }
        self = usable ?? colors.first ?? .unspecified
    }

    private static func colors(in box: Range<Int>, _ bytes: RawSpan) -> JP2Colors {
        let (method, content) = (bytes.u8(box.lowerBound), box.dropFirst(3))
        switch method {
        case 1: return enumerated(content, bytes)
        // Restricted, and any other.
        case 2, 3: return profile(content, bytes)
        case let method?: return .unsupported("its colours are given by method \(method)")
        case nil: return .unspecified
        }
    }

    private static func profile(_ range: Range<Int>, _ bytes: RawSpan) -> JP2Colors {
        guard range.count >= 128, range.upperBound <= bytes.byteCount else { return .unspecified }
        switch bytes.u32BE(range.lowerBound + 16) {
        case 0x4752_4159: return .profile(range, .grey)
        case 0x5247_4220: return .profile(range, .rgba)
        case 0x434D_594B: return .profile(range, .invertedCMYK)
        case let space:
            let name = String(
                decoding: bytes.copy(range.lowerBound + 16..<range.lowerBound + 20), as: UTF8.self)
            let isName = name.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) }
            return .unsupported("its profile is for the colours \(isName ? name : "\(space ?? 0)")")
        }
    }

    private static func enumerated(_ content: Range<Int>, _ bytes: RawSpan) -> JP2Colors {
        guard content.count >= 4, let number = bytes.u32BE(content.lowerBound) else {
            return .unspecified
        }
        switch number {
        case 0: return .grey(isInverted: true)
        case 15, 17: return .grey(isInverted: false)
        case 1: return .matrix(.limitedBT709)
        case 4: return .matrix(.limitedBT601)
        // e-sYCC (PIMA 7667) is numbered as sYCC: both go beyond sRGB by their chroma.
        case 3, 18, 24: return .matrix(.full)
        case 11: return .matrix(.cmy)
        case 12: return .cmyk
        case 13: return .ycck
        case 14:
            return JP2Lab(content.dropFirst(4), bytes).map { .lab($0) }
                ?? .unsupported(
                    "its CIELab colours have an unknown illuminant")
        case 16: return .rgb
        case 20: return .matrix(.extendedRGB)
        case 21: return .romm
        default:
            let names = [9: "PhotoYCC", 19: "CIEJab", 22: "YPbPr (1125/60)", 23: "YPbPr (1250/50)"]
            let name = names[number].map { ", \($0)" } ?? ""
            return .unsupported("its colour space is number \(number)\(name)")
        }
    }

    /// How many channels have colours; nil if the file does not say.
    var channelCount: Int? {
        switch self {
        case .unspecified, .unsupported: nil
        case .grey, .profile(_, .grey): 1
        case .cmyk, .ycck, .profile(_, .invertedCMYK): 4
        case .rgb, .matrix, .lab, .romm, .profile: 3
        }
    }

    var isCMYK: Bool { channelCount == 4 }

    /// Whether the last channel is alpha, of as many for which nothing is defined.
    func hasAlpha(_ channels: Int) -> Bool {
        // Of so many an even number ends with alpha.
        guard let channelCount else { return channels == 2 || channels == 4 }
        return channels == channelCount + 1 || channelCount == 3 && channels == 2
    }
}

/// A way from three channels to RGB by a matrix, of samples from 0.
struct JP2Matrix {
    enum Kind {
        /// YCbCr of BT.601 in the whole range: sYCC (IEC 61966-2-1, annex G) and YCbCr(2).
        case full
        /// YCbCr(1) and YCbCr(3), with room below and above.
        case limitedBT709, limitedBT601
        /// e-sRGB (PIMA 7667), which goes beyond sRGB.
        case extendedRGB
        /// No ink is 0.
        case cmy
    }

    /// Subtracted from the samples of each channel; then the factors of the result.
    let zeros: [Float]
    let scales: [Float]
    /// From these to RGB, from 0 to 255; rows of three.
    let factors: [Float]

    /// For channels of so many bits.
    init(_ kind: Kind, depths: [Int]) {
        let scaling = depths.prefix(3).enumerated().map { channel, depth -> (zero: Float, scale: Float) in
            let (power, top) = (Float(1 << depth), Float(1 << depth - 1))
            let isChroma = channel > 0
            return switch kind {
            case .full: (isChroma ? power / 2 : 0, 1 / top)
            case .limitedBT709, .limitedBT601:
                (power * (isChroma ? 128 : 16) / 256, 256 / power / (isChroma ? 224 : 219))
            case .extendedRGB: (power * 3 / 8, 512 / power / 255)
            case .cmy: (top, -1 / top)
            }
        }
        (zeros, scales) = (scaling.map { $0.zero }, scaling.map { $0.scale })
        factors =
            switch kind {
            case .full, .limitedBT601: Self.factors(red: 0.299, blue: 0.114)
            case .limitedBT709: Self.factors(red: 0.2126, blue: 0.0722)
            case .extendedRGB, .cmy: [255, 0, 0, 0, 255, 0, 0, 0, 255]
            }
    }

    /// By the shares of red and blue in luma.
    private static func factors(red: Float, blue: Float) -> [Float] {
        let green = 1 - red - blue
        let (cr, cb) = (2 - 2 * red, 2 - 2 * blue)
        return [1, 0, cr, 1, -cb * blue / green, -cr * red / green, 1, cb, 0].map { $0 * 255 }
    }

    /// Converts values in place; their results are from 0 to 255, but not bounded.
    func apply(_ planes: inout [[Float]], count: Int) {
        for column in 0..<count {
            let (a, b, c) = (planes[0][column], planes[1][column], planes[2][column])
            for channel in 0..<3 {
                planes[channel][column] =
                    factors[channel * 3] * a + factors[channel * 3 + 1] * b + factors[channel * 3 + 2] * c
            }
        }
    }
}
