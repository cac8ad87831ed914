import AlcedoPixels
import AlcedoRaster
import Testing

struct `Borders and edited pixels` {
    private let red = RasterColor(red: 1, green: 0, blue: 0)
    private let redPixel = Pixel(blue: 0, green: 0, red: 255)

    @Test func `a square border covers its width and nothing else`() throws {
        let source = try Bitmap.noise(30, 20)
        let result = try source.bordered(red, lineWidth: 3)
        #expect(result.alpha == .opaque)
        for y in 0..<20 {
            for x in 0..<30 {
                let isInside = (3..<27).contains(x) && (3..<17).contains(y)
                #expect(result[x, y] == (isInside ? source[x, y] : redPixel))
            }
        }
    }

    @Test func `a round border leaves what is outside of it`() throws {
        let source = try Bitmap.noise(40, 40)
        let result = try source.bordered(red, lineWidth: 2, radii: CornerRadii(topLeft: 12))
        #expect(result[0, 0] == source[0, 0] && result[2, 2] == source[2, 2])
        #expect(result[39, 0] == redPixel && result[39, 39] == redPixel && result[0, 39] == redPixel)
        #expect(result[0, 20] == redPixel && result[1, 20] == redPixel && result[2, 20] == source[2, 20])
        #expect(result[20, 20] == source[20, 20])
    }

    @Test func `a translucent border lets the picture through, and half a pixel is half seen`() throws {
        let white = try Bitmap.flat(10, 10, alpha: .opaque, Pixel(grey: 255))
        let half = RasterColor(red: 0, green: 0, blue: 0, alpha: 0.5)
        let result = try white.bordered(half, lineWidth: 2)
        #expect(result[0, 5].distance(to: Pixel(grey: 127)) <= 1)
        let thin = try white.bordered(RasterColor(red: 0, green: 0, blue: 0), lineWidth: 0.5)
        #expect(thin[0, 5].distance(to: Pixel(grey: 127)) <= 2 && thin.alpha == .opaque)
        #expect(thin[0, 5].alpha == 255)
    }

    @Test(arguments: [5, 7, 1e9, .infinity])
    func `a border of half the picture covers it`(width: Double) throws {
        let source = try Bitmap.noise(20, 10)
        #expect(try source.bordered(red, lineWidth: width).isFlat(redPixel))
    }

    @Test(arguments: [0, -1, Double.nan])
    func `a border without a width is no change`(width: Double) throws {
        let source = try Bitmap.noise(4, 4)
        #expect(try source.bordered(red, lineWidth: width) === source)
    }

    @Test func `a border copes with one pixel and with endless radii`() throws {
        #expect(try Bitmap.noise(1, 1).bordered(red, lineWidth: 4).isFlat(redPixel))
        for radius in [Double.infinity, .nan, -5] {
            let result = try Bitmap.noise(30_000, 1).bordered(red, lineWidth: 4, radii: CornerRadii(radius))
            #expect(result[15_000, 0].red == 255)
        }
        #expect(throws: CodecError.self) { try Bitmap.noise(40_000, 1).bordered(red, lineWidth: 1) }
    }

    @Test func `editing pixels changes a copy`() throws {
        let source = try Bitmap.noise(5, 3)
        let before = source.pixels
        let result = try source.edited { pixels in
            for index in pixels.indices { pixels[index].x = 255 - pixels[index].x }
        }
        #expect(source.pixels == before && result.alpha == .opaque)
        for (one, other) in zip(before, result.pixels) {
            #expect(other == Pixel(blue: 255 - one.blue, green: one.green, red: one.red))
        }
        #expect(try source.edited(alpha: .premultiplied) { $0[0] = .zero }.pixels[0] == .clear)
    }
}
