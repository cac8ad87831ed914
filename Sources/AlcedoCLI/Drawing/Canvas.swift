import Alcedo
import AlcedoConsole
import Foundation

/// Draws bitmaps on standard output in the form that the terminal knows.
struct Canvas {
    let graphics: TerminalGraphics
    /// The greatest width, in characters.
    let columns: Int

    /// The tallest picture, in pixels; the limit of kitty.
    private static let tallest = 10_000

    /// The size in which an image of `size` pixels is drawn, in pixels or, with blocks, in halves of characters.
    ///
    /// An animation must fit on the screen, for its frames are drawn in one place; a line is left for the cursor, and one
    /// for the last band of sixels.
    func size(of size: CGSize, isAnimated: Bool) -> CGSize {
        let cell = graphics.form == .blocks ? (width: 1, height: 2) : graphics.cell
        let rows = isAnimated ? max(1, Terminal.rows - 2) : Self.tallest / cell.height
        let limit = CGSize(
            width: min(Self.tallest, columns * cell.width), height: min(Self.tallest, rows * cell.height))
        let fitted = size.kf.constrained(limit)
        return size.width <= fitted.width ? size : fitted
    }

    /// Draws a bitmap; the cursor stands below it afterwards.
    func draw(_ bitmap: Bitmap) throws {
        Terminal.print(try text(of: bitmap, keepsCursor: false))
    }

    /// Draws frames in one place, each for its time; the cursor stands below them afterwards.
    ///
    /// - Throws: `CancellationError`, and the errors of `frame`.
    func play(
        times: Int, count: Int, frame: (Int) throws -> (bitmap: Bitmap, duration: TimeInterval)
    ) async throws {
        var first: Bitmap?
        let hidden = "\u{1B}[?25l"
        defer { if let first { Terminal.print(end(of: first) + "\u{1B}[?25h") } }
        var round = 0
        while times == 0 || round < times {
            for index in 0..<count {
                let start = ContinuousClock.now
                let (bitmap, duration) = try frame(index)
                if first == nil {
                    first = bitmap
                    Terminal.print(hidden + space(for: bitmap))
                }
                // Sixels leave the frame before in transparent places.
                let erasing = graphics.form == .sixel && bitmap.alpha != .opaque ? "\u{1B}[J" : ""
                Terminal.print("\u{1B}7\(erasing)\(try text(of: bitmap, keepsCursor: true))\u{1B}8")
                guard !Terminal.hasLostOutput else { return }
                try await Task.sleep(until: start.advanced(by: .seconds(duration)))
            }
            round += 1
        }
    }

    private func text(of bitmap: Bitmap, keepsCursor: Bool) throws -> String {
        switch graphics.form {
        case .kitty: try KittyGraphics.text(of: bitmap, keepsCursor: keepsCursor) + "\n"
        case .sixel: try Sixels.text(of: bitmap) + "\n"
        case .blocks: HalfBlocks.text(of: bitmap)
        }
    }

    private func rows(of bitmap: Bitmap) -> Int {
        switch graphics.form {
        case .blocks: (bitmap.height + 1) / 2
        case .kitty: (bitmap.height + graphics.cell.height - 1) / graphics.cell.height
        case .sixel:
            // The last band is drawn whole.
            ((bitmap.height + Sixels.rows - 1) / Sixels.rows * Sixels.rows + graphics.cell.height - 1)
                / graphics.cell.height
        }
    }

    /// Scrolls until there is space, and goes back to its first line.
    private func space(for bitmap: Bitmap) -> String {
        String(repeating: "\n", count: rows(of: bitmap)) + "\u{1B}[\(rows(of: bitmap))A"
    }

    private func end(of bitmap: Bitmap) -> String { "\u{1B}[\(rows(of: bitmap))B\r" }
}
