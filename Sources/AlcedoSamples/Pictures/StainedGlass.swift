import AlcedoPixels
import Foundation

/// Voronoi cells as glass in lead, with light behind it.
func stainedGlass(_ size: PixelSize, seed: Int, cells: Float, glass: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    let aspect = Float(size.width) / Float(size.height)
    let centre = Point(aspect * (0.35 + 0.3 * noise.uniform(1)), 0.35 + 0.2 * noise.uniform(2))
    return try paint(size) { point in
        let scaled = point * cells
        let base = scaled.rounded(.down)
        var (nearest, second): (Float, Float) = (9, 9)
        var (nearestSite, secondSite, cell) = (Point.zero, Point.zero, Point.zero)
        for down in -1...1 {
            for right in -1...1 {
                let here = base + Point(Float(right), Float(down))
                let site = here + 0.12 + 0.76 * noise.pair(Int(here.x), Int(here.y))
                let offset = site - scaled
                let distance = offset.dot(offset)
                if distance < nearest {
                    (second, secondSite) = (nearest, nearestSite)
                    (nearest, nearestSite, cell) = (distance, site, here)
                } else if distance < second {
                    (second, secondSite) = (distance, site)
                }
            }
        }
        let edge = (second - nearest) / max((secondSite - nearestSite).length * 2, 0.001)
        let random = noise.pair(Int(cell.x) + 500, Int(cell.y))
        let swirl = ((nearestSite / cells - centre).length * 1.1 + (random.x - 0.5) * 0.35)
        let streaks = noise.layered(scaled * 1.4 + random * 40, 4)
        let light = 1.15 - 0.55 * (point - centre).length + 0.22 * streaks - 0.25 * smooth(0.3, 0, edge)
        let bevel = (scaled - nearestSite).dot(Point(-0.5, -0.7)) * 0.16
        let pane = glass.around(swirl).lit(light + bevel + (random.y - 0.5) * 0.25)
        let soft = max(cells / Float(size.height), 0.01)
        let lead = Colour(0x14151A).lit(1 + 1.6 * smooth(0.02, 0, abs(edge - 0.015)))
        return pane.mixed(lead, smooth(0.045 + soft, 0.045 - soft, edge))
    }
}
