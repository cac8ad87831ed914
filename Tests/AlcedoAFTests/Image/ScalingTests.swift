import Alcedo
import AlcedoAF
import AlcedoRaster
import AlcedoTestSupport
import Foundation
import Testing

struct `Scaling an image` {
    private let stripes: Image

    init() throws {
        stripes = Image(bitmap: try AlcedoAFTests.stripes(third: 20, height: 20), scale: 2)
    }

    @Test func `scaling stretches an image to the size in points, at its own scale`() throws {
        let result = stripes.af.imageScaled(to: CGSize(width: 15, height: 40))
        #expect(result.size == CGSize(width: 15, height: 40))
        #expect(result.scale == 2)
        let size = PixelSize(width: 30, height: 80)
        #expect(try result.bitmap().pixels == stripes.bitmap().resized(to: size).pixels)
        #expect(result.af.isOpaque)
    }

    @Test(arguments: [1, 2, 3])
    func `scaling gives the result the requested scale`(scale: CGFloat) throws {
        let size = CGSize(width: 9, height: 6)
        for result in [
            stripes.af.imageScaled(to: size, scale: scale),
            stripes.af.imageAspectScaled(toFit: size, scale: scale),
            stripes.af.imageAspectScaled(toFill: size, scale: scale),
        ] {
            #expect(result.size == size)
            #expect(result.scale == scale)
            #expect(result.pixelSize == PixelSize(width: 9 * Int(scale), height: 6 * Int(scale)))
        }
    }

    @Test func `scaling to fit leaves transparent bars above and below a wide picture`() throws {
        let result = stripes.af.imageAspectScaled(toFit: CGSize(width: 30, height: 20))
        let bitmap = try result.bitmap()
        #expect(result.af.containsAlphaComponent)
        for y in 0..<40 {
            for x in 0..<60 {
                #expect(bitmap[x, y] == ((10..<30).contains(y) ? [red, green, blue][x / 20] : clear))
            }
        }
    }

    @Test func `scaling to fit leaves transparent bars beside a tall picture, which it enlarges`() throws {
        let tall = Image(bitmap: try .make(2, 6) { _, _ in blue })
        let bitmap = try tall.af.imageAspectScaled(toFit: CGSize(width: 12, height: 12)).bitmap()
        for y in 0..<12 {
            for x in 0..<12 { #expect(bitmap[x, y] == ((4..<8).contains(x) ? blue : clear)) }
        }
    }

    @Test(arguments: [
        (PixelSize(width: 100, height: 33), PixelSize(width: 64, height: 64)),
        (PixelSize(width: 33, height: 100), PixelSize(width: 50, height: 20)),
        (PixelSize(width: 1001, height: 667), PixelSize(width: 100, height: 100)),
        (PixelSize(width: 7, height: 5), PixelSize(width: 40, height: 40)),
        (PixelSize(width: 900, height: 7), PixelSize(width: 60, height: 9)),
    ])
    func `scaling to fit covers exactly the middle, its edges in part`(source: PixelSize, target: PixelSize)
        throws
    {
        let white = Image(bitmap: try .make(source.width, source.height) { _, _ in 0xFFFF_FFFF })
        let size = CGSize(width: target.width, height: target.height)
        let bitmap = try white.af.imageAspectScaled(toFit: size).bitmap()
        let factor = min(
            Double(target.width) / Double(source.width), Double(target.height) / Double(source.height))
        func coverage(_ index: Int, _ length: Double, _ frame: Int) -> Double {
            let start = (Double(frame) - length) / 2
            return max(0, min(Double(index + 1), start + length) - max(Double(index), start))
        }
        for y in 0..<target.height {
            for x in 0..<target.width {
                let expected =
                    coverage(x, Double(source.width) * factor, target.width)
                    * coverage(y, Double(source.height) * factor, target.height)
                #expect(abs(Double(bitmap[x, y] >> 24) - expected * 255) <= 2, "\(x), \(y)")
                #expect(bitmap[x, y] >> 24 == bitmap[x, y] & 255)
            }
        }
    }

    @Test func `scaling to fit keeps a ramp where it belongs`() throws {
        let ramp = try Bitmap.make(640, 211) { x, _ in 0xFF00_0000 | UInt32(x * 255 / 640) }
        let result = try Image(bitmap: ramp).af.imageAspectScaled(toFit: CGSize(width: 100, height: 100))
            .bitmap()
        for x in 2..<98 {
            let expected = (Double(x) + 0.5) * 255 / 100 - 0.5
            #expect(abs(Double(result[x, 50] & 255) - expected) <= 1.6, "\(x)")
        }
        // 32.97 rows, from 33.5 on.
        for y in 34..<66 { #expect(result[50, y] >> 24 == 255) }
        #expect((115...135).contains(result[50, 33] >> 24) && (115...135).contains(result[50, 66] >> 24))
    }

    @Test func `scaling to a size of the same shape needs no bars and stays opaque`() {
        #expect(stripes.af.imageAspectScaled(toFit: CGSize(width: 15, height: 5)).af.isOpaque)
    }

    @Test func `scaling to fill shows the middle of a wide picture`() throws {
        let result = stripes.af.imageAspectScaled(toFill: CGSize(width: 10, height: 10))
        #expect(try result.bitmap().pixels == Array(repeating: green, count: 400))
        #expect(result.af.isOpaque)
    }

    @Test(arguments: [
        (PixelSize(width: 90, height: 31), PixelSize(width: 10, height: 10)),
        (PixelSize(width: 31, height: 90), PixelSize(width: 47, height: 12)),
        (PixelSize(width: 13, height: 9), PixelSize(width: 40, height: 40)),
        (PixelSize(width: 64, height: 64), PixelSize(width: 7, height: 3)),
    ])
    func `scaling to fill is the middle of the whole, scaled`(source: PixelSize, target: PixelSize) throws {
        let bitmap = try Bitmap.make(source.width, source.height) { x, y in
            0xFF00_0000 | UInt32(x * 255 / source.width) << 16 | UInt32(y * 255 / source.height) << 8
        }
        let factor = max(
            Double(target.width) / Double(source.width), Double(target.height) / Double(source.height))
        let left = (Double(source.width) - Double(target.width) / factor) / 2
        let top = (Double(source.height) - Double(target.height) / factor) / 2
        let size = CGSize(width: target.width, height: target.height)
        let result = try Image(bitmap: bitmap).af.imageAspectScaled(toFill: size).bitmap()
        // Away from the source's edges, where the filter is cut off, a ramp stays one.
        let inner = Int((3 * max(1, factor)).rounded(.up)) + 1
        for y in 0..<target.height {
            for x in 0..<target.width {
                let column = left + (Double(x) + 0.5) / factor - 0.5
                let row = top + (Double(y) + 0.5) / factor - 0.5
                let pixel = result[x, y]
                if column > 3, column < Double(source.width - 4), x >= inner || left > 6, inner < target.width
                {
                    let red = Double(pixel >> 16 & 255)
                    #expect(abs(red - (column * 255 / Double(source.width) - 0.5)) <= 1.6, "\(x), \(y)")
                }
                if row > 3, row < Double(source.height - 4), inner < target.height {
                    let green = Double(pixel >> 8 & 255)
                    #expect(abs(green - (row * 255 / Double(source.height) - 0.5)) <= 1.6, "\(x), \(y)")
                }
            }
        }
    }

    @Test(arguments: [
        (PixelSize(width: 1001, height: 667), PixelSize(width: 100, height: 100)),
        (PixelSize(width: 37, height: 90), PixelSize(width: 50, height: 31)),
        (PixelSize(width: 400, height: 301), PixelSize(width: 33, height: 77)),
        (PixelSize(width: 3000, height: 20), PixelSize(width: 9, height: 9)),
    ])
    func `scaling to fill keeps the middle in the middle`(source: PixelSize, target: PixelSize) throws {
        // Symmetrical, as the result must be.
        let bitmap = try Bitmap.make(source.width, source.height) { x, y in
            let column = min(x, source.width - 1 - x) * 510 / source.width
            let row = min(y, source.height - 1 - y) * 510 / source.height
            return 0xFF00_0000 | UInt32(min(column, 255)) << 16 | UInt32(min(row, 255)) << 8
        }
        let size = CGSize(width: target.width, height: target.height)
        let result = try Image(bitmap: bitmap).af.imageAspectScaled(toFill: size).bitmap()
        for y in 0..<target.height {
            for x in 0..<target.width {
                let turned = result[target.width - 1 - x, target.height - 1 - y]
                for shift: UInt32 in [8, 16] {
                    let difference = abs(Int(result[x, y] >> shift & 255) - Int(turned >> shift & 255))
                    #expect(difference <= 2, "\(x), \(y)")
                }
            }
        }
    }

    @Test func `scaling to fill with a long strip takes only what is seen`() throws {
        let strip = Image(bitmap: try .make(1, 1_000_001) { _, y in y == 500_000 ? green : red })
        let bitmap = try strip.af.imageAspectScaled(toFill: CGSize(width: 99, height: 9)).bitmap()
        #expect(bitmap.size == PixelSize(width: 99, height: 9))
        #expect(bitmap[50, 4] >> 8 & 255 > 250)
    }

    @Test func `scaling decodes no more than it needs`() throws {
        let photograph = try Image(decoding: Data(Fixture.data("exif-orientation/Landscape_6.jpg")))
        let size = CGSize(width: 150, height: 100)
        for result in [
            photograph.af.imageScaled(to: size),
            photograph.af.imageAspectScaled(toFit: size),
            photograph.af.imageAspectScaled(toFill: size),
        ] { #expect(result.size == size) }
        #expect(!photograph.af.isInflated)
    }

    @Test func `scaling returns the image itself if the result would be too large or the image is damaged`()
        throws
    {
        let endless = CGSize(width: CGFloat.infinity, height: 1)
        for size in [CGSize(width: 1e6, height: 1e6), CGSize(width: 1e300, height: 1), endless] {
            #expect(stripes.af.imageScaled(to: size) === stripes)
            #expect(stripes.af.imageAspectScaled(toFit: size) === stripes)
            #expect(stripes.af.imageAspectScaled(toFill: size) === stripes)
        }
        var bytes = try Fixture.data("pngsuite/png/basn6a08.png")
        bytes[bytes.count / 2] ^= 0xFF
        let damaged = try Image(decoding: Data(bytes))
        let size = CGSize(width: 8, height: 8)
        #expect(damaged.af.imageScaled(to: size) === damaged)
        #expect(damaged.af.imageAspectScaled(toFit: size) === damaged)
        #expect(damaged.af.imageAspectScaled(toFill: size) === damaged)
        #expect(damaged.af.imageRounded(withCornerRadius: 3) === damaged)
    }

    #if DEBUG
        @Test func `scaling an image to a size of nothing is a mistake of the program`() async {
            await #expect(processExitsWith: .failure) {
                _ = Image(bitmap: try .make(1, 1) { _, _ in red }).af.imageScaled(to: .zero)
            }
        }
    #endif
}
