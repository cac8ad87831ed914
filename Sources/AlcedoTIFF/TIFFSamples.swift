/// What the samples of a pixel are (TIFF 6.0, sections 3 to 6, 16, 18 and 19), for images whose samples are converted here.
struct TIFFSamples {
    /// What the first samples of a pixel mean.
    enum Colors: Equatable {
        /// 0 is black, or white.
        case grey(isInverted: Bool)
        case rgb
        case palette
        case cmyk

        var count: Int {
            switch self {
            case .grey, .palette: 1
            case .rgb: 3
            case .cmyk: 4
            }
        }
    }

    enum Number: Equatable {
        case unsigned
        /// Two's complement.
        case signed
        case float
    }

    /// The sample that is alpha.
    struct Alpha: Equatable {
        let sample: Int
        /// Whether the colours are multiplied by it.
        let isAssociated: Bool
    }

    let colors: Colors
    let number: Number
    let bits: Int
    /// Samples of a pixel, those included that are not shown.
    let perPixel: Int
    /// Whether each sample has its own strips or tiles.
    let isPlanar: Bool
    /// Nil for opaque images.
    let alpha: Alpha?

    /// The samples that are shown: the colours and then alpha.
    var shown: [Int] { Array(0..<colors.count) + (alpha.map { [$0.sample] } ?? []) }

    /// The bytes of a row of `width` pixels of a strip or a tile.
    func rowBytes(width: Int) -> Int { (width * bits * (isPlanar ? 1 : perPixel) + 7) / 8 }
}
