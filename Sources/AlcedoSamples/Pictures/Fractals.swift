import AlcedoPixels
import Foundation

/// A Julia set for `constant`, or the Mandelbrot set for nil; `height` is the height of the image in the complex
/// plane.
///
/// `base` is the number of iterations of the darkest point, and `pace` the change of colour per iteration.
func fractal(
    _ size: PixelSize,
    constant: Point?,
    centre: Point = .zero,
    height: Float,
    colours: Ramp,
    base: Float = 2.6,
    pace: Float = 0.05
) throws -> Bitmap {
    typealias Lanes = SIMD4<Float>
    let (limit, aspect, unit) = (320, Float(size.width) / Float(size.height), height / Float(size.height))
    // Four samples of a pixel are iterated in parallel.
    let (right, down) = (Lanes(-0.25, 0.25, -0.25, 0.25) * unit, Lanes(-0.25, -0.25, 0.25, 0.25) * unit)
    return try paint(size) { point in
        let middle = centre + (point - Point(aspect / 2, 0.5)) * height
        var (x, y) = (middle.x + right, middle.y + down)
        let (cx, cy) = constant.map { (Lanes(repeating: $0.x), Lanes(repeating: $0.y)) } ?? (x, y)
        var (count, trap) = (0, Lanes(repeating: 4))
        var (startX, startY) = (x, y)
        // Eight iterations at a time, until one of the four samples escapes; then each sample is iterated separately.
        while count < limit {
            (startX, startY) = (x, y)
            for _ in 0..<8 { (x, y) = (x * x - y * y + cx, 2 * x * y + cy) }
            let norm = x * x + y * y
            guard norm[0] <= 64, norm[1] <= 64, norm[2] <= 64, norm[3] <= 64 else { break }
            for lane in 0..<4 { trap[lane] = min(trap[lane], norm[lane]) }
            count += 8
        }
        var sum = Colour.zero
        for lane in 0..<4 {
            var (z, rounds) = (Point(startX[lane], startY[lane]), count)
            while rounds < limit, z.dot(z) <= 64 {
                z = Point(z.x * z.x - z.y * z.y + cx[lane], 2 * z.x * z.y + cy[lane])
                rounds += 1
            }
            guard rounds < limit else {
                sum += colours[0].lit(0.12 + 0.9 * trap[lane].squareRoot())
                continue
            }
            let exact = Float(rounds) + 1 - log2f(log2f(z.dot(z)) / 6)
            let tone = sqrtf(max(exact - base, 0)) * pace * 4
            sum += colours.around(tone).lit(0.92 + 0.12 * sinf(exact * 0.7))
        }
        return sum / 4
    }
}
