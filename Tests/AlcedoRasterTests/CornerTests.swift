import AlcedoPixels
import AlcedoRaster
import Testing

struct `Rounding corners` {
    private let white = Pixel(grey: 255)

    private func white(_ width: Int, _ height: Int) throws -> Bitmap {
        try Bitmap.make(width, height) { [white] _, _ in white }
    }

    @Test func `rounding corners clears the corners and leaves the rest`() throws {
        let source = try Bitmap.noise(60, 40)
        let result = try source.roundedCorners(radii: CornerRadii(12))
        #expect(result.alpha == .premultiplied)
        for (x, y) in [(0, 0), (59, 0), (0, 39), (59, 39)] { #expect(result[x, y] == .clear) }
        for y in 0..<40 {
            for x in 0..<60 where (12..<48).contains(x) || (12..<28).contains(y) {
                #expect(result[x, y] == source[x, y])
            }
        }
    }

    @Test(arguments: [1, 5, 7.5, 20, 1000])
    func `rounding corners covers the area of the shape`(radius: Double) throws {
        let result = try white(41, 52).roundedCorners(radii: CornerRadii(radius))
        let area = result.pixels.reduce(0.0) { $0 + Double($1.alpha) / 255 }
        let used = min(radius, 20.5)
        #expect(abs(area - (41 * 52 - (4 - .pi) * used * used)) < 1 + used / 10)
        #expect(result.isPremultiplied)
    }

    @Test(arguments: [9, 77.3, 213.5])
    func `rounding corners covers each pixel by as much as a circle does`(radius: Double) throws {
        let side = Int(radius.rounded(.up))
        let result = try white(2 * side, 2 * side).roundedCorners(radii: CornerRadii(topLeft: radius))
        let steps = 16
        for y in 0..<side {
            for x in 0..<side {
                // Far from the circle all samples agree.
                let middle = (radius - Double(x) - 0.5) * (radius - Double(x) - 0.5)
                let distance = (middle + (radius - Double(y) - 0.5) * (radius - Double(y) - 0.5)).squareRoot()
                var exact = distance < radius ? 255.0 : 0
                if abs(distance - radius) < 1 {
                    var inside = 0
                    for step in 0..<steps * steps {
                        let across = radius - Double(x) - (Double(step % steps) + 0.5) / Double(steps)
                        let down = radius - Double(y) - (Double(step / steps) + 0.5) / Double(steps)
                        let isBeyond =
                            across > 0 && down > 0 && across * across + down * down > radius * radius
                        inside += isBeyond ? 0 : 1
                    }
                    exact = 255 * Double(inside) / Double(steps * steps)
                }
                let difference = abs(Double(result[x, y].alpha) - exact)
                if difference > 12 { Issue.record("off by \(difference) at \(x), \(y)") }
            }
        }
    }

    @Test(arguments: [3, 10.25, 20.5])
    func `rounding corners is symmetric`(radius: Double) throws {
        let result = try white(41, 41).roundedCorners(radii: CornerRadii(radius))
        #expect(result.pixels == (try result.oriented(.upMirrored)).pixels)
        #expect(result.pixels == (try result.oriented(.downMirrored)).pixels)
        for (one, other) in zip(result.pixels, try result.oriented(.leftMirrored).pixels) {
            #expect(one.distance(to: other) <= 12)
        }
    }

    @Test func `rounding corners draws the shape that a canvas draws`() throws {
        let result = try white(50, 30).roundedCorners(radii: CornerRadii(9))
        var canvas = try BitmapCanvas(
            size: PixelSize(width: 50, height: 30),
            background: RasterColor(red: 0, green: 0, blue: 0, alpha: 0)
        )
        try canvas.fill(
            PixelRect(x: 0, y: 0, width: 50, height: 30),
            color: RasterColor(red: 1, green: 1, blue: 1),
            cornerRadius: 9
        )
        // Cairo's own right and lower corners differ a little from its upper left one.
        let drawn = canvas.finish()
        for (one, other) in zip(result.pixels, drawn.pixels) { #expect(one.distance(to: other) <= 6) }
    }

    @Test func `rounding corners gives each corner its own radius`() throws {
        let radii = CornerRadii(topLeft: 4, topRight: 0, bottomLeft: 15, bottomRight: 8)
        let result = try white(40, 40).roundedCorners(radii: radii)
        #expect(result[39, 0] == white)
        #expect(result[0, 0] == .clear)
        #expect(result[4, 1] == white && result[1, 4] == white)
        #expect(result[3, 37] == .clear && result[36, 36] == white)
        #expect(result[39, 39] == .clear && result[31, 32] == white)
    }

    @Test func `rounding corners shows the background at the corners and stays opaque`() throws {
        let result = try white(30, 30).roundedCorners(
            radii: CornerRadii(10),
            background: RasterColor(red: 1, green: 0, blue: 0)
        )
        #expect(result.alpha == .opaque)
        #expect(result[0, 0] == Pixel(blue: 0, green: 0, red: 255))
        #expect(result[15, 15] == white)
        #expect(result.pixels.allSatisfy { $0.alpha == 255 && $0.red == 255 && $0.blue == $0.green })
    }

    @Test func `rounding corners puts a translucent picture on the background`() throws {
        let source = try Bitmap.make(30, 30, alpha: .premultiplied) { _, _ in
            Pixel(blue: 128, green: 0, red: 0, alpha: 128)
        }
        let red = RasterColor(red: 1, green: 0, blue: 0)
        let result = try source.roundedCorners(radii: CornerRadii(10), background: red)
        #expect(result.alpha == .opaque)
        #expect(result[15, 15] == Pixel(blue: 128, green: 0, red: 127))

        let faint = RasterColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        let translucent = try source.roundedCorners(radii: CornerRadii(10), background: faint)
        #expect(translucent.alpha == .premultiplied)
        #expect(translucent[0, 0] == Pixel(blue: 0, green: 0, red: 128, alpha: 128))
        #expect(translucent[15, 15] == Pixel(blue: 128, green: 0, red: 64, alpha: 192))
        #expect(translucent.isPremultiplied)
    }

    @Test(arguments: [0, -3, -Double.infinity, .nan])
    func `rounding corners returns the bitmap itself if no corner is round`(radius: Double) throws {
        let source = try Bitmap.noise(5, 4)
        #expect(try source.roundedCorners(radii: CornerRadii(radius)) === source)
    }

    @Test(arguments: [(1, 1), (1, 9), (2, 2), (3, 5)])
    func `rounding corners copes with tiny bitmaps`(width: Int, height: Int) throws {
        let result = try white(width, height).roundedCorners(radii: CornerRadii(.infinity))
        #expect(result.isPremultiplied)
        #expect(result.pixels.contains { $0.alpha > 150 })
        #expect(result[0, 0].alpha < 255)
    }
}
