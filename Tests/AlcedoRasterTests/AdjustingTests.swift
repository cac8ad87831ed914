import AlcedoPixels
import AlcedoRaster
import Glibc
import Testing

struct `Adjusting colours` {
    private func linear(_ level: Double) -> Double {
        let c = level / 255
        return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)
    }

    private func encoded(_ light: Double) -> Double {
        let light = max(0, min(light, 1))
        return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }

    /// Blue, green and red levels, one step after the other.
    private func reference(_ levels: [Double], _ controls: ColorControls) -> [Double] {
        let lights = levels.map(linear)
        let luma = 0.0722 * lights[0] + 0.7152 * lights[1] + 0.2126 * lights[2]
        return lights.map { light in
            var light = luma + (light - luma) * controls.saturation
            light += controls.brightness
            light = (light - 0.5) * controls.contrast + 0.5
            return encoded(light * pow(2, controls.exposure))
        }
    }

    private static let controls = [
        ColorControls(brightness: 0.1), ColorControls(brightness: -0.3), ColorControls(contrast: 1.3),
        ColorControls(contrast: -1), ColorControls(exposure: 1), ColorControls(exposure: -2.5),
        ColorControls(saturation: 0), .blackAndWhite, ColorControls(saturation: 1.6),
        ColorControls(saturation: -1), ColorControls(saturation: 0, exposure: 5),
        ColorControls(brightness: 0.05, contrast: 0.9, saturation: 0.4, exposure: 0.3),
    ]

    @Test(arguments: controls)
    func `adjusting colours follows the formulas in linear light`(controls: ColorControls) throws {
        let source = try Bitmap.noise(50, 40)
        let result = try source.adjusted(controls)
        #expect(result.alpha == .opaque)
        var sum = 0.0
        for (before, after) in zip(source.pixels, result.pixels) {
            let exact = reference(before.channels[..<3].map(Double.init), controls)
            for channel in 0..<3 {
                let difference = abs(Double(after.channels[channel]) - exact[channel])
                #expect(difference < 1)
                sum += difference
            }
        }
        // Rounding alone makes a quarter.
        #expect(sum / Double(source.size.area * 3) < 0.27)
    }

    @Test(arguments: controls)
    func `adjusting colours leaves alpha, and undoes its multiplication meanwhile`(controls: ColorControls)
        throws
    {
        let source = try Bitmap.noise(50, 40, alpha: .premultiplied)
        let result = try source.adjusted(controls)
        #expect(result.alpha == .premultiplied && result.isPremultiplied)
        for (before, after) in zip(source.pixels, result.pixels) {
            #expect(before.alpha == after.alpha)
            let alpha = Double(before.alpha)
            guard alpha > 0 else { continue }
            // From a level that was rounded once, like the one that is computed with.
            let straight = before.channels[..<3].map { min(255, (Double($0) * 255 / alpha).rounded()) }
            let exact = reference(straight, controls)
            for channel in 0..<3 {
                #expect(abs(Double(after.channels[channel]) - exact[channel] * alpha / 255) < 1.6)
            }
        }
    }

    @Test func `adjusting colours leaves greys grey whatever the saturation`() throws {
        let source = try Bitmap.make(256, 1) { x, _ in Pixel(grey: UInt8(x)) }
        for saturation in [0, 0.5, 1.5, -2] {
            #expect(try source.adjusted(ColorControls(saturation: saturation)).pixels == source.pixels)
        }
    }

    @Test func `adjusting colours returns the bitmap itself where nothing changes`() throws {
        let source = try Bitmap.noise(5, 4)
        #expect(try source.adjusted(ColorControls()) === source)
        let unknown = ColorControls(brightness: .nan, contrast: .nan, saturation: .nan, exposure: .nan)
        #expect(try source.adjusted(unknown) === source)
    }

    @Test(arguments: [Double.infinity, -.infinity, 1e300, -1e300])
    func `adjusting colours copes with endless numbers`(number: Double) throws {
        let source = try Bitmap.noise(16, 16, alpha: .premultiplied)
        for controls in [
            ColorControls(brightness: number), ColorControls(contrast: number),
            ColorControls(saturation: number), ColorControls(exposure: number),
            ColorControls(brightness: number, contrast: number, saturation: number, exposure: number),
        ] {
            #expect(try source.adjusted(controls).isPremultiplied)
        }
        #expect(
            try Bitmap.noise(4, 4).adjusted(ColorControls(brightness: .infinity)).isFlat(Pixel(grey: 255)))
    }
}

struct `Overlays and tints` {
    private let amber = RasterColor(red: 1, green: 0.75, blue: 0.1)
    private let glass = RasterColor(red: 1, green: 0.3, blue: 0.1, alpha: 0.4)

    /// Blue, green, red, alpha, multiplied, in levels.
    private func levels(_ color: RasterColor) -> [Double] {
        [color.blue, color.green, color.red, 1].map { $0 * color.alpha * 255 }
    }

    @Test(arguments: [0, 0.1, 0.3, 0.5, 0.77, 0.999])
    func `an overlay mixes inside the picture's alpha`(fraction: Double) throws {
        for color in [amber, glass] {
            let source = try Bitmap.noise(31, 21, alpha: .premultiplied)
            let result = try source.overlaid(with: color, fraction: fraction)
            #expect(result.isPremultiplied)
            for (before, after) in zip(source.pixels, result.pixels) {
                for channel in 0..<4 {
                    let share = levels(color)[channel] * Double(before.alpha) / 255
                    let exact = Double(before.channels[channel]) * fraction + share * (1 - fraction)
                    #expect(abs(Double(after.channels[channel]) - exact) < 0.52)
                }
            }
        }
    }

    @Test func `an overlay of nothing is the colour, and of everything the picture`() throws {
        let source = try Bitmap.noise(7, 5)
        let yellow = RasterColor(red: 1, green: 1, blue: 0)
        for fraction in [0, -4, Double.nan, -Double.infinity] {
            let solid = try source.overlaid(with: yellow, fraction: fraction)
            #expect(solid.alpha == .opaque && solid.isFlat(Pixel(blue: 0, green: 255, red: 255)))
        }
        #expect(try source.overlaid(with: yellow, fraction: 1) === source)
        #expect(try source.overlaid(with: yellow, fraction: .infinity) === source)
        #expect(try source.overlaid(with: glass, fraction: 0.2).alpha == .premultiplied)
    }

    @Test func `a tint is composited over all of the picture`() throws {
        for source in [try Bitmap.noise(31, 21, alpha: .premultiplied), try Bitmap.noise(3, 3)] {
            let result = try source.tinted(with: glass)
            #expect(result.isPremultiplied && result.alpha == source.alpha)
            for (before, after) in zip(source.pixels, result.pixels) {
                for channel in 0..<4 {
                    let exact = levels(glass)[channel] + Double(before.channels[channel]) * 0.6
                    // The colour and what it lets through are rounded apart.
                    #expect(abs(Double(after.channels[channel]) - exact) <= 1)
                }
            }
        }
    }

    @Test func `an opaque tint is all that is left, a clear one is nothing`() throws {
        let source = try Bitmap.noise(31, 21, alpha: .premultiplied)
        let red = try source.tinted(with: RasterColor(red: 1, green: 0, blue: 0))
        #expect(red.alpha == .opaque && red.isFlat(Pixel(blue: 0, green: 0, red: 255)))
        #expect(try source.tinted(with: RasterColor(red: 1, green: 0, blue: 0, alpha: 0)) === source)
    }
}
