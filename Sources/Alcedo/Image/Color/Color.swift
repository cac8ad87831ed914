import AlcedoRaster
public import Foundation

/// The colour type in Kingfisher's API.
public typealias KFCrossPlatformColor = Color

/// An sRGB colour with alpha, not premultiplied.
///
/// Two colours are equal if their four components are.
public struct Color: Sendable {
    /// Red, from 0 to 1.
    public let red: CGFloat

    /// Green, from 0 to 1.
    public let green: CGFloat

    /// Blue, from 0 to 1.
    public let blue: CGFloat

    /// Opacity, from 0 (clear) to 1 (opaque).
    public let alpha: CGFloat

    /// Whether it was created with `init(white:alpha:)`; UIKit describes greys in a grey colour space.
    private let isGrey: Bool

    /// Creates a colour; each component is clamped to 0…1, and NaN becomes 0.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat = 1) {
        self.init(red, green, blue, alpha, isGrey: false)
    }

    /// Creates a grey; both components are clamped to 0…1.
    public init(white: CGFloat, alpha: CGFloat = 1) {
        self.init(white, white, white, alpha, isGrey: true)
    }

    /// Creates a colour from hue, saturation, brightness and alpha, each clamped to 0…1.
    ///
    /// Red has hue 0, green ⅓, blue ⅔.
    public init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat = 1) {
        let saturation = saturation.clamped
        let brightness = brightness.clamped
        func channel(_ offset: CGFloat) -> CGFloat {
            let sector = (offset + hue.clamped * 6).truncatingRemainder(dividingBy: 6)
            return brightness * (1 - saturation * min(sector, 4 - sector).clamped)
        }
        self.init(red: channel(5), green: channel(3), blue: channel(1), alpha: alpha)
    }

    /// Creates a colour from Display P3 components, each from 0 to 1; out-of-gamut components are clamped to sRGB.
    public init(displayP3Red red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        func linear(_ value: CGFloat) -> CGFloat {
            let value = value.clamped
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        func encoded(_ value: CGFloat) -> CGFloat {
            value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
        }
        let (r, g, b) = (linear(red), linear(green), linear(blue))
        // Both colour spaces have the white point D65; the matrix follows from the primaries of SMPTE EG 432-1 and
        // ITU-R BT.709.
        self.init(
            red: encoded(1.2249402 * r - 0.2249402 * g), green: encoded(1.0420570 * g - 0.0420570 * r),
            blue: encoded(1.0982736 * b - 0.0786360 * g - 0.0196376 * r), alpha: alpha)
    }

    private init(_ red: CGFloat, _ green: CGFloat, _ blue: CGFloat, _ alpha: CGFloat, isGrey: Bool) {
        self.red = red.clamped
        self.green = green.clamped
        self.blue = blue.clamped
        self.alpha = alpha.clamped
        self.isGrey = isGrey
    }

    public func withAlphaComponent(_ alpha: CGFloat) -> Color {
        Color(red, green, blue, alpha, isGrey: isGrey)
    }
}

extension Color: Hashable {
    private var components: [CGFloat] { [red, green, blue, alpha] }

    public static func == (left: Color, right: Color) -> Bool { left.components == right.components }
    public func hash(into hasher: inout Hasher) { hasher.combine(components) }
}

extension Color: CustomStringConvertible {
    /// UIKit's format: `UIExtendedSRGBColorSpace 1 0.5 0 1`, and `UIExtendedGrayColorSpace 0.5 1` for a grey.
    public var description: String {
        let space = isGrey ? "UIExtendedGrayColorSpace" : "UIExtendedSRGBColorSpace"
        let numbers = isGrey ? [red, alpha] : components
        return ([space] + numbers.map { String(format: "%g", Double($0)) }).joined(separator: " ")
    }

    /// The format in most processor identifiers: `(1.00,0.50,0.00,1.00)`.
    var rgbaText: String {
        "(" + components.map { String(format: "%.2f", Double($0)) }.joined(separator: ",") + ")"
    }
}

extension CGFloat {
    /// The value clamped to 0…1; 0 for NaN.
    fileprivate var clamped: CGFloat { self > 0 ? Swift.min(self, 1) : 0 }
}

extension RasterColor {
    /// The same colour, for the functions of ``Bitmap`` and ``BitmapCanvas``.
    public init(_ color: Color) {
        self.init(
            red: Double(color.red),
            green: Double(color.green),
            blue: Double(color.blue),
            alpha: Double(color.alpha)
        )
    }
}

extension Color {
    /// The same colour, for processors and views.
    public init(_ color: RasterColor) {
        self.init(
            red: CGFloat(color.red), green: CGFloat(color.green), blue: CGFloat(color.blue),
            alpha: CGFloat(color.alpha))
    }

    /// Writes each component to its pointer unless that is nil; always returns true.
    @discardableResult
    public func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?,
        green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?,
        alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        red?.pointee = self.red
        green?.pointee = self.green
        blue?.pointee = self.blue
        alpha?.pointee = self.alpha
        return true
    }

    /// Writes the level and opacity of a grey; returns false and writes nothing for any other colour.
    @discardableResult
    public func getWhite(
        _ white: UnsafeMutablePointer<CGFloat>?,
        alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        guard red == green, green == blue else { return false }
        white?.pointee = red
        alpha?.pointee = self.alpha
        return true
    }

    /// Writes hue, saturation, brightness and opacity, each from 0 to 1; always returns true.
    ///
    /// The hue of a grey is 0.
    @discardableResult
    public func getHue(
        _ hue: UnsafeMutablePointer<CGFloat>?,
        saturation: UnsafeMutablePointer<CGFloat>?,
        brightness: UnsafeMutablePointer<CGFloat>?,
        alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        let brightest = max(red, green, blue)
        let range = brightest - min(red, green, blue)
        let sixths =
            if range == 0 {
                CGFloat.zero
            } else if brightest == red {
                (green - blue) / range + (green < blue ? 6 : 0)
            } else if brightest == green {
                (blue - red) / range + 2
            } else {
                (red - green) / range + 4
            }
        hue?.pointee = sixths / 6
        saturation?.pointee = brightest == 0 ? 0 : range / brightest
        brightness?.pointee = brightest
        alpha?.pointee = self.alpha
        return true
    }

    public static let black = Color(white: 0)
    /// Opaque dark grey, a third of white.
    public static let darkGray = Color(white: 1 / 3)
    public static let gray = Color(white: 0.5)
    /// Opaque light grey, two thirds of white.
    public static let lightGray = Color(white: 2 / 3)
    public static let white = Color(white: 1)
    /// Transparent black.
    public static let clear = Color(white: 0, alpha: 0)
    public static let red = Color(red: 1, green: 0, blue: 0)
    public static let green = Color(red: 0, green: 1, blue: 0)
    public static let blue = Color(red: 0, green: 0, blue: 1)
    public static let cyan = Color(red: 0, green: 1, blue: 1)
    public static let yellow = Color(red: 1, green: 1, blue: 0)
    public static let magenta = Color(red: 1, green: 0, blue: 1)
    /// Opaque orange: red and half as much green.
    public static let orange = Color(red: 1, green: 0.5, blue: 0)
    /// Opaque purple: half of red and of blue.
    public static let purple = Color(red: 0.5, green: 0, blue: 0.5)
    /// Opaque brown: 0.6 of red, 0.4 of green, 0.2 of blue.
    public static let brown = Color(red: 0.6, green: 0.4, blue: 0.2)
}
