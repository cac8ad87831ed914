import Alcedo
import AlcedoConsole
import Foundation

/// Draws bitmaps on standard output in the form that the terminal supports.
struct Canvas {
    let graphics: TerminalGraphics
    let colors: TerminalColors
    /// The greatest width, in characters.
    let columns: Int

    /// The tallest picture, in pixels; the limit of kitty.
    private static let tallest = 10_000

    /// The size in which an image of `size` pixels is drawn, in pixels or, with blocks, in halves of characters.
    ///
    /// An animation must fit on the screen, because its frames are drawn in one place; a line is left for the cursor, and one
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

    /// Draws a bitmap in the place of previews; the cursor stands below it afterwards.
    func drawInPlace(_ bitmap: Bitmap) throws {
        defer { leave(bitmap) }
        try replace(with: bitmap)
    }

    /// Draws frames in one place, each for its time; the cursor stands below them afterwards.
    ///
    /// - Throws: `CancellationError`, and the errors of `frame`.
    func play(
        times: Int, count: Int, frame: (Int) throws -> (bitmap: Bitmap, duration: TimeInterval)
    ) async throws {
        var first: Bitmap?
        defer { if let first { leave(first) } }
        var round = 0
        while times == 0 || round < times {
            for index in 0..<count {
                let start = ContinuousClock.now
                let (bitmap, duration) = try frame(index)
                if first == nil {
                    first = bitmap
                    reserve(for: bitmap)
                }
                try replace(with: bitmap)
                guard !Terminal.hasLostOutput else { return }
                try await Task.sleep(until: start.advanced(by: .seconds(duration)))
            }
            round += 1
        }
    }

    /// Whether a bitmap fits on the screen, with a line for the cursor and one for the last band of sixels.
    func fits(_ bitmap: Bitmap) -> Bool { rows(of: bitmap) <= Terminal.rows - 2 }

    /// Hides the cursor, scrolls until there is space, and goes back to its first line.
    func reserve(for bitmap: Bitmap) {
        let rows = rows(of: bitmap)
        Terminal.enterPicture(
            "\u{1B}[?25l\(String(repeating: "\n", count: rows))\u{1B}[\(rows)A", leave: leaving(bitmap))
    }

    /// Draws in the reserved space, over what is there; the cursor stays at its first line.
    func replace(with bitmap: Bitmap) throws {
        // Sixels leave the picture before in transparent places.
        let erasing = graphics.form == .sixel && bitmap.alpha != .opaque ? "\u{1B}[J" : ""
        Terminal.print("\u{1B}7\(erasing)\(try text(of: bitmap, keepsCursor: true))\u{1B}8")
    }

    /// Puts the cursor below the reserved space, and shows it.
    func leave(_ bitmap: Bitmap) { Terminal.leavePicture(leaving(bitmap)) }

    private func leaving(_ bitmap: Bitmap) -> String { "\u{1B}[\(rows(of: bitmap))B\r\u{1B}[?25h" }

    private func text(of bitmap: Bitmap, keepsCursor: Bool) throws -> String {
        switch graphics.form {
        case .kitty: try KittyGraphics.text(of: bitmap, keepsCursor: keepsCursor) + "\n"
        case .sixel: try Sixels.text(of: bitmap) + "\n"
        case .blocks: HalfBlocks.text(of: bitmap, in: colors)
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
}
