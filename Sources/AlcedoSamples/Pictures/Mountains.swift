import AlcedoPixels
import Foundation

/// Mountain ridges in the mist with a sun or moon, stars, and an optional lake.
func mountains(_ size: PixelSize, seed: Int, mood: LandscapeMood, lake: Bool = false) throws -> Bitmap {
    let noise = Noise(seed)
    let aspect = Float(size.width) / Float(size.height)
    let unit = 1 / Float(size.height)
    let layers = 6
    let water: Float = lake ? 0.74 : 2
    let ridges: [[Float]] = (0..<layers).map { layer in
        let depth = Float(layer) / Float(layers - 1)
        let rough = 0.20 + 0.14 * noise.uniform(9) - 0.08 * depth
        return (0..<size.width).map { column in
            let x = Float(column) * unit * (1.1 + 1.5 * depth) + Float(layer) * 31.7
            let crag = 1 - abs(noise.layered(Point(x, Float(layer) * 9.1), 7)) * 2.2
            let hill = noise.layered(Point(x * 0.6, 50 + Float(layer)), 3)
            return 0.46 + (lake ? 0.25 : 0.42) * depth - rough * crag * (0.45 + hill * 0.5)
        }
    }
    let tops = ridges.map { $0.min() ?? 0 }
    let sun = Point(aspect * (0.3 + 0.4 * noise.uniform(1)), 0.26 + 0.12 * noise.uniform(2))

    @Sendable func sky(_ point: Point) -> Colour {
        var colour = mood.sky.at(point.y / 0.62)
        let distance = (point - sun).length
        let streak = noise.layered(Point(point.x * 1.7, point.y * 9), 4)
        colour = colour.mixed(mood.cloud, smooth(0.05, 0.5, streak) * 0.55 * smooth(0.02, 0.3, point.y))
        if mood.stars > 0 {
            let cell = (point * 70).rounded(.down)
            let random = noise.pair(Int(cell.x), Int(cell.y) + 999)
            let star = (point * 70 - cell - 0.2 - random * 0.6).length
            let brightness = noise.uniform(Int(cell.x) + 77, Int(cell.y))
            let size = max(0.05 + 0.07 * brightness, unit * 50)
            let twinkle = smooth(size, 0, star) * smooth(0.72, 1, brightness) * smooth(0.5, 0.05, point.y)
            colour = colour.glowing(Colour(0xFFFFFF), twinkle * mood.stars)
        }
        colour = colour.glowing(mood.sun, 0.65 * expf(-distance * 5) + 0.5 * expf(-distance * 18))
        return colour.mixed(mood.disc, point.y < 0 ? 0 : smooth(0.046 + unit, 0.046 - unit, distance))
    }
    @Sendable func scene(_ point: Point) -> Colour {
        let column = min(max(Int(point.x / unit), 0), size.width - 1)
        // Skips points that a nearer ridge hides.
        let nearest = (0..<layers).last { point.y > tops[$0] && point.y - ridges[$0][column] >= unit / 2 }
        var colour = nearest == nil ? sky(point) : .zero
        for layer in (nearest ?? 0)..<layers where point.y > tops[layer] - unit {
            let below = point.y - ridges[layer][column]
            guard below > -unit else { continue }
            let depth = Float(layer) / Float(layers - 1)
            let rock = mood.far.mixed(mood.near, depth)
            let mist = mood.mist.mixed(rock, 0.25 + 0.6 * depth)
            let near = smooth(0.5, 0, abs(point.x - sun.x)) * (1 - depth) * 0.12
            let body = rock.mixed(mist, smooth(0, 0.22, point.y - tops[layer] - 0.03)).glowing(mood.sun, near)
            colour = colour.mixed(body, clamp(below / unit + 0.5))
        }
        return colour
    }
    return try paint(size) { point in
        guard point.y > water else { return scene(point) }
        let depth = (point.y - water) / (1 - water)
        let wave = noise.smooth(Point(point.x * 14, point.y * 190 / (0.35 + depth))) * (0.002 + 0.016 * depth)
        let mirrored = Point(point.x + wave * 0.4, water - (point.y - water) * 1.35 + wave)
        let glitter = smooth(0.16, 0, abs(point.x - sun.x)) * smooth(0.001, 0.009, wave)
        return scene(mirrored).lit(0.88).mixed(mood.near, 0.08 + 0.10 * depth)
            .glowing(mood.sun, glitter * 1.6 + max(wave, 0) * 3)
    }
}

struct LandscapeMood: Sendable {
    var sky: Ramp
    var cloud: Colour
    var sun: Colour
    var disc: Colour
    var far: Colour
    var near: Colour
    var mist: Colour
    var stars: Float = 0

    static let dusk = LandscapeMood(
        sky: Ramp(0x1B2A5A, 0x54407F, 0xC0607E, 0xF49B6A, 0xFBD08B),
        cloud: Colour(0xF3A07E), sun: Colour(0xFF9A4A), disc: Colour(0xFFF3CF),
        far: Colour(0xC7798A), near: Colour(0x151431), mist: Colour(0xF2B28F), stars: 0.7
    )
    static let dawn = LandscapeMood(
        sky: Ramp(0x6FA3CF, 0xA6C8DF, 0xF6DDC8, 0xFFE7BE),
        cloud: Colour(0xFFF4E6), sun: Colour(0xFFC27A), disc: Colour(0xFFFBEA),
        far: Colour(0x9DBBCB), near: Colour(0x1F3B4A), mist: Colour(0xF0E4D8)
    )
    static let night = LandscapeMood(
        sky: Ramp(0x050B1F, 0x0B1D3E, 0x14406A, 0x2B7C8F),
        cloud: Colour(0x1C4A70), sun: Colour(0x5C86A8), disc: Colour(0xF4F6E8),
        far: Colour(0x2B6F86), near: Colour(0x040A18), mist: Colour(0x3F8C9C), stars: 1.3
    )
    static let alpine = LandscapeMood(
        sky: Ramp(0x1F66B0, 0x4C97D4, 0xA9D5EE, 0xE9F4F4),
        cloud: Colour(0xFFFFFF), sun: Colour(0x99AABB), disc: Colour(0xFFFFFF),
        far: Colour(0x86B1CC), near: Colour(0x0F3A3A), mist: Colour(0xD5E9EF)
    )
    static let ember = LandscapeMood(
        sky: Ramp(0x2A0F2E, 0x6E1F3F, 0xC8413A, 0xF58B3C, 0xFFD26B),
        cloud: Colour(0xE8603F), sun: Colour(0xFF7A30), disc: Colour(0xFFF0B8),
        far: Colour(0xC2523F), near: Colour(0x1A0A1C), mist: Colour(0xF3924F), stars: 0.5
    )
}
