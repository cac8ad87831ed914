import AlcedoPixels
import Foundation

/// Sand with a lit and a shaded side, and the wind's ripples.
func dunes(_ size: PixelSize, seed: Int, sky: Ramp, sand: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    let aspect = Float(size.width) / Float(size.height)
    let unit = 1 / Float(size.height)
    let layers = 5
    let crests: [[Float]] = (0..<layers).map { layer in
        let depth = Float(layer) / Float(layers)
        return (0...size.width).map { column in
            let x = Float(column) * unit * (1.5 - 0.8 * depth) + Float(layer) * 13.1
            let wave = abs(sinf(x * 1.9 + noise.smooth(Point(x * 0.7, Float(layer))) * 2.4))
            return 0.42 + 0.55 * depth * depth + 0.10 * depth - (0.05 + 0.13 * depth) * (1 - wave)
        }
    }
    let sun = Point(aspect * (0.2 + 0.6 * noise.uniform(3)), 0.2)
    return try paint(size) { point in
        let column = min(Int(point.x / unit), size.width - 1)
        let nearest = (0..<layers).last { point.y - crests[$0][column] >= unit / 2 }
        let distance = (point - sun).length
        var colour = sky.at(point.y / 0.45).glowing(Colour(0xFFE0A0), 0.5 * expf(-distance * 6))
        colour = colour.mixed(Colour(0xFFFBEC), smooth(0.055 + unit, 0.055 - unit, distance))
        for layer in (nearest ?? 0)..<layers {
            let below = point.y - crests[layer][column]
            guard below > -unit else { continue }
            let depth = Float(layer) / Float(layers - 1)
            // The edge between light and shade winds down from a crest's peak.
            let bend = noise.smooth(Point(Float(layer) * 5 + point.x, point.y * 4)) * min(below * 1.2, 0.12)
            let shifted = Int((point.x + below * 0.85 + bend) / unit)
            let spot = min(max(shifted, 0), size.width - 1)
            let slope = (crests[layer][spot + 1] - crests[layer][spot]) / unit
            let lean = smooth(-0.02, 0.03 + below * 0.25, slope)
            let warp = noise.smooth(Point(point.x * 3, below * 6 + Float(layer))) * 9
            let ripple = sinf(below * (300 - 170 * depth) + point.x * 40 + warp) * 0.035 * depth
            let fade = smooth(0, 0.45, below)
            let lit = sand.at(0.62 + 0.38 * (1 - fade) + ripple)
            let shade = sand.at(0.10 + 0.25 * fade + ripple * 0.6)
            let body = lit.mixed(shade, lean).mixed(sky.at(1), 0.55 * (1 - depth) * (1 - depth))
            colour = colour.mixed(body, clamp(below / unit + 0.5))
        }
        return colour
    }
}
