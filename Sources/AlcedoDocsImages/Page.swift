import Alcedo
import AlcedoRaster
import AlcedoSamples
import AlcedoTestSupport
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
        var canvas = try BitmapCanvas(size: size, background: Self.paper)
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
    private static func drawCheckers(on canvas: inout BitmapCanvas, _ rect: PixelRect) throws {
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

/// An image that processors are applied to, and the options.
private struct Subject {
    let image: Image

    /// A photograph, 480 pixels wide.
    static func photograph() throws -> Subject {
        let data = Data(try Fixture.data("exif-orientation/Landscape_1.jpg"))
        return try Subject(image: Image(decoding: data)).after(
            DownsamplingImageProcessor(size: CGSize(width: 480, height: 480)))
    }

    /// A sample image, at half the width of a page by default.
    static func drawing(_ name: String, side: CGFloat = 480) throws -> Subject {
        guard let picture = GalleryPicture.all.first(where: { $0.name == name }) else {
            throw Missing(description: "no sample image is named \(name)")
        }
        return try Subject(image: Image(bitmap: picture.bitmap())).after(
            DownsamplingImageProcessor(size: CGSize(width: side, height: side)))
    }

    func after(_ processor: any ImageProcessor) throws -> Subject {
        let options = KingfisherParsedOptionsInfo(nil)
        guard let image = processor.process(item: .image(image), options: options) else {
            throw Missing(description: "\(processor.identifier) returned no image")
        }
        return Subject(image: image)
    }

    func tile(_ caption: String) -> Page.Tile { .init(image: image, caption: caption) }

    func tile(_ caption: String, _ processor: any ImageProcessor) throws -> Page.Tile {
        try after(processor).tile(caption)
    }
}

private struct Missing: Error, CustomStringConvertible {
    let description: String
}

extension Page {
    /// One page for each processor, and one for a chain of them.
    static func all() throws -> [Page] { try sizes() + edges() + colours() + blends() + [chain()] }

    private static func sizes() throws -> [Page] {
        let photograph = try Subject.photograph()
        let square = CGSize(width: 200, height: 200)
        let small = CGSize(width: 150, height: 150)
        return [
            Page(
                "downsampling",
                [
                    try Subject.drawing("ridges-at-dusk", side: 4000).tile("4000 × 3000 pixels"),
                    try Subject.drawing("ridges-at-dusk", side: 4000)
                        .tile(
                            "size: 220 × 220",
                            DownsamplingImageProcessor(size: CGSize(width: 220, height: 220))),
                ]),
            Page(
                "resizing",
                [
                    photograph.tile("before"),
                    try photograph.tile("200 × 200", ResizingImageProcessor(referenceSize: square)),
                    try photograph.tile(
                        "aspectFit", ResizingImageProcessor(referenceSize: square, mode: .aspectFit)),
                    try photograph.tile(
                        "aspectFill", ResizingImageProcessor(referenceSize: square, mode: .aspectFill)),
                ]),
            Page(
                "cropping",
                [
                    photograph.tile("before"),
                    try photograph.tile("150 × 150", CroppingImageProcessor(size: small)),
                    try photograph.tile(
                        "anchor: (0, 0)", CroppingImageProcessor(size: small, anchor: .zero)),
                    try photograph.tile(
                        "anchor: (1, 1)",
                        CroppingImageProcessor(size: small, anchor: CGPoint(x: 1, y: 1))),
                ]),
            try smartCropping(),
        ]
    }

    private static func smartCropping() throws -> Page {
        let picture = try Subject.drawing("lake-at-dawn")
        let side = CGSize(width: 200, height: 200)
        let covering = ResizingImageProcessor(referenceSize: side, mode: .aspectFill)
        return Page(
            "smart-cropping",
            [
                picture.tile("before"),
                try picture.tile("cropping", covering |> CroppingImageProcessor(size: side)),
                try picture.tile("smart cropping", covering |> SmartCroppingImageProcessor(size: side)),
            ])
    }

    private static func edges() throws -> [Page] {
        let photograph = try Subject.photograph()
        let square = CGSize(width: 220, height: 220)
        let border = Border(color: .white, lineWidth: 12, radius: .point(40))
        return [
            Page(
                "round-corner",
                [
                    photograph.tile("before"),
                    try photograph.tile("cornerRadius: 40", RoundCornerImageProcessor(cornerRadius: 40)),
                    try photograph.tile(
                        "heightFraction(0.5), two corners",
                        RoundCornerImageProcessor(
                            radius: .heightFraction(0.5), roundingCorners: [.topLeft, .bottomRight])),
                    try photograph.tile(
                        "widthFraction(0.5), targetSize",
                        RoundCornerImageProcessor(radius: .widthFraction(0.5), targetSize: square)),
                ]),
            Page(
                "border",
                [
                    photograph.tile("before"),
                    try photograph.tile(
                        "lineWidth: 12", BorderImageProcessor(border: Border(color: .orange, lineWidth: 12))),
                    try photograph.tile("radius: .point(40)", BorderImageProcessor(border: border)),
                ]),
        ]
    }

    private static func colours() throws -> [Page] {
        let photograph = try Subject.photograph()
        let icon = try Subject.drawing("bird-128")
        let veil = Color(red: 0, green: 0.4, blue: 0.9, alpha: 0.5)
        return [
            Page(
                "blur",
                [
                    photograph.tile("before"),
                    try photograph.tile("blurRadius: 4", BlurImageProcessor(blurRadius: 4)),
                    try photograph.tile("blurRadius: 16", BlurImageProcessor(blurRadius: 16)),
                ]),
            Page(
                "overlay",
                [
                    photograph.tile("before"),
                    try photograph.tile("orange", OverlayImageProcessor(overlay: .orange)),
                    try photograph.tile(
                        "fraction: 0.8", OverlayImageProcessor(overlay: .orange, fraction: 0.8)),
                    icon.tile("before"), try icon.tile("orange", OverlayImageProcessor(overlay: .orange)),
                ]),
            Page(
                "tint",
                [
                    photograph.tile("before"),
                    try photograph.tile("half-transparent blue", TintImageProcessor(tint: veil)),
                    icon.tile("before"), try icon.tile("the same", TintImageProcessor(tint: veil)),
                ]),
            Page(
                "color-controls", columns: 3,
                [
                    photograph.tile("before"),
                    try photograph.tile("brightness: 0.1", controls(brightness: 0.1)),
                    try photograph.tile("contrast: 1.5", controls(contrast: 1.5)),
                    try photograph.tile("saturation: 2", controls(saturation: 2)),
                    try photograph.tile("saturation: 0.3", controls(saturation: 0.3)),
                    try photograph.tile("inputEV: 1", controls(exposure: 1)),
                ]),
            Page(
                "black-white",
                [photograph.tile("before"), try photograph.tile("after", BlackWhiteProcessor())]),
        ]
    }

    private static func controls(
        brightness: CGFloat = 0,
        contrast: CGFloat = 1,
        saturation: CGFloat = 1,
        exposure: CGFloat = 0
    ) -> ColorControlsProcessor {
        ColorControlsProcessor(
            brightness: brightness, contrast: contrast, saturation: saturation, inputEV: exposure)
    }

    private static func blends() throws -> [Page] {
        let photograph = try Subject.photograph().after(
            DownsamplingImageProcessor(size: CGSize(width: 200, height: 200)))
        let icon = try Subject.drawing("fish-128")
        let background = Color(red: 0.95, green: 0.55, blue: 0.1, alpha: 0.75)
        func tiles(_ subject: Subject, _ modes: ClosedRange<Int32>) throws -> [Page.Tile] {
            try modes.compactMap(CGBlendMode.init).map { mode in
                try subject.tile("\(mode)", BlendImageProcessor(blendMode: mode, backgroundColor: background))
            }
        }
        return [
            Page("blend", columns: 6, [photograph.tile("before")] + (try tiles(photograph, 0...15))),
            Page("blend-alpha", columns: 7, [icon.tile("before")] + (try tiles(icon, 16...27))),
        ]
    }

    private static func chain() throws -> Page {
        let photograph = try Subject.drawing("lake-at-dawn", side: 4000)
        let small = DownsamplingImageProcessor(size: CGSize(width: 300, height: 300))
        let round = RoundCornerImageProcessor(cornerRadius: 40)
        let tint = TintImageProcessor(tint: Color(red: 0.1, green: 0.2, blue: 0.6, alpha: 0.25))
        return Page(
            "chain",
            [
                photograph.tile("before"), try photograph.tile("downsampling", small),
                try photograph.tile("|> round corner", small |> round),
                try photograph.tile("|> tint (of the corners, too)", small |> round |> tint),
            ])
    }
}
