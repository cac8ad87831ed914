import AlcedoPixels
import Foundation

/// Marbled paper.
func marble(_ size: PixelSize, seed: Int, scale: Float = 2.2, veins: Float = 3, inks: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    return try paint(size) { point in
        let start = point * scale
        let first = Point(noise.layered(start, 3), noise.layered(start + 5.2, 3))
        let bent = start + first * 1.9
        let second = Point(noise.layered(bent + 1.7, 3), noise.layered(bent + 9.2, 3))
        let flow = noise.layered(start + second * 2.1, 4)
        let bands = flow * veins + second.x * 0.8
        let crease = abs(fraction(bands * 2.5) - 0.5)
        let line = smooth(0.06, 0, crease) * 0.35
        return inks.around(bands * 0.5 + 0.5).lit(0.92 + 0.3 * first.y - line)
    }
}

/// Layered sheets of coloured paper with wavy edges and shadows.
func paperCut(_ size: PixelSize, seed: Int, colours: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    let sheets: Float = 9
    @Sendable func height(_ point: Point) -> Float {
        let bend = Point(noise.smooth(point * 1.3), noise.smooth(point * 1.3 + 8)) * 0.35
        return (0.5 + 0.85 * noise.layered((point + bend) * 1.5, 2)) * sheets
    }
    return try paint(size, samples: 2) { point in
        let here = height(point)
        let sheet = clamp(here.rounded(.down), 0, sheets - 1)
        let above = height(point + Point(-0.012, -0.018)) - sheet
        let shadow = 0.55 * smooth(0.85, 1.35, above) * (sheet < sheets - 1 ? 1 : 0)
        let rim = smooth(0.07, 0, here - sheet) * (sheet > 0 ? 0.22 : 0)
        let grain = 0.03 * noise.layered(point * 90, 2)
        return colours.at(sheet / (sheets - 1)).lit(1 - shadow + grain).mixed(Colour(0xFFFFFF), rim)
    }
}
