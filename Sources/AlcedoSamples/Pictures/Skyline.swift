import AlcedoPixels
import Foundation

/// A city at night by the water, with lit windows and a moon.
func skyline(_ size: PixelSize, seed: Int, sky: Ramp, glow: Colour) throws -> Bitmap {
    let noise = Noise(seed)
    let aspect = Float(size.width) / Float(size.height)
    let unit = 1 / Float(size.height)
    let (layers, water): (Int, Float) = (4, 0.78)
    let moon = Point(aspect * (0.2 + 0.6 * noise.uniform(5)), 0.2)

    /// The building at `x` in a layer: its left edge, width, roof and number.
    @Sendable func building(_ x: Float, _ layer: Int) -> (left: Float, width: Float, roof: Float, number: Int)
    {
        let pitch = 0.055 + 0.018 * Float(layer)
        let slot = (x / pitch).rounded(.down)
        let number = Int(slot) + layer * 1000
        let middle = 1 - abs((slot + 0.5) * pitch / aspect - 0.5) * 1.3
        let random = noise.uniform(number, 1)
        let tall = random * random * 0.42 * middle + 0.10 * noise.uniform(number, 9)
        let width = pitch * (0.8 + 0.2 * noise.uniform(number, 2))
        return (slot * pitch, width, water - 0.24 + 0.055 * Float(layer) - tall, number)
    }
    @Sendable func heaven(_ point: Point) -> Colour {
        let distance = (point - moon).length
        var colour = sky.at(point.y / water)
        let haze = noise.layered(Point(point.x * 2, point.y * 6), 4)
        colour = colour.mixed(glow, 0.18 * smooth(0, 0.6, haze) + 0.85 * smooth(0.1, 0.75, point.y))
        colour = colour.glowing(Colour(0xBFD4FF), 0.28 * expf(-distance * 9))
        guard distance < 0.05 + unit else { return colour }
        let crater = 0.10 * noise.layered(point * 40, 3)
        return colour.mixed(Colour(0xFDF6E0).lit(0.95 + crater), smooth(0.05 + unit, 0.05 - unit, distance))
    }
    @Sendable func scene(_ point: Point) -> Colour {
        for layer in (0..<layers).reversed() {
            let (left, width, roof, number) = building(point.x, layer)
            let near = Float(layer) / Float(layers - 1)
            let (inside, below) = (point.x - left, point.y - roof)
            let mast = noise.uniform(number, 4) > 0.6 ? 0.05 * noise.uniform(number, 6) : 0
            let isMast = abs(inside - width / 2) < max(unit * 0.8, 0.0012) && below > -mast
            guard inside < width, below > 0 || isMast else { continue }
            let wall = sky[0].mixed(glow, 0.55 * (1 - near)).lit(
                0.75 - 0.3 * near + 0.2 * noise.uniform(number, 3))
            let colour = wall.mixed(glow, 0.28 * smooth(0.1, 0.5, below) * (1 - near * 0.6))
            let grid = Point(inside, below) / Point(0.0105, 0.0150) / (0.8 + 0.35 * near)
            let cell = grid.rounded(.down)
            let part = grid - cell
            let random = noise.pair(Int(cell.x) + number * 64, Int(cell.y) + 40)
            let isWindow = below > 0.008 && inside > 0.004 && width - inside > 0.006
            let busy = noise.uniform(number, 8)
            guard isWindow, random.x < 0.08 + 0.30 * busy * busy else { return colour }
            let soft = max(unit * 60, 0.12)
            let pane =
                smooth(0.2 - soft, 0.2 + soft, part.x) * smooth(0.8 + soft, 0.8 - soft, part.x)
                * smooth(0.2 - soft, 0.2 + soft, part.y) * smooth(0.8 + soft, 0.8 - soft, part.y)
            let lamp = Colour(0xFFC869).mixed(random.y > 0.82 ? Colour(0x9FE3FF) : Colour(0xFFE9B0), random.y)
            return colour.mixed(lamp, pane * (0.7 + 0.3 * random.y) * (0.6 + 0.4 * near))
        }
        return heaven(point)
    }
    return try paint(size) { point in
        guard point.y > water else { return scene(point) }
        let depth = point.y - water
        let wave = noise.layered(Point(point.x * 9, point.y * 120), 2) * (0.004 + depth * 0.10)
        let mirrored = Point(point.x + wave * 0.5, water - depth * 1.3 + wave)
        return scene(mirrored).lit(0.8).mixed(sky[0], 0.2 + depth)
    }
}
