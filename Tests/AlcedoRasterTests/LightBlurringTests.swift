import AlcedoPixels
import AlcedoRaster
import Glibc
import Testing

struct `Blurring in linear light` {
    /// The linear light of a premultiplied pixel's channels, with its opacity as the last.
    private func lights(of pixel: Pixel) -> [Double] {
        guard pixel.alpha > 0 else { return [0, 0, 0, 0] }
        let opacity = Double(pixel.alpha) / 255
        let colours = [pixel.blue, pixel.green, pixel.red].map { channel in
            let encoded = (Double(channel) / opacity).rounded() / 255
            return opacity * (encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4))
        }
        return colours + [opacity]
    }

    private func pixel(of lights: [Double]) -> Pixel {
        let alpha = (lights[3] * 255).rounded()
        guard alpha > 0 else { return .clear }
        let channels = lights[0..<3].map { light in
            let straight = light / lights[3]
            let encoded = straight <= 0.0031308 ? straight * 12.92 : 1.055 * pow(straight, 1 / 2.4) - 0.055
            return UInt8(((encoded * 255).rounded() * alpha / 255).rounded())
        }
        return Pixel(blue: channels[0], green: channels[1], red: channels[2], alpha: UInt8(alpha))
    }

    /// Weighs the pixels of each column, then those of each row; `weights` are of a pixel and of those on one side.
    private func reference(_ source: Bitmap, weights: [Double]) -> [Pixel] {
        let (columns, rows) = (source.width, source.height)
        let sum = weights[0] + 2 * weights.dropFirst().reduce(0, +)
        var pixels = source.pixels
        for isVertical in [true, false] {
            let input = pixels.map(lights)
            for index in pixels.indices {
                let (x, y) = (index % columns, index / columns)
                var total = [0.0, 0, 0, 0]
                for offset in (1 - weights.count)..<weights.count {
                    let row = isVertical ? max(0, min(rows - 1, y + offset)) : y
                    let column = isVertical ? x : max(0, min(columns - 1, x + offset))
                    for channel in 0..<4 {
                        total[channel] += input[row * columns + column][channel] * weights[abs(offset)] / sum
                    }
                }
                pixels[index] = pixel(of: total)
            }
        }
        return pixels
    }

    @Test func `blurring in linear light keeps each level of a flat colour`() throws {
        for level in 0...255 as ClosedRange<UInt8> {
            let source = try Bitmap.flat(3, 2, alpha: .opaque, Pixel(grey: level))
            #expect(try source.boxBlurredInLight(reach: 1).isFlat(Pixel(grey: level)), "level \(level)")
            #expect(try source.blurredInLight(radius: 3).isFlat(Pixel(grey: level)), "level \(level)")
        }
    }

    @Test(
        arguments: [1, 2, 5, 40],
        [(1, 1), (1, 20), (19, 1), (17, 18), (35, 3)])
    func `blurring in linear light is the mean of the light around a pixel`(reach: Int, size: (Int, Int))
        throws
    {
        let weights = [Double](repeating: 1, count: reach + 1)
        for alpha in [Bitmap.Alpha.opaque, .premultiplied] {
            let source = try Bitmap.noise(size.0, size.1, alpha: alpha)
            let result = try source.boxBlurredInLight(reach: reach)
            #expect(result.alpha == alpha)
            // One level, where light lies between two levels or an opacity between two alphas.
            for (pixel, exact) in zip(result.pixels, reference(source, weights: weights)) {
                #expect(pixel.distance(to: exact) <= 1, "\(alpha)")
            }
        }
    }

    /// As the documentation promises of hard edges between black and white.
    @Test(arguments: [1, 2.5, 8])
    func `blurring in linear light is close to a Gaussian`(radius: Double) throws {
        let source = try Bitmap.make(64, 64) { x, y in Pixel(grey: (x / 16 + y / 16) % 2 == 0 ? 0 : 255) }
        let weights = (0...Int(radius * 5 + 1)).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let distances = zip(
            try source.blurredInLight(radius: radius).pixels, reference(source, weights: weights)
        )
        .map { $0.distance(to: $1) }
        #expect(try #require(distances.max()) <= 16)
        #expect(Double(distances.reduce(0, +)) / Double(distances.count) <= 1.5)
    }

    @Test(arguments: [(30_000, 1), (1, 30_000)])
    func `blurring in linear light takes bitmaps longer than a strip has lines`(width: Int, height: Int)
        throws
    {
        let source = try Bitmap.flat(width, height, alpha: .opaque, Pixel(grey: 90))
        #expect(try source.blurredInLight(radius: 1e9).isFlat(Pixel(grey: 90)))
        #expect(try source.boxBlurredInLight(reach: .max).isFlat(Pixel(grey: 90)))
    }

    @Test func `blurring in linear light rejects a side of more than a million pixels`() throws {
        let source = try Bitmap.flat((1 << 20) + 1, 1, Pixel(grey: 0))
        #expect(throws: CodecError.self) { try source.blurredInLight(radius: 2) }
        #expect(throws: CodecError.self) { try source.boxBlurredInLight(reach: 2) }
    }

    @Test(arguments: [0, -1, -Double.infinity, .nan])
    func `blurring in linear light returns the bitmap itself without a radius`(radius: Double) throws {
        let source = try Bitmap.noise(5, 4)
        #expect(try source.blurredInLight(radius: radius) === source)
        #expect(try source.boxBlurredInLight(reach: 0) === source)
        #expect(try source.boxBlurredInLight(reach: -1) === source)
    }
}
