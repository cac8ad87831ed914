import AlcedoPixels

/// What happens to a decoded picture before it is shown (ISO/IEC 23008-12, 6.5.9 to 6.5.12).
enum HEIFTransform {
    case crop
    /// Quarter turns anticlockwise.
    case turn(Int)
    /// Exchanges left and right, or top and bottom.
    case mirror(isHorizontal: Bool)

    /// Nil for a box of another kind.
    init?(_ kind: Int, _ content: Range<Int>, _ bytes: RawSpan) {
        var reader = HEIFReader(range: content)
        let value = reader.number(bytes, 1) ?? 0
        switch kind {
        case HEIFBoxes.name("clap"): self = .crop
        case HEIFBoxes.name("irot"): self = .turn(value & 3)
        case HEIFBoxes.name("imir"): self = .mirror(isHorizontal: value & 1 == 1)
        default: return nil
        }
    }
}

/// The columns and rows at the edges of a picture that are not shown.
///
/// A picture may be coded a little larger than the size in the boxes, such as one of an odd size that an encoder has padded.
/// libheif 1.15 returns it as large as it is coded, with its padding turned.
struct HEIFPadding {
    private(set) var left = 0
    private(set) var top = 0
    private var right: Int
    private var bottom: Int

    /// The sides of the largest block of HEVC; an encoder pads a picture by less.
    private static let largestBlock = 64

    /// Of a picture after `transforms`, of which `shown` is to be shown; nil if it is too small, or much too large.
    init?(of picture: PixelSize, shown: PixelSize, _ transforms: [HEIFTransform]) {
        var excess = PixelSize(
            width: picture.width - shown.width, height: picture.height - shown.height)
        guard 0..<Self.largestBlock ~= excess.width, 0..<Self.largestBlock ~= excess.height else {
            return nil
        }
        for case .turn(let quarters) in transforms where quarters & 1 == 1 { excess = excess.transposed }
        (right, bottom) = (excess.width, excess.height)
        for transform in transforms {
            switch transform {
            // Its result has the size in its box.
            case .crop: guard right == 0, bottom == 0 else { return nil }
            case .turn(let quarters): for _ in 0..<quarters { turn() }
            case .mirror(true): (left, right) = (right, left)
            case .mirror(false): (top, bottom) = (bottom, top)
            }
        }
    }

    /// A quarter turn anticlockwise: what was on the right is above.
    private mutating func turn() { (left, top, right, bottom) = (top, right, bottom, left) }
}
