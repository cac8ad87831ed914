import Alcedo
import AlcedoConsole

/// Draws previews of an image that is loading in one place, where the image is drawn afterwards.
@MainActor
final class PreviewDrawing {
    private let canvas: Canvas
    /// The first preview; nil if none is drawn.
    private var first: Bitmap?

    init(on canvas: Canvas) { self.canvas = canvas }

    /// Draws a preview over the one before, unless it is higher than the screen.
    func draw(_ bitmap: Bitmap) throws {
        if first == nil {
            guard canvas.fits(bitmap) else { return }
            canvas.reserve(for: bitmap)
            first = bitmap
        }
        try canvas.replace(with: bitmap)
    }

    /// Leaves the place to what is drawn next, in the same place or, without previews, where the cursor is.
    ///
    /// - Returns: whether there are previews.
    func giveWay() -> Bool {
        defer { first = nil }
        return first != nil
    }

    /// Puts the cursor below the last preview, if nothing has taken its place.
    func end() {
        if let first { canvas.leave(first) }
        first = nil
    }
}
