import Foundation

extension Color {
    /// Opaque black.
    public static let black = Color(white: 0)
    /// Opaque dark grey, a third of white.
    public static let darkGray = Color(white: 1 / 3)
    /// Opaque middle grey.
    public static let gray = Color(white: 0.5)
    /// Opaque light grey, two thirds of white.
    public static let lightGray = Color(white: 2 / 3)
    /// Opaque white.
    public static let white = Color(white: 1)
    /// Transparent black.
    public static let clear = Color(white: 0, alpha: 0)
    /// Opaque red.
    public static let red = Color(red: 1, green: 0, blue: 0)
    /// Opaque green.
    public static let green = Color(red: 0, green: 1, blue: 0)
    /// Opaque blue.
    public static let blue = Color(red: 0, green: 0, blue: 1)
    /// Opaque cyan.
    public static let cyan = Color(red: 0, green: 1, blue: 1)
    /// Opaque yellow.
    public static let yellow = Color(red: 1, green: 1, blue: 0)
    /// Opaque magenta.
    public static let magenta = Color(red: 1, green: 0, blue: 1)
    /// Opaque orange: red and half as much green.
    public static let orange = Color(red: 1, green: 0.5, blue: 0)
    /// Opaque purple: half of red and of blue.
    public static let purple = Color(red: 0.5, green: 0, blue: 0.5)
    /// Opaque brown: 0.6 of red, 0.4 of green, 0.2 of blue.
    public static let brown = Color(red: 0.6, green: 0.4, blue: 0.2)
}
