import AlcedoPixels
import AlcedoRaster

/// How stored pixels are turned to the picture that options refer to: by the file's orientation, then `rot`, then `fl`.
struct StoredTurn: Sendable, Equatable {
    let orientation: ImageOrientation

    init(_ orientation: ImageOrientation) { self.orientation = orientation }

    /// The size of turned pixels, and of stored ones for turned ones.
    func turned(_ size: PixelSize) -> PixelSize { orientation.upright(size) }

    /// Whether turned columns are stored from the other end, be it as rows; likewise turned rows.
    var isReversed: (across: Bool, down: Bool) {
        let axes = Self.axes(orientation)
        return axes.swaps ? (axes.flipsY, axes.flipsX) : (axes.flipsX, axes.flipsY)
    }

    /// The stored rectangle that a turned one shows; `whole` is the size of all that is turned.
    func stored(_ rectangle: PixelRect, in whole: (width: Double, height: Double)) -> PixelRect {
        let axes = Self.axes(orientation)
        let across = (rectangle.x, rectangle.width, whole.width)
        let down = (rectangle.y, rectangle.height, whole.height)
        let x = axes.swaps ? down : across
        let y = axes.swaps ? across : down
        return PixelRect(
            x: axes.flipsX ? x.2 - x.0 - x.1 : x.0, y: axes.flipsY ? y.2 - y.0 - y.1 : y.0,
            width: x.1, height: y.1)
    }

    /// The stored column is the turned row with `swaps`, and counts from the other end with `flipsX`; so the row.
    private struct Axes: Equatable {
        var swaps: Bool
        var flipsX: Bool
        var flipsY: Bool
    }

    private static func axes(_ orientation: ImageOrientation) -> Axes {
        switch orientation {
        case .up: Axes(swaps: false, flipsX: false, flipsY: false)
        case .upMirrored: Axes(swaps: false, flipsX: true, flipsY: false)
        case .down: Axes(swaps: false, flipsX: true, flipsY: true)
        case .downMirrored: Axes(swaps: false, flipsX: false, flipsY: true)
        case .leftMirrored: Axes(swaps: true, flipsX: false, flipsY: false)
        case .right: Axes(swaps: true, flipsX: false, flipsY: true)
        case .rightMirrored: Axes(swaps: true, flipsX: true, flipsY: true)
        case .left: Axes(swaps: true, flipsX: true, flipsY: false)
        }
    }
}
