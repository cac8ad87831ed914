import AlcedoPixels
import Foundation

/// Interference of circular waves from a few sources.
func waves(_ size: PixelSize, seed: Int, frequency: Float, colours: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    let aspect = Float(size.width) / Float(size.height)
    let sources = (0..<4).map { noise.pair($0, 3) * Point(aspect, 1) * 1.2 - 0.1 }
    return try paint(size) { point in
        var (height, slope) = (Float(0), Point.zero)
        for source in sources {
            let offset = point - source
            let distance = max(offset.length, 0.001)
            let fade = 1 / (1 + distance * 1.4)
            let angle = distance * frequency
            height += sinf(angle) * fade
            slope += offset / distance * cosf(angle) * fade
        }
        let shine = max(0, slope.dot(Point(-0.6, -0.8))) * 0.35
        let sparkle = powf(clamp(slope.dot(Point(-0.5, -0.6)) * 0.6), 4)
        return colours.at(0.5 + height * 0.24).lit(0.85 + shine).glowing(Colour(0xFFFFFF), sparkle * 0.6)
    }
}

/// Truchet tiles: randomly rotated quarter arcs, drawn as ribbons with a rim.
func truchet(_ size: PixelSize, seed: Int, tiles: Float, background: Colour, ribbons: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    let soft = tiles / Float(size.height) * 0.75
    return try paint(size) { point in
        let scaled = point * tiles
        let tile = scaled.rounded(.down)
        var part = scaled - tile
        if noise.uniform(Int(tile.x), Int(tile.y)) < 0.5 { part.x = 1 - part.x }
        let corner = part.x + part.y < 1 ? part : 1 - part
        let off = abs(corner.length - 0.5)
        let ribbon = ribbons.at(0.5 + 0.55 * noise.layered(point * 1.6, 3) + 0.12 * (point.y - 0.5))
        let round = (1 - (off / 0.2) * (off / 0.2)).squareRoot()
        let body = ribbon.lit(0.62 + 0.45 * (round.isNaN ? 0 : round))
        let shadow = background.lit(1 - 0.45 * smooth(0.36, 0.16, off))
        return shadow.mixed(body, smooth(0.19 + soft, 0.19 - soft, off))
            .mixed(Colour(0xFFFFFF), 0.30 * smooth(0.03 + soft, 0.02, off))
    }
}
