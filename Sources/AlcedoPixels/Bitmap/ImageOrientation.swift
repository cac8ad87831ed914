/// How stored pixels must be turned to stand upright; raw values are EXIF's (tag 0x0112, JEITA CP-3451).
///
/// Names are UIImage's: the side of the upright image that shows the first stored row.
public enum ImageOrientation: Int, Sendable, CaseIterable {
    /// Stored upright.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by half a turn.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the main diagonal.
    case leftMirrored = 5
    /// Needs a quarter turn clockwise.
    case right = 6
    /// Mirrored along the other diagonal.
    case rightMirrored = 7
    /// Needs a quarter turn anticlockwise.
    case left = 8

    /// Whether standing it upright swaps width and height.
    public var swapsSides: Bool { rawValue >= 5 }

    /// The size that stored pixels of `size` have once upright; its own inverse.
    public func upright(_ size: PixelSize) -> PixelSize { swapsSides ? size.transposed : size }
}

extension ImageOrientation {
    /// How a turned picture is found in the stored one: the stored column is the turned row with `swaps`, and counts from
    /// the other end with `flipsX`; so the row.
    package struct Axes: Hashable, Sendable {
        package var swaps: Bool
        package var flipsX: Bool
        package var flipsY: Bool
    }

    package var axes: Axes {
        switch self {
        case .up: Axes(swaps: false, flipsX: false, flipsY: false)
        case .upMirrored: Axes(swaps: false, flipsX: true, flipsY: false)
        case .down: Axes(swaps: false, flipsX: true, flipsY: true)
        case .downMirrored: Axes(swaps: false, flipsX: false, flipsY: true)
        case .leftMirrored: Axes(swaps: true, flipsX: false, flipsY: false)
        case .right: Axes(swaps: true, flipsX: false, flipsY: true)
        case .rightMirrored: Axes(swaps: true, flipsX: true, flipsY: true)
        case .left: Axes(swaps: true, flipsX: true, flipsY: false)
        }
    }

    /// Both turns in one: this one, then `next`.
    ///
    /// `.right.followed(by: .right)` is `.down`: what a viewer's button does to how it shows a picture.
    public func followed(by next: ImageOrientation) -> ImageOrientation {
        let (first, second) = (axes, next.axes)
        let axes = Axes(
            swaps: first.swaps != second.swaps,
            flipsX: first.flipsX != (first.swaps ? second.flipsY : second.flipsX),
            flipsY: first.flipsY != (first.swaps ? second.flipsX : second.flipsY))
        // All eight are different.
        return Self.allCases.first { $0.axes == axes } ?? .up
    }
}
