import AlcedoPixels
import AlcedoRaster
import Testing

struct `Blending with a ground` {
    private static let grounds: [RasterColor?] = [
        nil, RasterColor(red: 0.8, green: 0.3, blue: 0.1), RasterColor(red: 0, green: 1, blue: 0.5),
        RasterColor(red: 0.2, green: 0.6, blue: 0.4),
        RasterColor(red: 1, green: 0, blue: 0.25, alpha: 0.4),
        RasterColor(red: 1, green: 1, blue: 1), RasterColor(red: 0, green: 0, blue: 0),
    ]

    /// Straight levels, and the alpha that they are multiplied with.
    private func straight(_ pixel: Pixel) -> (SIMD3<Double>, Double) {
        let alpha = Double(pixel.alpha) / 255
        guard alpha > 0 else { return (.zero, 0) }
        return (SIMD3(Double(pixel.red), Double(pixel.green), Double(pixel.blue)) / 255 / alpha, alpha)
    }

    /// The largest difference to the reference in any channel, in levels.
    private func error(_ mode: BlendMode, _ source: Bitmap, _ opacity: Double, _ ground: RasterColor?) throws
        -> Double
    {
        let result = try source.blended(mode, opacity: opacity, over: ground)
        let color = ground.map { SIMD3($0.red, $0.green, $0.blue) } ?? .zero
        var worst = 0.0
        for (before, after) in zip(source.pixels, result.pixels) {
            let (cs, sa) = straight(before)
            let (co, ao) = ReferenceBlending(mode: mode)
                .composite(cs, sa * opacity, on: color, ground?.alpha ?? 0)
            let exact = [co.z, co.y, co.x, ao]
            for channel in 0..<4 {
                worst = max(worst, abs(Double(after.channels[channel]) - exact[channel] * 255))
            }
        }
        return worst
    }

    @Test(arguments: BlendMode.allCases)
    func `blending rounds what the formulas say`(mode: BlendMode) throws {
        let opaque = try Bitmap.noise(16, 9)
        let translucent = try Bitmap.noise(17, 10, alpha: .premultiplied)
        for ground in Self.grounds {
            for opacity in [1, 0.35] {
                #expect(try error(mode, opaque, opacity, ground) < 0.501)
                #expect(try error(mode, translucent, opacity, ground) < 0.501)
            }
        }
    }

    @Test(arguments: BlendMode.allCases)
    func `blending keeps what a bitmap promises of its alpha`(mode: BlendMode) throws {
        for source in [try Bitmap.noise(11, 4), try Bitmap.noise(11, 4, alpha: .premultiplied)] {
            for ground in Self.grounds {
                let result = try source.blended(mode, opacity: 0.8, over: ground)
                #expect(result.isPremultiplied)
                #expect(result.alpha == .premultiplied || result.pixels.allSatisfy { $0.alpha == 255 })
            }
        }
    }

    @Test func `blending is opaque where the operator leaves nothing open`() throws {
        let opaque = try Bitmap.noise(3, 3)
        let translucent = try Bitmap.noise(3, 3, alpha: .premultiplied)
        let ground = RasterColor(red: 1, green: 0, blue: 0)
        #expect(try translucent.blended(.multiply, over: ground).alpha == .opaque)
        #expect(try translucent.blended(.copy, over: ground).alpha == .premultiplied)
        #expect(try opaque.blended(.copy, over: ground).alpha == .opaque)
        #expect(try opaque.blended(.copy, opacity: 0.5, over: ground).alpha == .premultiplied)
        #expect(try opaque.blended(.destinationOut, over: ground).alpha == .premultiplied)
        #expect(try opaque.blended(.normal).alpha == .opaque)
    }

    @Test(arguments: [(Double.nan, 0.0), (-3, 0), (.infinity, 1), (7, 1)])
    func `blending clamps opacity`(given: Double, meant: Double) throws {
        let source = try Bitmap.noise(9, 5)
        let ground = RasterColor(red: 0, green: 0.5, blue: 1)
        #expect(
            try source.blended(.screen, opacity: given, over: ground).pixels
                == source.blended(.screen, opacity: meant, over: ground).pixels)
    }
}
