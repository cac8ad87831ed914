import AlcedoRaster
public import Foundation

/// A colour where Kingfisher's API names the platform's colour type.
public typealias KFCrossPlatformColor = Color

/// An sRGB colour with alpha, not premultiplied.
public struct Color: Hashable, Sendable {
    /// Red, from 0 to 1.
    public let red: CGFloat

    /// Green, from 0 to 1.
    public let green: CGFloat

    /// Blue, from 0 to 1.
    public let blue: CGFloat

    /// Opacity, from 0 (clear) to 1 (opaque).
    public let alpha: CGFloat

    /// Makes a colour; each component is clamped to 0…1, and one that is not a number is 0.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat = 1) {
        self.red = red.clamped
        self.green = green.clamped
        self.blue = blue.clamped
        self.alpha = alpha.clamped
    }

    /// Makes a grey; both components are clamped to 0…1.
    public init(white: CGFloat, alpha: CGFloat = 1) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    /// Opaque black.
    public static let black = Color(white: 0)
    /// Opaque white.
    public static let white = Color(white: 1)
    /// Opaque middle grey.
    public static let gray = Color(white: 0.5)
    /// Transparent black.
    public static let clear = Color(white: 0, alpha: 0)
    /// Opaque red.
    public static let red = Color(red: 1, green: 0, blue: 0)
    /// Opaque green.
    public static let green = Color(red: 0, green: 1, blue: 0)
    /// Opaque blue.
    public static let blue = Color(red: 0, green: 0, blue: 1)

    /// The same colour with another opacity.
    public func withAlphaComponent(_ alpha: CGFloat) -> Color {
        Color(red: red, green: green, blue: blue, alpha: alpha)
    }
}

extension Color {
    /// `#RRGGBBAA`: equal texts exactly where 8-bit pixels are equal.
    var identifierText: String {
        "#"
            + [red, green, blue, alpha].map { component in
                let byte = UInt8((component * 255).rounded())
                return (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
    }
}

extension CGFloat {
    /// From 0 to 1; 0 for what is not a number.
    fileprivate var clamped: CGFloat { self > 0 ? Swift.min(self, 1) : 0 }
}

extension RasterColor {
    init(_ color: Color) {
        self.init(
            red: Double(color.red),
            green: Double(color.green),
            blue: Double(color.blue),
            alpha: Double(color.alpha)
        )
    }
}
