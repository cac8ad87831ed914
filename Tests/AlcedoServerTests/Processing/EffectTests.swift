import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Effects` {
    private let origin: ImageOrigin

    init() throws { origin = try ImageOrigin() }

    @Test func `pixelate replaces blocks by their means, smaller ones at the edges too`() async throws {
        let source = try Bitmap.drawn(5, 3) { x, y in [x * 5, y * 20, 7] }
        origin.server.serve("/s", try source.encoded(as: .png))
        let bitmap = try await origin.bitmap("pix:2", "/s")
        // The mean of 0 and 5 is rounded up; the last column and row stand alone.
        #expect(bitmap.pixel(0, 0) == [3, 10, 7, 255])
        #expect(bitmap.pixel(1, 1) == [3, 10, 7, 255])
        #expect(bitmap.pixel(3, 0) == [13, 10, 7, 255])
        #expect(bitmap.pixel(4, 1) == [20, 10, 7, 255])
        #expect(bitmap.pixel(4, 2) == [20, 40, 7, 255])
    }

    @Test func `sharpen steepens an edge and leaves flat areas and noise`() async throws {
        let source = try Bitmap.drawn(20, 4) { x, y in Array(repeating: x < 10 ? 100 : 160, count: 3) }
        let noise = try Bitmap.drawn(20, 4) { x, y in Array(repeating: 100 + (x + y) % 2 * 4, count: 3) }
        origin.server.serve("/s", try source.encoded(as: .png))
        origin.server.serve("/noise", try noise.encoded(as: .png))
        let bitmap = try await origin.bitmap("sh:1", "/s")
        #expect(bitmap.pixel(0, 0) == [100, 100, 100, 255])
        #expect(bitmap.pixel(19, 3) == [160, 160, 160, 255])
        // The Gaussian of sigma 1 moves each side of the edge by 0.3 × 60 = 18: (18 - 5.1) × 3 = 39, at most 26 lighter.
        #expect(abs(bitmap.pixel(9, 1)[0] - (100 - 39)) <= 2)
        #expect(bitmap.pixel(10, 1)[0] == 160 + 26)
        #expect(try await origin.bitmap("sh:1", "/noise").hasSamePixels(as: noise))
    }

    @Test(arguments: ["sh:1", "sh:3", "w:61/sh:1.5", "w:130", "w:17"])
    func `sharpen and resize keep the colour of a cut-out`(options: String) async throws {
        let colour = [240, 236, 229, 255]
        let source = try Bitmap.drawn(40, 40, alpha: .premultiplied) { x, y in
            (x - 18) * (x - 18) + (y - 21) * (y - 21) < 200 ? colour : [0, 0, 0, 0]
        }
        origin.server.serve("/s", try source.encoded(as: .png))
        let bitmap = try await origin.bitmap(options, "/s")
        var differences: Set<Int> = []
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width {
                let pixel = bitmap.pixel(x, y)
                for (value, full) in zip(pixel, colour) {
                    differences.insert(abs(value - (full * pixel[3] + 127) / 255))
                }
            }
        }
        #expect(differences.isSubset(of: [0, 1]))
    }

    @Test(arguments: [(0.5, 0.7866), (1.0, 0.3989), (1.9, 0.2101)])
    func `blur is a Gaussian, also a narrow one`(sigma: Double, peak: Double) async throws {
        let source = try Bitmap.drawn(31, 31) { x, y in x == 15 ? [255, 255, 255] : [0, 0, 0] }
        origin.server.serve("/s", try source.encoded(as: .png))
        let bitmap = try await origin.bitmap("bl:\(sigma)", "/s")
        #expect(abs(Double(bitmap.pixel(15, 15)[0]) / 255 - peak) < 0.03)
        let sum = (0..<31).reduce(0) { $0 + bitmap.pixel($1, 15)[0] }
        #expect(abs(sum - 255) < 12)
    }

    @Test(arguments: [
        ("t:10", [8, 5]), ("t:10:ffffff", [20, 12]), ("t:10:000000", [8, 5]), ("t:10::1:1", [12, 6]),
        ("t:10::1", [12, 5]), ("t:250", [20, 12]),
    ])
    func `trim removes the border`(options: String, size: [Int]) async throws {
        // Margins: 4 left, 8 right, 3 above, 4 below.
        let source = try Bitmap.drawn(20, 12) { x, y in
            (4..<12).contains(x) && (3..<8).contains(y) ? [200, 10 + x, 10 + y] : [3, 0, 0]
        }
        origin.server.serve("/s", try source.encoded(as: .png))
        let bitmap = try await origin.bitmap(options, "/s")
        #expect([bitmap.width, bitmap.height] == size)
        if size == [8, 5] { #expect(bitmap.pixel(0, 0) == [200, 14, 13, 255]) }
    }

    @Test func `trim counts transparent pixels as magenta, and is before all else`() async throws {
        let source = try Bitmap.drawn(30, 30, alpha: .premultiplied) { x, y in
            (10..<20).contains(x) && (5..<25).contains(y) ? [0, 255, 0, 255] : [0, 0, 0, 0]
        }
        origin.server.serve("/s", try source.encoded(as: .png))
        let bitmap = try await origin.bitmap("t:10:ff00ff/rot:90/w:10", "/s")
        #expect(bitmap.size == PixelSize(width: 10, height: 5))
        #expect(bitmap.pixel(0, 0) == [0, 255, 0, 255])
    }

    @Test func `smart gravity finds the interesting part`() async throws {
        let source = try Bitmap.drawn(300, 100) { x, y in
            let isInside = (20..<80).contains(x) && (20..<80).contains(y)
            return isInside && (x / 6 + y / 6) % 2 == 0 ? [255, 40, 0] : [120, 120, 120]
        }
        origin.server.serve("/s", try source.encoded(as: .png))
        let cut = try await origin.bitmap("rs:fill:50:50/g:sm", "/s")
        #expect(cut.size == PixelSize(width: 50, height: 50))
        let red = (0..<50).contains { cut.pixel($0, 25)[0] > 200 }
        #expect(red)
        let crop = try await origin.bitmap("c:100:100:sm", "/s")
        #expect((0..<100).contains { crop.pixel($0, 30)[0] > 200 })
        let east = try await origin.bitmap("rs:fill:50:50/g:ea", "/s")
        #expect(!(0..<50).contains { east.pixel($0, 25)[0] > 200 })
    }

    @Test func `a background is under transparency, white under JPEG`() async throws {
        let source = try Bitmap.drawn(8, 8, alpha: .premultiplied) { x, y in
            x < 4 ? [0, 0, 0, 0] : [0, 0, 255, 255]
        }
        origin.server.serve("/s", try source.encoded(as: .png))
        #expect(try await origin.bitmap("bg:0f0", "/s").pixel(0, 0) == [0, 255, 0, 255])
        #expect(try await origin.bitmap("bl:0", "/s").pixel(0, 0) == [0, 0, 0, 0])
        let jpeg = try await origin.bitmap("q:100", "/s", format: "jpg")
        #expect(jpeg.pixel(0, 0).allSatisfy { $0 > 250 })
        let padded = try await origin.bitmap("pd:2/bg:255:0:0", "/s")
        #expect(padded.pixel(0, 0) == [255, 0, 0, 255])
        #expect(padded.size == PixelSize(width: 12, height: 12))
    }

    @Test func `a watermark is placed, scaled, tiled and translucent`() async throws {
        var origin = origin
        let mark = try Bitmap.drawn(4, 2) { _, _ in [255, 0, 0] }
        origin.responses.watermark = .data(Data(try mark.encoded(as: .png)))
        origin.server.serve("/s", try Bitmap.drawn(20, 20) { _, _ in [0, 0, 0] }.encoded(as: .png))
        let corner = try await origin.bitmap("wm:1:soea:1:2", "/s")
        #expect(corner.pixel(15, 16) == [255, 0, 0, 255] && corner.pixel(18, 17) == [255, 0, 0, 255])
        #expect(
            corner.pixel(14, 16)[0] == 0 && corner.pixel(19, 17)[0] == 0 && corner.pixel(15, 18)[0] == 0)
        #expect(try await origin.bitmap("wm:0.5:nowe", "/s").pixel(0, 0) == [128, 0, 0, 255])
        let hanging = try await origin.bitmap("wm:1:nowe:-2:0", "/s")
        #expect(hanging.pixel(1, 0)[0] == 255 && hanging.pixel(2, 0)[0] == 0)
        let tiled = try await origin.bitmap("wm:1:re:6:8", "/s")
        // One is in the centre, at 8, 10.
        #expect(
            [0, 1, 8, 11, 18, 19].allSatisfy {
                tiled.pixel($0, 0)[0] == 255 && tiled.pixel($0, 10)[0] == 255
            })
        #expect(tiled.pixel(2, 0)[0] == 0 && tiled.pixel(12, 10)[0] == 0 && tiled.pixel(8, 2)[0] == 0)
        let scaled = try await origin.bitmap("wm:1:nowe:0:0:0.5", "/s")
        #expect(scaled.pixel(9, 4)[0] == 255 && scaled.pixel(10, 0)[0] == 0 && scaled.pixel(0, 5)[0] == 0)
        // Without a setting there is none.
        origin.responses.watermark = nil
        #expect(try await origin.bitmap("wm:1:nowe", "/s").pixel(0, 0)[0] == 0)
    }
}
