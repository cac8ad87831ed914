import AlcedoPixels
import AlcedoRaster
import Testing

struct `Blurring` {
    /// Box filters straight from their definition, with the outermost samples repeated.
    private func reference(_ source: Bitmap, radius: Double) -> [Double] {
        let deviation = max(2, radius)
        var width = Int((deviation * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down))
        if width % 2 == 0 { width += 1 }
        let passes = radius < 0.5 ? 1 : radius < 1.5 ? 2 : 3
        let (columns, rows) = (source.width, source.height)
        var levels = source.pixels.flatMap { $0.channels.map(Double.init) }
        for isVertical in [true, false] {
            for _ in 0..<passes {
                var next = levels
                for y in 0..<rows {
                    for x in 0..<columns {
                        for channel in 0..<4 {
                            var sum = 0.0
                            for offset in -(width / 2)...width / 2 {
                                let row = isVertical ? max(0, min(rows - 1, y + offset)) : y
                                let column = isVertical ? x : max(0, min(columns - 1, x + offset))
                                sum += levels[(row * columns + column) * 4 + channel]
                            }
                            next[(y * columns + x) * 4 + channel] = sum / Double(width)
                        }
                    }
                }
                levels = next
            }
        }
        return levels
    }

    @Test(
        arguments: [0.3, 1, 1.7, 5, 12.5],
        [(1, 1), (1, 20), (19, 1), (17, 18), (5, 3)])
    func `blurring averages neighbours`(radius: Double, size: (Int, Int)) throws {
        let source = try Bitmap.noise(size.0, size.1, alpha: .premultiplied)
        let result = try source.blurred(radius: radius)
        let exact = reference(source, radius: radius)
        let differences = zip(result.pixels.flatMap(\.channels), exact).map { abs(Double($0) - $1) }
        // Half a level at each of up to six roundings, most of which the next pass averages out.
        #expect(try #require(differences.max()) < 1.6)
        #expect(result.isPremultiplied)
    }

    @Test func `blurring averages many neighbours`() throws {
        let source = try Bitmap.make(300, 1) { x, _ in Pixel(grey: x < 150 ? 3 : 250) }
        for radius in [67.0, 68, 90] {
            let result = try source.blurred(radius: radius)
            let exact = reference(source, radius: radius)
            let differences = zip(result.pixels.flatMap(\.channels), exact).map { abs(Double($0) - $1) }
            #expect(try #require(differences.max()) < 1.6)
        }
    }

    @Test(arguments: [0.4, 3, 50, 200, 1000, 1e300, .infinity])
    func `blurring keeps a flat colour and an opaque bitmap`(radius: Double) throws {
        for grey in [0, 77, 255] as [UInt8] {
            let source = try Bitmap.flat(40, 19, alpha: .opaque, Pixel(grey: grey))
            let result = try source.blurred(radius: radius)
            #expect(result.alpha == .opaque && result.isFlat(Pixel(grey: grey)))
        }
    }

    @Test(arguments: [1.0, 4, 11])
    func `blurring keeps the mean of a picture with a border of one colour`(radius: Double) throws {
        let source = try Bitmap.make(160, 160) { x, y in
            let isInside = (60..<100).contains(x) && (60..<100).contains(y)
            return Pixel(grey: isInside ? UInt8((x * 37 + y * 59) & 255) : 100)
        }
        func mean(_ bitmap: Bitmap) -> Double {
            bitmap.pixels.reduce(0) { $0 + Double($1.green) } / Double(bitmap.size.area)
        }
        #expect(abs(mean(source) - mean(try source.blurred(radius: radius))) < 0.1)
    }

    @Test func `blurring is symmetric and the same along both sides`() throws {
        let source = try Bitmap.noise(47, 47)
        let result = try source.blurred(radius: 3)
        let turned = try source.oriented(.down).blurred(radius: 3).oriented(.down)
        #expect(result.pixels == turned.pixels)
        let onItsSide = try source.oriented(.leftMirrored).blurred(radius: 3).oriented(.leftMirrored)
        for (one, other) in zip(result.pixels, onItsSide.pixels) { #expect(one.distance(to: other) <= 2) }
    }

    @Test(arguments: [(30_000, 1), (1, 30_000)])
    func `blurring copes with long bitmaps`(width: Int, height: Int) throws {
        let source = try Bitmap.flat(width, height, Pixel(blue: 10, green: 20, red: 30, alpha: 40))
        #expect(try source.blurred(radius: 1e9).isFlat(Pixel(blue: 10, green: 20, red: 30, alpha: 40)))
    }

    @Test func `blurring rejects a side of more than a million pixels`() throws {
        let source = try Bitmap.flat((1 << 20) + 1, 1, Pixel(grey: 0))
        #expect(throws: CodecError.self) { try source.blurred(radius: 2) }
    }

    @Test(arguments: [0, -1, -Double.infinity, .nan])
    func `blurring returns the bitmap itself without a radius`(radius: Double) throws {
        let source = try Bitmap.noise(5, 4)
        #expect(try source.blurred(radius: radius) === source)
    }
}
