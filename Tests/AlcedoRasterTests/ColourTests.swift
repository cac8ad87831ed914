import AlcedoPixels
import AlcedoRaster
import Testing

struct `Flattening` {
    private let orange = RasterColor(red: 1, green: 0.5, blue: 0)

    @Test(arguments: [1, 2, 7])
    func `flattening composites with rounding to the nearest`(width: Int) throws {
        let source = try Bitmap.noise(width, 301, alpha: .premultiplied)
        let result = try source.flattened(onto: orange)
        #expect(result.alpha == .opaque)
        let ground = [0.0, 128, 255, 255]
        for (before, after) in zip(source.pixels, result.pixels) {
            let through = Double(255 - before.alpha) / 255
            for channel in 0..<4 {
                let exact = Double(before.channels[channel]) + ground[channel] * through
                #expect(Double(after.channels[channel]) == exact.rounded())
            }
        }
    }

    @Test func `flattening takes the background for opaque`() throws {
        let source = try Bitmap.make(1, 1, alpha: .premultiplied) { _, _ in .clear }
        var faint = orange
        faint.alpha = 0.2
        #expect(try source.flattened(onto: faint).pixels == [Pixel(blue: 0, green: 128, red: 255)])
    }

    @Test func `flattening returns the bitmap itself if it is opaque`() throws {
        let source = try Bitmap.noise(5, 4)
        #expect(try source.flattened(onto: orange) === source)
    }
}
