import AlcedoPixels
import Foundation

/// A Julia set for `constant`, or the Mandelbrot set where it is `nil`; `height` is what the picture spans.
func fractal(
    _ size: PixelSize,
    constant: Point?,
    centre: Point = .zero,
    height: Float,
    colours: Ramp,
    pace: Float = 0.05
) throws -> Bitmap {
    let aspect = Float(size.width) / Float(size.height)
    return try paint(size, samples: 2) { place in
        let start = centre + (place - Point(aspect / 2, 0.5)) * height
        var z = constant == nil ? .zero : start
        let c = constant ?? start
        var (count, trap): (Int, Float) = (0, 4)
        while count < 220 {
            let squares = z * z
            let norm = squares.x + squares.y
            if norm > 64 { break }
            trap = min(trap, norm)
            z = Point(squares.x - squares.y, 2 * z.x * z.y) + c
            count += 1
        }
        guard count < 220 else { return colours[0].lit(0.12 + 0.9 * trap.squareRoot()) }
        let exact = Float(count) + 1 - log2f(log2f(z.length) / 3)
        let glow = expf(-trap * 6)
        return colours.around(sqrtf(max(exact, 0)) * pace * 4).lit(0.8 + 0.2 * sinf(exact * 0.7)).glowing(colours[1], glow * 0.25)
    }
}
