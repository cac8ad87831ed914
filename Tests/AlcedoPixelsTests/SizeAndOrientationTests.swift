import AlcedoPixels
import Testing

struct SizeAndOrientationTests {
    @Test func `an area of pixels that overflows is as large as can be`() {
        #expect(PixelSize(width: 3, height: 4).area == 12)
        #expect(PixelSize(width: .max, height: 2).area == .max)
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 5)])
    func `a side of nothing makes a size in pixels empty`(_ width: Int, _ height: Int) {
        #expect(PixelSize(width: width, height: height).isEmpty)
    }

    @Test(arguments: ImageOrientation.allCases)
    func `four orientations of an image swap the sides`(_ orientation: ImageOrientation) {
        let size = PixelSize(width: 3, height: 2)
        let lies = [ImageOrientation.leftMirrored, .right, .rightMirrored, .left].contains(orientation)
        #expect(orientation.upright(size) == (lies ? PixelSize(width: 2, height: 3) : size))
        #expect(orientation.upright(orientation.upright(size)) == size)
    }
}
