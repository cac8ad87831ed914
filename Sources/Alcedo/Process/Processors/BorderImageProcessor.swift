public import Foundation

/// A border along an image's edges.
public struct Border: Sendable {
    /// The line's colour; black by default.
    public var color: KFCrossPlatformColor

    /// The line's width, in points; 4 by default.
    public var lineWidth: CGFloat

    /// The corner radius at the centre of the line; 0 by default.
    public var radius: Radius

    /// The rounded corners; all by default.
    public var roundingCorners: RectCorner

    public init(
        color: KFCrossPlatformColor = .black,
        lineWidth: CGFloat = 4,
        radius: Radius = .point(0),
        roundingCorners: RectCorner = .all
    ) {
        self.color = color
        self.lineWidth = lineWidth
        self.radius = radius
        self.roundingCorners = roundingCorners
    }

    /// Swift's description of Kingfisher's value, for compatible identifiers.
    var identifierText: String {
        let (kind, number) =
            switch radius {
            case .widthFraction(let fraction): ("widthFraction", fraction)
            case .heightFraction(let fraction): ("heightFraction", fraction)
            case .point(let points): ("point", points)
            }
        return "Border(color: \(color), lineWidth: \(Double(lineWidth)), "
            + "radius: Kingfisher.Radius.\(kind)(\(Double(number))), "
            + "roundingCorners: Kingfisher.RectCorner(rawValue: \(roundingCorners.rawValue)))"
    }
}

/// Draws a border along the edges, inside the image.
///
/// An image input keeps its own scale; the option `scaleFactor` applies only to data.
public struct BorderImageProcessor: ImageProcessor, PixelProcessor {
    public var identifier: String { "com.onevcat.Kingfisher.BorderImageProcessor(\(border.identifierText)" }

    public let border: Border

    public init(border: Border) {
        self.border = border
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.processed(by: [self], options)
    }

    let rescalesImages = false

    var hasSizesInPoints: Bool { true }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        [.border(border)].compactMap(\.self)
    }
}
