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
        let axes = orientation.axes
        return axes.swaps ? (axes.flipsY, axes.flipsX) : (axes.flipsX, axes.flipsY)
    }

    /// The stored rectangle that a turned one shows; `whole` is the size of all that is turned.
    func stored(_ rectangle: PixelRect, in whole: (width: Double, height: Double)) -> PixelRect {
        let axes = orientation.axes
        let across = (rectangle.x, rectangle.width, whole.width)
        let down = (rectangle.y, rectangle.height, whole.height)
        let x = axes.swaps ? down : across
        let y = axes.swaps ? across : down
        return PixelRect(
            x: axes.flipsX ? x.2 - x.0 - x.1 : x.0, y: axes.flipsY ? y.2 - y.0 - y.1 : y.0,
            width: x.1, height: y.1)
    }
}
