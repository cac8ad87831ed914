import AlcedoPixels
import Testing

@testable import AlcedoServer

/// A row of the table: which part of which source is shown how large.
struct LayoutRow: Sendable, CustomTestStringConvertible {
    var width: Int
    var height: Int
    var options: String
    var result: PixelSize
    /// In the source: x, y, width, height; all of it if `nil`.
    var region: [Double]?
    var place = [0, 0]
    var dpr: Double?
    var orientation = ImageOrientation.up
    var isVector = false

    init(
        _ width: Int, _ height: Int, _ options: String, _ resultWidth: Int, _ resultHeight: Int,
        of region: [Double]? = nil, at place: [Int] = [0, 0], dpr: Double? = nil,
        orientation: ImageOrientation = .up, isVector: Bool = false
    ) {
        self.width = width
        self.height = height
        self.options = options
        result = PixelSize(width: resultWidth, height: resultHeight)
        self.region = region
        self.place = place
        self.dpr = dpr
        self.orientation = orientation
        self.isVector = isVector
    }

    var testDescription: String { "\(width)x\(height) \(options)" }

    func layout() throws -> ImageLayout {
        let options = try Reading.options(options)
        let stored = PixelSize(width: width, height: height)
        let size = options.orientation(of: orientation).upright(stored)
        return ImageLayout(source: LayoutSource(size: size, isVector: isVector), options: options)
    }
}

struct `The layout` {
    private static let rows = [
        LayoutRow(4000, 3000, "rs:fit:300:300", 300, 225),
        LayoutRow(4000, 3000, "rs:fill:300:300", 300, 300, of: [500, 0, 3000, 3000]),
        LayoutRow(4000, 3000, "rs:fill:300:300/g:fp:0.6:0.5", 300, 300, of: [900, 0, 3000, 3000]),
        LayoutRow(4000, 3000, "rs:fill:300:300/g:ce:-30:0/dpr:2", 600, 600, of: [200, 0, 3000, 3000]),
        LayoutRow(4000, 3000, "rs:fill:800:200/g:so:0:10", 800, 200, of: [0, 1950, 4000, 1000]),
        LayoutRow(1000, 667, "rs:fill:301:200", 301, 200, of: [0, 667.0 / 201, 1000, 667.0 / 201 * 200]),
        LayoutRow(4000, 3000, "rs:force:300:0", 300, 3000),
        LayoutRow(4000, 3000, "rs:auto:300:200", 300, 200, of: [0, 173.3, 4000, 2666.7]),
        LayoutRow(4000, 3000, "rs:auto:200:300", 200, 150),
        LayoutRow(200, 150, "rs:fit:300:300", 200, 150),
        LayoutRow(200, 150, "rs:fill:300:100", 200, 100, of: [0, 26, 200, 100]),
        LayoutRow(200, 150, "rs:fill:300:300:1", 300, 300, of: [25, 0, 150, 150]),
        LayoutRow(200, 150, "rs:fill-down:300:300", 150, 150, of: [26, 0, 150, 150]),
        LayoutRow(200, 150, "rs:fit:300:300:0:1", 300, 300, at: [50, 76]),
        LayoutRow(200, 150, "rs:fit:300:300:0:1:soea:10:10", 300, 300, at: [90, 140]),
        LayoutRow(200, 150, "rs:fit:300:300/exar:1", 200, 200, at: [0, 26]),
        LayoutRow(200, 150, "rs:fit:300:300/dpr:0.5", 150, 113, dpr: 0.75),
        LayoutRow(200, 150, "rs:fill:100:100/dpr:2", 150, 150, of: [26, 0, 150, 150], dpr: 1.5),
        LayoutRow(500, 400, "rs:fit:300:300/dpr:2", 500, 400, dpr: 5.0 / 3),
        LayoutRow(500, 400, "rs:fit:300:300:0:1/dpr:2", 500, 500, at: [0, 50]),
        LayoutRow(4000, 3000, "w:300/z:2", 600, 450),
        LayoutRow(4000, 3000, "rs:fit:300:300/mw:350", 300, 263, of: [297.1, 0, 3428.6, 3000]),
        LayoutRow(4000, 3000, "c:1000:0:no", 1000, 3000, of: [1500, 0, 1000, 3000]),
        LayoutRow(4000, 3000, "c:0.5:0.5:nowe:100:50/w:500", 500, 375, of: [100, 50, 2000, 1500]),
        LayoutRow(4000, 3000, "rs:fit:300:300/pd:10:20", 340, 245, at: [20, 10]),
        LayoutRow(4000, 3000, "rot:90/w:300", 300, 400),
        LayoutRow(
            4000, 3000, "rs:fill:300:300/g:no", 300, 300, of: [0, 0, 3000, 3000], orientation: .right),
        LayoutRow(200, 150, "rs:fit:300:300", 300, 225, isVector: true),
    ]

    @Test(arguments: rows) func `the layout is that of the geometry table`(row: LayoutRow) throws {
        let layout = try row.layout()
        #expect(layout.canvas == row.result)
        #expect(layout.result == row.result)
        #expect(layout.origin == PixelOffset(x: row.place[0], y: row.place[1]))
        if let dpr = row.dpr { #expect(abs(layout.dpr - dpr) < 1e-9) }

        let scaleX = Double(layout.crop.width) / Double(layout.scaled.width)
        let scaleY = Double(layout.crop.height) / Double(layout.scaled.height)
        let region = [
            Double(layout.crop.x) + Double(layout.cut.x) * scaleX,
            Double(layout.crop.y) + Double(layout.cut.y) * scaleY,
            Double(layout.cut.width) * scaleX, Double(layout.cut.height) * scaleY,
        ]
        let all = [
            0, 0, Double(layout.crop.width + layout.crop.x), Double(layout.crop.height + layout.crop.y),
        ]
        for (found, wanted) in zip(region, row.region ?? all) { #expect(abs(found - wanted) < 0.06) }
        if row.region == nil { #expect(layout.crop.width * layout.crop.height == row.width * row.height) }
    }

    @Test func `the layout of a small fill cuts the first row`() throws {
        let layout = try LayoutRow(1000, 667, "rs:fill:301:200", 301, 200).layout()
        #expect(layout.scaled == PixelSize(width: 301, height: 201))
        #expect(layout.cut == PixelFrame(x: 0, y: 1, width: 301, height: 200))
    }
}
