import AlcedoPixels
import Testing

@testable import AlcedoServer

struct `Placing a box` {
    private let outer = PixelSize(width: 100, height: 60)
    private let inner = PixelSize(width: 21, height: 11)

    private func place(_ gravity: Gravity, dpr: Double = 1, hangsOver: Bool = false) -> [Int] {
        let place = gravity.place(inner, in: outer, dpr: dpr, hangsOver: hangsOver)
        return [place.x, place.y]
    }

    @Test(arguments: [
        (Gravity.Anchor.center, [40, 25]), (.north, [40, 0]), (.south, [40, 49]), (.east, [79, 25]),
        (.west, [0, 25]), (.northEast, [79, 0]), (.northWest, [0, 0]), (.southEast, [79, 49]),
        (.southWest, [0, 49]),
    ])
    func `placing a box follows each gravity`(anchor: Gravity.Anchor, wanted: [Int]) {
        #expect(place(Gravity(anchor)) == wanted)
    }

    @Test func `a box's offsets point to the middle, and right and down from it`() {
        #expect(place(Gravity(.southEast, x: 3, y: 4)) == [76, 45])
        #expect(place(Gravity(.northWest, x: 3, y: 4)) == [3, 4])
        #expect(place(Gravity(.center, x: 3, y: -4)) == [43, 21])
        #expect(place(Gravity(.north, x: -3, y: 4)) == [37, 4])
    }

    @Test func `a box's offsets below one are shares of the outer box`() {
        #expect(place(Gravity(.northWest, x: 0.1, y: 0.125), dpr: 9) == [10, 8])
        #expect(place(Gravity(.center, x: -0.1, y: 0.99)) == [30, 49])
        #expect(place(Gravity(.northWest, x: 1, y: 1.5), dpr: 1) == [1, 2])
    }

    @Test func `placing a box stays inside`() {
        #expect(place(Gravity(.northWest, x: -50, y: 1e300)) == [0, 49])
        #expect(place(Gravity(.focusPoint, x: 0, y: 1)) == [0, 49])
    }

    @Test func `a box's focus point is in its middle`() {
        #expect(place(Gravity(.focusPoint, x: 0.5, y: 0.5)) == [40, 25])
        #expect(place(Gravity(.focusPoint, x: 0.305, y: 0.5)) == [20, 25])
    }

    @Test(arguments: [
        (Gravity(.center), [39, 24], [40, 25]), (Gravity(.center, x: 3, y: -4), [42, 20], [43, 21]),
        (Gravity(.southEast, x: 3, y: 4), [76, 45], [76, 45]),
        (Gravity(.focusPoint, x: 0.305, y: 0.5), [19, 24], [20, 25]),
    ])
    func `placing a box rounds halves in the stored image, whose axes may be reversed`(
        gravity: Gravity, reversed: [Int], plain: [Int]
    ) {
        let place = gravity.place(inner, in: outer, dpr: 1, isReversed: (true, true))
        #expect([place.x, place.y] == reversed)
        #expect(self.place(gravity) == plain)
    }

    @Test func `placing a box may leave all but a pixel of it outside`() {
        #expect(place(Gravity(.northWest, x: -50, y: 1e300), hangsOver: true) == [-20, 59])
        #expect(place(Gravity(.southEast, x: -5, y: 3), hangsOver: true) == [84, 46])
    }

    // MARK: - Watermarks

    private func watermark(_ text: String, file: PixelSize, dpr: Double = 1) throws -> WatermarkLayout {
        let options = try #require(try Reading.options("wm:\(text)").watermark)
        return WatermarkLayout(options: options, image: outer, watermark: file, dpr: dpr)
    }

    @Test func `a watermark keeps its size, or is fitted`() throws {
        let file = PixelSize(width: 200, height: 50)
        #expect(try watermark("1", file: file).size == file)
        #expect(try watermark("1:ce:0:0:0.5", file: file).size == PixelSize(width: 50, height: 13))
        #expect(try watermark("1:ce:0:0:1e300", file: file).size.width > 1_000_000)
        let small = PixelSize(width: 2, height: 3)
        #expect(try watermark("1:ce:0:0:1", file: small).size == PixelSize(width: 40, height: 60))
        #expect(try watermark("1:ce:0:0:1e-9", file: file).size == PixelSize(width: 1, height: 1))
    }

    @Test func `a watermark has a place or is tiled`() throws {
        let file = PixelSize(width: 10, height: 10)
        #expect(
            try watermark("1:soea:-9:2", file: file, dpr: 2).placement == .at(PixelOffset(x: 99, y: 46)))
        #expect(
            try watermark("1:soea:-3:2", file: file, dpr: 2).placement == .at(PixelOffset(x: 96, y: 46)))
        // One is in the centre, at 45, 25 or 46, 26.
        let start = PixelOffset(x: -4, y: -4)
        #expect(try watermark("1:re", file: file).placement == .tiled(start: start, step: file))
        let gaps = PixelSize(width: 16, height: 16)
        #expect(
            try watermark("1:re:3:0.1", file: file, dpr: 2).placement
                == .tiled(start: PixelOffset(x: -2, y: -6), step: gaps))
        #expect(try watermark("1:re:-30:-30", file: file).placement == .tiled(start: start, step: file))
    }
}
