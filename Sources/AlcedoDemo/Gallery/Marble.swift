import AlcedoPixels
import Foundation

/// Colours drawn through each other, as on marbled paper.
func marble(_ size: PixelSize, seed: Int, scale: Float = 2.2, veins: Float = 3, inks: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    return try paint(size) { place in
        let start = place * scale
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

/// Ink in a warm field, lit from the side: plasma with relief.
func plasma(_ size: PixelSize, seed: Int, colours: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    let phase = noise.dice(1) * 6
    return try paint(size) { place in
        let p = place * 4.2
        let bend = noise.smooth(place * 1.8) * 2.2
        let sum = sinf(p.x + phase + bend) + sinf(p.y * 1.3 - bend) + sinf((p.x + p.y) * 0.8 + phase)
            + sinf(((p - 2.2) * (p - 2.2)).sum().squareRoot() * 1.9 - phase)
        let slope = cosf(p.x + phase + bend) * 0.10 + cosf((p.x + p.y) * 0.8 + phase) * 0.08
        return colours.around(sum * 0.16 + phase).lit(1 + slope)
    }
}
