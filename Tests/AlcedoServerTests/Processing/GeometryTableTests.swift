import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

/// Options, the result's size, and what of the source it shows.
struct GeometryRow: CustomStringConvertible, Sendable {
    let source: PixelSize
    let options: String
    let result: PixelSize
    /// x, y, width and height in the source.
    let part: [Double]
    /// Where the image lies in the result.
    var origin = (x: 0, y: 0)
    /// The size of the image in the result; the result's for nil.
    var shown: PixelSize?

    var description: String { "\(source) \(options)" }

    init(
        _ source: (Int, Int), _ options: String, _ result: (Int, Int), _ part: [Double] = [],
        at origin: (Int, Int) = (0, 0), shown: (Int, Int)? = nil
    ) {
        self.source = PixelSize(width: source.0, height: source.1)
        self.options = options
        self.result = PixelSize(width: result.0, height: result.1)
        self.part = part.isEmpty ? [0, 0, Double(source.0), Double(source.1)] : part
        self.origin = (origin.0, origin.1)
        self.shown = shown.map { PixelSize(width: $0.0, height: $0.1) }
    }

    static let large: [GeometryRow] = [
        GeometryRow((4000, 3000), "rs:fit:300:300", (300, 225)),
        GeometryRow((4000, 3000), "rs:fill:300:300", (300, 300), [500, 0, 3000, 3000]),
        GeometryRow((4000, 3000), "rs:fill:300:300/g:fp:0.6:0.5", (300, 300), [900, 0, 3000, 3000]),
        GeometryRow((4000, 3000), "rs:fill:300:300/g:ce:-30:0/dpr:2", (600, 600), [200, 0, 3000, 3000]),
        GeometryRow((4000, 3000), "rs:fill:800:200/g:so:0:10", (800, 200), [0, 1950, 4000, 1000]),
        GeometryRow((4000, 3000), "rs:force:300:0", (300, 3000)),
        GeometryRow((4000, 3000), "rs:auto:300:200", (300, 200), [0, 173.3, 4000, 2666.7]),
        GeometryRow((4000, 3000), "rs:auto:200:300", (200, 150)),
        GeometryRow((4000, 3000), "w:300/z:2", (600, 450)),
        GeometryRow((4000, 3000), "rs:fit:300:300/mw:350", (300, 263), [297.1, 0, 3428.6, 3000]),
        GeometryRow((4000, 3000), "c:1000:0:no", (1000, 3000), [1500, 0, 1000, 3000]),
        GeometryRow((4000, 3000), "c:0.5:0.5:nowe:100:50/w:500", (500, 375), [100, 50, 2000, 1500]),
        GeometryRow(
            (4000, 3000), "rs:fit:300:300/pd:10:20", (340, 245), at: (20, 10), shown: (300, 225)),
    ]

    static let small: [GeometryRow] = [
        GeometryRow((200, 150), "rs:fit:300:300", (200, 150)),
        GeometryRow((200, 150), "rs:fill:300:100", (200, 100), [0, 26, 200, 100]),
        GeometryRow((200, 150), "rs:fill:300:300:1", (300, 300), [25, 0, 150, 150]),
        GeometryRow((200, 150), "rs:fill-down:300:300", (150, 150), [26, 0, 150, 150]),
        GeometryRow((200, 150), "rs:fit:300:300:0:1", (300, 300), at: (50, 76), shown: (200, 150)),
        GeometryRow(
            (200, 150), "rs:fit:300:300:0:1:soea:10:10", (300, 300), at: (90, 140), shown: (200, 150)),
        GeometryRow((200, 150), "rs:fit:300:300/exar:1", (200, 200), at: (0, 26), shown: (200, 150)),
        GeometryRow((200, 150), "rs:fit:300:300/dpr:0.5", (150, 113)),
        GeometryRow((200, 150), "rs:fill:100:100/dpr:2", (150, 150), [26, 0, 150, 150]),
        GeometryRow((500, 400), "rs:fit:300:300/dpr:2", (500, 400)),
        GeometryRow((500, 400), "rs:fit:300:300:0:1/dpr:2", (500, 500), at: (0, 50), shown: (500, 400)),
        GeometryRow((1000, 667), "rs:fill:301:200", (301, 200), [0, 3.32, 1000, 663.68]),
    ]
}

@Suite(.timeLimit(.minutes(10)))
struct `Results of the geometry table` {
    /// Made once for all rows.
    private static let large: Result<[UInt8], any Error> = Result {
        try Bitmap.coordinates(4000, 3000).encoded(as: .jpeg, quality: 0.97)
    }

    @Test(arguments: GeometryRow.large + GeometryRow.small)
    func `results of the geometry table have its sizes and show its parts`(row: GeometryRow) async throws {
        let origin = try ImageOrigin()
        // A reduced JPEG is read for the large ones.
        let isLarge = row.source == PixelSize(width: 4000, height: 3000)
        let picture =
            try isLarge
            ? Self.large.get()
            : Bitmap.coordinates(row.source.width, row.source.height).encoded(as: .png)
        origin.server.serve("/s", picture)
        let bitmap = try await origin.bitmap(row.options, "/s")
        #expect(bitmap.size == row.result)
        guard bitmap.size == row.result else { return }
        let shown = row.shown ?? row.result
        let (left, right) = bitmap.means(of: shown, at: row.origin, channel: 0)
        let (top, bottom) = bitmap.means(of: shown, at: row.origin, channel: 1)
        func place(_ value: Double, _ side: Int) -> Double { value * Double(side - 1) / 255 + 0.5 }
        let (width, height) = (row.source.width, row.source.height)
        // The two halves' centres are at a quarter and three quarters of the part.
        // Levels of the picture are 16 pixels apart in the large ones, and JPEG's rounding is not random.
        let tolerance = width > 1000 ? 9.0 : 1
        #expect(abs(place(left, width) - (row.part[0] + row.part[2] / 4)) < tolerance)
        #expect(abs(place(right, width) - (row.part[0] + row.part[2] * 3 / 4)) < tolerance)
        #expect(abs(place(top, height) - (row.part[1] + row.part[3] / 4)) < tolerance)
        #expect(abs(place(bottom, height) - (row.part[1] + row.part[3] * 3 / 4)) < tolerance)
        if row.shown != nil {
            #expect(
                bitmap.frameOfOpaquePixels == [row.origin.x, row.origin.y, shown.width, shown.height])
        }
    }

    @Test func `results turn by rot and by EXIF before gravity counts`() async throws {
        let origin = try ImageOrigin()
        origin.server.serve("/s", try Bitmap.coordinates(400, 300).encoded(as: .png))
        let turned = try await origin.bitmap("rot:90/w:30", "/s")
        #expect(turned.size == PixelSize(width: 30, height: 40))
        // Clockwise: the lower left corner is at the upper left.
        #expect(turned.pixel(0, 0)[0] < 10 && turned.pixel(0, 0)[1] > 245)
        #expect(turned.pixel(29, 0)[0] < 10 && turned.pixel(29, 0)[1] < 10)

        for number in 1...8 {
            let jpeg = try Fixture.data("exif-orientation/Landscape_\(number).jpg")
            origin.server.serve("/exif\(number)", jpeg)
        }
        let upright = try await origin.bitmap("rs:fill:60:30/g:no", "/exif1")
        for number in 2...8 {
            let other = try await origin.bitmap("rs:fill:60:30/g:no", "/exif\(number)")
            #expect(other.size == upright.size)
            #expect(other.meanDifference(to: upright) < 6, "orientation \(number)")
        }
        let stored = try await origin.bitmap("rs:fit:60:60/ar:0", "/exif6")
        #expect(stored.height > stored.width)
    }

    @Test(arguments: ["fl:1", "fl::1", "fl:1:1", "rot:180", "rot:90/fl:1", "rot:270/fl::1"])
    func `rot and fl turn every pixel of a result`(options: String) async throws {
        let origin = try ImageOrigin()
        let source = try Bitmap.coordinates(40, 30)
        origin.server.serve("/s", try source.encoded(as: .png))
        let bitmap = try await origin.bitmap(options, "/s")
        let expected = try source.turned(options)
        #expect(bitmap.hasSamePixels(as: expected))
        let part = try await origin.bitmap("\(options)/c:10:8:nowe:3:2", "/s")
        #expect(part.hasSamePixels(as: try expected.cropped(x: 3, y: 2, width: 10, height: 8)))
    }
}

extension Bitmap {
    /// The means of a channel in the left and right halves, or in the upper and lower ones for green.
    fileprivate func means(
        of shown: PixelSize, at origin: (x: Int, y: Int), channel: Int
    ) -> (Double, Double) {
        let length = channel == 0 ? shown.width : shown.height
        var sums = (0.0, 0.0)
        for step in 0..<length {
            let (x, y) =
                channel == 0
                ? (origin.x + step, origin.y + shown.height / 2)
                : (origin.x + shown.width / 2, origin.y + step)
            let value = Double(pixel(x, y)[channel])
            // A middle pixel belongs to both.
            let share = min(max(Double(length) / 2 - Double(step), 0), 1)
            sums.0 += value * share
            sums.1 += value * (1 - share)
        }
        return (sums.0 / (Double(length) / 2), sums.1 / (Double(length) / 2))
    }

    /// x, y, width and height.
    fileprivate var frameOfOpaquePixels: [Int] {
        let rows = (0..<height).filter { y in (0..<width).contains { pixel($0, y)[3] > 0 } }
        let columns = (0..<width).filter { x in (0..<height).contains { pixel(x, $0)[3] > 0 } }
        guard let top = rows.first, let bottom = rows.last, let left = columns.first,
            let right = columns.last
        else { return [] }
        return [left, top, right - left + 1, bottom - top + 1]
    }

    fileprivate func meanDifference(to other: Bitmap) -> Double {
        var sum = 0
        for y in 0..<height {
            for x in 0..<width {
                sum += zip(pixel(x, y), other.pixel(x, y)).reduce(0) { $0 + abs($1.0 - $1.1) }
            }
        }
        return Double(sum) / Double(width * height * 3)
    }

    /// Turned pixel by pixel, with the definitions of the options.
    fileprivate func turned(_ options: String) throws -> Bitmap {
        let rotation =
            ["rot:90": 1, "rot:180": 2, "rot:270": 3].first { options.contains($0.key) }?.value ?? 0
        var bitmap = self
        for _ in 0..<rotation {
            let source = bitmap
            bitmap = try .drawn(source.height, source.width) { x, y in
                source.pixel(y, source.height - 1 - x)
            }
        }
        let source = bitmap
        let flipsX = options.contains("fl:1")
        let flipsY = options.contains("fl::1") || options.contains("fl:1:1")
        return try .drawn(source.width, source.height) { x, y in
            source.pixel(flipsX ? source.width - 1 - x : x, flipsY ? source.height - 1 - y : y)
        }
    }
}
