import AlcedoPixels
import Testing

@testable import AlcedoRaster

struct `Halving` {
    @Test(arguments: [
        PixelSize(width: 4, height: 1), .init(width: 9, height: 5), .init(width: 203, height: 150),
    ])
    func `halving a picture gives the kernel's mean, not brighter or darker on average`(size: PixelSize)
        throws
    {
        let source = try Bitmap.noise(size.width, size.height, alpha: .premultiplied)
        let halver = Halver(source)
        #expect(halver.size == PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2))
        var row = [UInt8](repeating: 0, count: (halver.size.width + 7) * 4)
        var sum = 0.0
        for y in 0..<halver.size.height {
            row.withUnsafeMutableBytes { bytes in
                if let base = bytes.baseAddress { halver.write(row: y, to: base) }
            }
            for x in 0..<halver.size.width {
                let exact = exactMean(source, x, y)
                for channel in 0..<4 {
                    let difference = Double(row[4 * x + channel]) - exact[channel]
                    #expect(abs(difference) <= 1.25)
                    #expect(row[4 * x + channel] <= row[4 * x + 3])
                    sum += difference / 4
                }
            }
        }
        if halver.size.area > 1000 { #expect(abs(sum) / Double(halver.size.area) < 0.03) }
    }

    private func exactMean(_ source: Bitmap, _ x: Int, _ y: Int) -> SIMD4<Double> {
        let columns = Halver.sources(of: x, count: source.width)
        let rows = Halver.sources(of: y, count: source.height)
        var sum = SIMD4<Double>.zero
        for row in 0..<4 {
            for column in 0..<4 {
                let pixel = source[columns[column], rows[row]]
                let channels = SIMD4(pixel.blue, pixel.green, pixel.red, pixel.alpha)
                sum += Halver.kernel[row] * Halver.kernel[column] * SIMD4<Double>(channels)
            }
        }
        return sum
    }

    /// In the middle and at the edges, for even and odd numbers of samples.
    @Test(arguments: [(1600, 400), (1601, 400), (1333, 300), (37, 9), (36, 9), (50, 6), (8, 1)])
    func `halving before a resize is compensated by the filter's taps`(count: Int, outputCount: Int) {
        let exact = LanczosTaps(count: count, extent: Double(count), outputCount: outputCount)
        let halved = exact.halved(count: count)
        for (wanted, sample) in zip(exact.samples, halved.samples) {
            var weights = [Double](repeating: 0, count: count)
            for (index, place) in sample.weights.enumerated() {
                let sources = Halver.sources(of: sample.start + index, count: count)
                for tap in 0..<4 { weights[sources[tap]] += halved.weights[place] * Halver.kernel[tap] }
            }
            #expect(abs(weights.reduce(0, +) - 1) < 1e-9)
            var (error, size) = (0.0, 0.0)
            for (index, place) in wanted.weights.enumerated() {
                weights[wanted.start + index] -= exact.weights[place]
                size += exact.weights[place] * exact.weights[place]
            }
            for weight in weights { error += weight * weight }
            // The outermost samples have fewer to choose from.
            let isInner = wanted.start > 0 && wanted.start + wanted.weights.count < count
            let bound = isInner ? 0.026 : 0.08
            #expect(error < size * bound * bound)
        }
    }

    @Test(arguments: [(4, 4), (5, 7), (8, 8)])
    func `halving before a resize changes a picture by less than is seen`(across: Int, down: Int) throws {
        let waves = try Bitmap.make(203, 150) { x, y in
            Pixel(grey: UInt8((127.5 + 120 * cosine(Double(x + 2 * y) / 20)).rounded()))
        }
        #expect(try error(waves, across, down) < 0.6)
        #expect(try error(.noise(203, 150), across, down) < 0.8)
        // Nothing is finer, and nothing shows false patterns as well.
        #expect(try error(.zonePlate(203, 203), across, down) < 1)
    }

    /// Every size that is small, and one whose last pixels are only partly the picture's.
    @Test func `halving before a resize is right at edges that are close together`() throws {
        for width in 4...9 {
            for height in 4...9 {
                let source = try Bitmap.noise(width, height, alpha: .premultiplied)
                let target = PixelSize(width: width / 4, height: height / 4)
                let result = try source.resized(to: target)
                let exact = try ReferenceResampler.resize(source, to: target)
                for (pixel, exact) in zip(result.pixels, exact.pixels) {
                    #expect(distance(pixel, exact) <= 6)
                }
            }
        }
        // A step in the middle of 40.5 columns, which is at 20.25, is in the middle of the result's fifth pixel.
        let step = try Bitmap.make(41, 41) { x, _ in Pixel(grey: x < 20 ? 0 : x == 20 ? 192 : 255) }
        let result = try step.resized(to: PixelSize(width: 9, height: 9), from: (40.5, 40.5))
        #expect(abs(Int(result[4, 4].green) - 127) <= 3)
        #expect(abs(Int(result[3, 4].green) + Int(result[5, 4].green) - 255) <= 3)
    }

    private func distance(_ one: Pixel, _ other: Pixel) -> Int {
        let pairs = [
            (one.blue, other.blue), (one.green, other.green), (one.red, other.red), (one.alpha, other.alpha),
        ]
        return pairs.map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// The root of the mean square of what differs from exact arithmetic.
    private func error(_ source: Bitmap, _ across: Int, _ down: Int) throws -> Double {
        let target = PixelSize(width: source.width / across, height: source.height / down)
        let result = try source.resized(to: target)
        let exact = try ReferenceResampler.resize(source, to: target)
        let squares = zip(result.pixels, exact.pixels).map { pixel, exact in
            (Double(pixel.green) - Double(exact.green)) * (Double(pixel.green) - Double(exact.green))
        }
        return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    }
}
