public import Foundation

/// How to fit an image to a size with another aspect ratio.
public enum ContentMode: Sendable {
    /// Stretched to the size.
    case none
    /// Scaled to the largest size that fits inside.
    case aspectFit
    /// Scaled to the smallest size that covers it.
    case aspectFill
}

extension CGSize: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == CGSize {
    public func resize(to size: CGSize, for contentMode: ContentMode) -> CGSize {
        switch contentMode {
        case .none: size
        case .aspectFit: constrained(size)
        case .aspectFill: filling(size)
        }
    }

    /// The largest size with this aspect ratio that fits inside `size`; the computed side is rounded.
    public func constrained(_ size: CGSize) -> CGSize {
        let width = (aspectRatio * size.height).rounded()
        return width > size.width
            ? CGSize(width: size.width, height: (size.width / aspectRatio).rounded())
            : CGSize(width: width, height: size.height)
    }

    /// The smallest size with this aspect ratio that covers `size`; the computed side is rounded.
    public func filling(_ size: CGSize) -> CGSize {
        let width = (aspectRatio * size.height).rounded()
        return width < size.width
            ? CGSize(width: size.width, height: (size.width / aspectRatio).rounded())
            : CGSize(width: width, height: size.height)
    }

    /// A rectangle of `size` inside this size, anchored at a point from (0, 0), the upper left, to (1, 1), the
    /// lower right.
    ///
    /// The rectangle is clipped to this size; the anchor is clamped to 0…1, and NaN becomes 0.
    public func constrainedRect(for size: CGSize, anchor: CGPoint) -> CGRect {
        func span(_ whole: CGFloat, _ part: CGFloat, _ anchor: CGFloat) -> (start: CGFloat, length: CGFloat) {
            let part = part > 0 ? min(part, whole) : 0
            return ((whole - part) * (anchor > 0 ? min(anchor, 1) : 0), part)
        }
        let columns = span(base.width, size.width, anchor.x)
        let rows = span(base.height, size.height, anchor.y)
        return CGRect(x: columns.start, y: rows.start, width: columns.length, height: rows.length)
    }

    private var aspectRatio: CGFloat { base.height == 0 ? 1 : base.width / base.height }
}
