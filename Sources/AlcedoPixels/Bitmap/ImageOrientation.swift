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
