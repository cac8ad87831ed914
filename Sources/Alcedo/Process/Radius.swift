public import Foundation

/// A corner radius.
public enum Radius: Sendable {
    /// A fraction of the image's width; 0.5 makes a circle of a square.
    case widthFraction(CGFloat)
    /// A fraction of the image's height.
    case heightFraction(CGFloat)
    /// Points.
    case point(CGFloat)

    /// The radius in points for an image of `size`.
    public func compute(with size: CGSize) -> CGFloat {
        switch self {
        case .widthFraction(let fraction): size.width * fraction
        case .heightFraction(let fraction): size.height * fraction
        case .point(let points): points
        }
    }

    var identifierText: String {
        switch self {
        case .widthFraction(let fraction): "w_frac_\(Double(fraction))"
        case .heightFraction(let fraction): "h_frac_\(Double(fraction))"
        case .point(let points): "\(Double(points))"
        }
    }
}

/// A set of a rectangle's corners.
public struct RectCorner: OptionSet, Sendable {
    /// One bit per corner.
    public let rawValue: Int

    /// Top left.
    public static let topLeft = RectCorner(rawValue: 1 << 0)
    /// Top right.
    public static let topRight = RectCorner(rawValue: 1 << 1)
    /// Bottom left.
    public static let bottomLeft = RectCorner(rawValue: 1 << 2)
    /// Bottom right.
    public static let bottomRight = RectCorner(rawValue: 1 << 3)
    /// All four.
    public static let all: RectCorner = [.topLeft, .topRight, .bottomLeft, .bottomRight]

    /// Makes a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
