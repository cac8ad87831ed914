import Alcedo
import AlcedoRaster
import Foundation

/// One image of the documentation: rows of tiles with captions.
struct Page {
    /// An image and its caption.
    struct Tile {
        var image: Image
        var caption: String
    }

    /// The file's name, without an extension.
    let name: String
    let tiles: [Tile]

    /// The number of tiles per row.
    let columns: Int

    private static let width = 1000.0
    private static let gap = 20.0
    private static let captionHeight = 34.0
    private static let paper = RasterColor(red: 1, green: 1, blue: 1)
    private static let ink = RasterColor(red: 0.13, green: 0.17, blue: 0.2)

    init(_ name: String, columns: Int? = nil, _ tiles: [Tile]) {
        self.name = name
        self.tiles = tiles
        self.columns = columns ?? tiles.count
    }

    /// Draws the page; images wider than a column are reduced to its width.
    func draw() throws -> Image {
        let columnWidth = (Self.width - Self.gap * Double(columns + 1)) / Double(columns)
        let rows = stride(from: 0, to: tiles.count, by: columns)
            .map { Array(tiles[$0..<min($0 + columns, tiles.count)]) }
        let heights = rows.map { row in
            row.map { Self.size(of: $0.image, in: columnWidth).height }.max() ?? 0
        }
        let height = heights.reduce(Self.gap) { $0 + $1 + Self.captionHeight }
        let size = PixelSize(width: Int(Self.width), height: Int(height.rounded(.up)))
        var canvas = try Canvas(size: size, background: Self.paper)
        var y = Self.gap
        for (row, height) in zip(rows, heights) {
            for (column, tile) in row.enumerated() {
                let x = Self.gap + Double(column) * (columnWidth + Self.gap)
                let size = Self.size(of: tile.image, in: columnWidth)
                let rect = PixelRect(
                    x: x.rounded(), y: y, width: size.width.rounded(), height: size.height.rounded())
                try Self.drawCheckers(on: &canvas, rect)
                try canvas.draw(try tile.image.bitmap(), in: rect)
                try canvas.text(tile.caption, x: x, y: y + size.height + 19, size: 14, color: Self.ink)
            }
            y += height + Self.captionHeight
        }
        return Image(bitmap: canvas.finish())
    }

    private static func size(of image: Image, in columnWidth: Double) -> (width: Double, height: Double) {
        let width = Double(image.pixelSize.width)
        let factor = min(1, columnWidth / width)
        return (width * factor, Double(image.pixelSize.height) * factor)
    }

    /// Draws a checkerboard, which is visible behind transparent pixels.
    private static func drawCheckers(on canvas: inout Canvas, _ rect: PixelRect) throws {
        let side = 10.0
        for row in 0..<Int((rect.height / side).rounded(.up)) {
            for column in 0..<Int((rect.width / side).rounded(.up)) {
                let grey = (row + column).isMultiple(of: 2) ? 0.86 : 0.94
                let (x, y) = (Double(column) * side, Double(row) * side)
                let square = PixelRect(
                    x: rect.x + x, y: rect.y + y, width: min(side, rect.width - x),
                    height: min(side, rect.height - y))
                try canvas.fill(square, color: RasterColor(red: grey, green: grey, blue: grey))
            }
        }
    }
}
