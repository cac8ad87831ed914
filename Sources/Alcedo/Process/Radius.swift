public import Foundation

/// The radius of rounded corners, in points or relative to the image.
public enum Radius: Sendable {
    /// A fraction of the image's width; 0.5 makes a circle of a square.
    case widthFraction(CGFloat)
    case heightFraction(CGFloat)
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

/// The corners that ``RoundCornerImageProcessor`` rounds; the others stay square.
public struct RectCorner: OptionSet, Sendable {
    public let rawValue: Int
    public static let topLeft = RectCorner(rawValue: 1 << 0)
    public static let topRight = RectCorner(rawValue: 1 << 1)
    public static let bottomLeft = RectCorner(rawValue: 1 << 2)
    public static let bottomRight = RectCorner(rawValue: 1 << 3)
    public static let all: RectCorner = [.topLeft, .topRight, .bottomLeft, .bottomRight]

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
