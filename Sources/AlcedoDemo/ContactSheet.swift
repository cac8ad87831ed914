import Alcedo
import AlcedoRaster
import Foundation

/// A page with all images in justified rows.
struct ContactSheet {
    private struct Row {
        var height: Double
        var tiles: [(image: Image, width: Double)]
    }

    private static let width = 1800.0
    private static let margin = 36.0
    private static let gap = 12.0
    private static let header = 116.0
    private static let background = RasterColor(red: 0.05, green: 0.09, blue: 0.12)
    private static let ink = RasterColor(red: 0.93, green: 0.95, blue: 0.96)
    private static let secondaryInk = RasterColor(red: 0.56, green: 0.66, blue: 0.71)

    let images: [Image]
    let passes: [Pass]

    /// Draws the page and encodes it as PNG.
    func draw() throws -> Data {
        let isSmall = { (image: Image) in max(image.pixelSize.width, image.pixelSize.height) <= 140 }
        let rows =
            rows(of: images.filter { !isSmall($0) }, height: 190)
            + rows(of: images.filter(isSmall), height: 88)
        let height = rows.reduce(Self.header + Self.margin) { $0 + $1.height + Self.gap }
        let size = PixelSize(width: Int(Self.width), height: Int(height.rounded(.up)))
        var canvas = try BitmapCanvas(size: size, background: Self.background)
        try canvas.text("Alcedo", x: Self.margin, y: 66, size: 44, color: Self.ink)
        try canvas.text(summary, x: Self.margin, y: 96, size: 17, color: Self.secondaryInk)
        var y = Self.header
        for row in rows {
            var x = Self.margin
            for tile in row.tiles {
                let rect = PixelRect(
                    x: x.rounded(), y: y.rounded(), width: tile.width.rounded(), height: row.height.rounded())
                try canvas.draw(try tile.image.bitmap(), in: rect)
                x += tile.width + Self.gap
            }
            y += row.height + Self.gap
        }
        return try Image(bitmap: canvas.finish()).data(as: .png)
    }

    private var summary: String {
        "\(images.count) images · "
            + passes.map { "\($0.name) \(Int(($0.seconds * 1000).rounded())) ms" }.joined(separator: " · ")
    }

    /// Rows that fill the page's width, at most `height` high; the last one may be narrower.
    private func rows(of images: [Image], height: Double) -> [Row] {
        var rows: [Row] = []
        var current: [Image] = []
        for image in images {
            current.append(image)
            let row = row(of: current, height: height)
            if row.height <= height {
                rows.append(row)
                current = []
            }
        }
        if !current.isEmpty { rows.append(row(of: current, height: height, isLast: true)) }
        return rows
    }

    private func row(of images: [Image], height: Double, isLast: Bool = false) -> Row {
        let aspects = images.map { Double($0.pixelSize.width) / Double($0.pixelSize.height) }
        let space = Self.width - 2 * Self.margin - Self.gap * Double(images.count - 1)
        let filling = space / aspects.reduce(0, +)
        let height = isLast ? min(height, filling) : filling
        return Row(height: height, tiles: zip(images, aspects).map { ($0, $1 * height) })
    }
}
