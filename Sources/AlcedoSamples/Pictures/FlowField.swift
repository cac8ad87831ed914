import AlcedoPixels
import Foundation

/// Brush strokes that follow a current.
func flowField(_ size: PixelSize, seed: Int, background: Colour, inks: Ramp) throws -> Bitmap {
    let noise = Noise(seed)
    let height = Float(size.height)
    let aspect = Float(size.width) / height
    var painter = Painter(size) { background.lit(0.94 + 0.1 * noise.layered($0 * 3, 2)) }
    let strokes = Int(1500 * aspect)
    for stroke in 0..<strokes {
        let share = Float(stroke) / Float(strokes)
        var point = noise.pair(stroke, 1) * Point(aspect + 0.3, 1.3) - 0.15
        let random = noise.pair(stroke, 2)
        let tone = 0.5 + 0.75 * noise.layered(point * 1.1 + 3, 2) + (random.x - 0.5) * 0.35
        let ink = inks.at(tone).lit(0.85 + 0.3 * random.y)
        let width = (0.002 + 0.011 * (1 - share) * random.y) * height
        let steps = 14 + Int(random.x * 26)
        for step in 0..<steps {
            let angle = noise.layered(point * 1.15, 2) * 7 + 0.6
            let next = point + Point(cosf(angle), sinf(angle)) * 0.009
            let taper = sinf(Float(step + 1) / Float(steps + 1) * .pi)
            painter.line(point * height, next * height, width: max(width * taper, 0.8), ink.alpha(0.9))
            point = next
        }
    }
    return try painter.bitmap()
}
