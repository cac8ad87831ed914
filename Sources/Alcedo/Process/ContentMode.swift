public import Foundation

/// How a picture is fitted to a size of another shape.
public enum ContentMode: Sendable {
    /// Stretched to the size.
    case none
    /// As large as fits inside the size.
    case aspectFit
    /// As small as covers the size.
    case aspectFill
}

extension CGSize: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == CGSize {
    /// The size that this one takes when fitted to `size`.
    public func resize(to size: CGSize, for contentMode: ContentMode) -> CGSize {
        switch contentMode {
        case .none: size
        case .aspectFit: constrained(size)
        case .aspectFill: filling(size)
        }
    }

    /// The largest size of this shape that fits inside `size`; the computed side is rounded.
    public func constrained(_ size: CGSize) -> CGSize {
        let width = (aspectRatio * size.height).rounded()
        return width > size.width
            ? CGSize(width: size.width, height: (size.width / aspectRatio).rounded())
            : CGSize(width: width, height: size.height)
    }

    /// The smallest size of this shape that covers `size`; the computed side is rounded.
    public func filling(_ size: CGSize) -> CGSize {
        let width = (aspectRatio * size.height).rounded()
        return width < size.width
            ? CGSize(width: size.width, height: (size.width / aspectRatio).rounded())
            : CGSize(width: width, height: size.height)
    }

    /// The part of this size that a rectangle of `size` covers, anchored at a place from (0, 0), the upper left, to
    /// (1, 1), the lower right.
    ///
    /// What exceeds this size is cut off; an anchor outside of 0…1 is clamped, and one that is not a number is 0.
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
