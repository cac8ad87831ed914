import AlcedoPixels
import Foundation

/// Overlapping feathers in a kingfisher's colours, from the blue of its back to the orange of its breast.
func plumage(_ size: PixelSize, seed: Int, colours: Ramp = kingfisherColours) throws -> Bitmap {
    let noise = Noise(seed)
    let height = Float(size.height)
    let aspect = Float(size.width) / height
    let lean = (noise.uniform(1) - 0.5) * 0.9
    var painter = Painter(size) { _ in colours.at(0).lit(0.5) }
    let rows = 17
    for row in stride(from: rows, through: -2, by: -1) {
        let columns = Int(aspect * 11) + 4
        for column in -2..<columns {
            let shift = Float(row & 1) * 0.5
            let random = noise.pair(column, row)
            let x = (Float(column) + shift) / 10.5 + (random.x - 0.5) * 0.02
            let base = Point(x, Float(row) / 14 + 0.05 * noise.smooth(Point(x * 2, Float(row) * 0.2)))
            let angle = lean + 0.5 * noise.smooth(base * 1.4 + 9) + (random.y - 0.5) * 0.16
            let tone =
                0.75 * base.y + 0.3 * base.x / aspect + 0.35 * noise.layered(base * 1.2, 2) + (random.x - 0.5)
                * 0.12
            feather(&painter, at: base * height, length: 0.19 * height, angle: angle, colours.at(tone))
        }
    }
    return try painter.bitmap()
}

let kingfisherColours = Ramp(0x06364F, 0x0A6E8A, 0x18B3B8, 0x7FE0D0, 0xF7D9A0, 0xF59A3C, 0xD9571E)

private func feather(_ painter: inout Painter, at root: Point, length: Float, angle: Float, _ colour: Colour)
{
    let tip = Point(0, length).rotated(angle)
    let axis = tip / length
    let across = Point(-axis.y, axis.x)
    func local(_ point: Point) -> Point {
        Point((point - root).dot(across), (point - root).dot(axis)) / length
    }
    func distance(_ point: Point) -> Float {
        let spot = local(point)
        let along = clamp(spot.y, 0, 1)
        let half = 0.30 * sqrtf(max(0, sinf(powf(along, 0.7) * .pi))) + 0.004
        return max(abs(spot.x) - half, spot.y - 1, -spot.y) * length * 0.8
    }
    let middle = root + tip / 2
    painter.fill(around: middle + Point(0, length * 0.03), reach: length * 0.62) { _ in
        Colour(0x021018).alpha(0.35)
    } distance: {
        distance($0 - Point(length * 0.012, length * 0.03))
    }
    painter.fill(around: middle, reach: length * 0.6) { point in
        let spot = local(point)
        let barbs = 0.10 * sinf((spot.y - abs(spot.x) * 1.2) * 95)
        let side: Float = spot.x < 0 ? 0.10 : -0.06
        let quill = smooth(0.012, 0.004, abs(spot.x)) * 0.35
        let rim = smooth(0.72, 1, spot.y) * 0.35
        return colour.lit(0.62 + 0.42 * spot.y + barbs * 0.6 + side).mixed(
            Colour(0xEFFFF6), quill + rim * 0.6)
    } distance: {
        distance($0)
    }
}

/// Large blurred circles of light in two colours.
func bokeh(_ size: PixelSize, seed: Int, background: Ramp, lights: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    let height = Float(size.height)
    let aspect = Float(size.width) / height
    var painter = Painter(size) { place in
        background.at(0.55 * place.y + 0.25 * place.x / aspect + 0.25 * noise.layered(place * 1.3, 3) + 0.1)
    }
    for index in 0..<Int(110 * aspect) {
        let random = noise.pair(index, 7)
        let place = noise.pair(index, 8) * Point(aspect, 1) * 1.1 - 0.05
        let centre = place * height
        let radius = (0.012 + 0.085 * random.x * random.x) * height
        let colour = lights.at(random.y + 0.25 * (place.x / aspect - 0.5))
        let strength = 0.16 + 0.55 * noise.uniform(index, 9) * (1 - random.x * 0.6)
        painter.fill(around: centre, reach: radius * 1.15) { point in
            let edge = (point - centre).length / radius
            return colour.alpha(strength * (0.62 + 0.38 * smooth(0.75, 0.97, edge)))
        } distance: {
            (($0 - centre).length - radius) / (1 + radius * 0.03)
        }
    }
    return try painter.bitmap()
}
