public import Foundation

extension Color {
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
}
