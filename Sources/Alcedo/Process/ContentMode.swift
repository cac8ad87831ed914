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

    private var aspectRatio: CGFloat { base.height == 0 ? 1 : base.width / base.height }
}
