import AlcedoPixels
import Foundation

/// A field of triangles, each one colour, lit as if folded from paper.
func lowPoly(_ size: PixelSize, seed: Int, cells: Float, colours: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    @Sendable func corner(_ x: Int, _ y: Int) -> Point {
        Point(Float(x), Float(y)) + 0.7 * (noise.pair(x, y) - 0.5)
    }
    @Sendable func side(_ p: Point, _ a: Point, _ b: Point) -> Float {
        (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)
    }
    @Sendable func colour(_ a: Point, _ b: Point, _ c: Point) -> Colour {
        let middle = (a + b + c) / (3 * cells)
        let (ha, hb, hc) = (noise.smooth(a * 0.35), noise.smooth(b * 0.35), noise.smooth(c * 0.35))
        let (u, v, du, dv) = (b - a, c - a, hb - ha, hc - ha)
        let area = u.x * v.y - u.y * v.x
        let slope = Point(du * v.y - dv * u.y, dv * u.x - du * v.x) / (abs(area) < 0.05 ? 0.05 : area)
        let tone = 0.42 * (middle.x * 0.55 + middle.y) + 0.2 + noise.layered(middle * 1.5, 2) * 0.45
        return colours.at(tone).lit(1 + clamp(slope.dot(Point(-0.5, -0.65)), -0.45, 0.45) * 0.8)
    }
    return try paint(size, samples: 2) { point in
        let scaled = point * cells
        let (left, top) = (Int(scaled.x.rounded(.down)), Int(scaled.y.rounded(.down)))
        for y in (top - 1)...(top + 1) {
            for x in (left - 1)...(left + 1) {
                let (a, b, c, d) = (corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1))
                let diagonal = side(scaled, a, c)
                if diagonal <= 0, side(scaled, a, b) >= 0, side(scaled, b, c) >= 0 { return colour(a, b, c) }
                if diagonal >= 0, side(scaled, c, d) >= 0, side(scaled, d, a) >= 0 { return colour(a, c, d) }
            }
        }
        return colours.at(0.5)
    }
}
