/// Gradient noise in two dimensions, deterministic per seed.
struct Noise: Sendable {
    let seed: UInt32

    init(_ seed: Int) { self.seed = UInt32(truncatingIfNeeded: seed) &* 0x9E37_79B9 }

    /// A hash of a grid point.
    @inline(__always)
    func bits(_ x: Int32, _ y: Int32) -> UInt32 {
        var hash = seed &+ UInt32(bitPattern: x) &* 0x85EB_CA6B &+ UInt32(bitPattern: y) &* 0xC2B2_AE35
        hash = (hash ^ (hash >> 15)) &* 0x2C1B_3C6D
        hash = (hash ^ (hash >> 12)) &* 0x297A_2D39
        return hash ^ (hash >> 15)
    }

    /// White noise from 0 to 1.
    @inline(__always)
    func uniform(_ x: Int, _ y: Int = 0) -> Float {
        Float(bits(Int32(truncatingIfNeeded: x), Int32(truncatingIfNeeded: y)) >> 8) / 16_777_216
    }

    /// Two independent values of white noise from 0 to 1.
    @inline(__always)
    func pair(_ x: Int, _ y: Int) -> Point {
        let bits = bits(Int32(truncatingIfNeeded: x), Int32(truncatingIfNeeded: y))
        return Point(Float(bits & 0xFFFF), Float(bits >> 16)) / 65536
    }

    /// Gradient noise from about -1 to 1, with a period of one unit.
    @inline(__always)
    func smooth(_ point: Point) -> Float {
        let floor = point.rounded(.down)
        let (x, y) = (Int32(floor.x), Int32(floor.y))
        let part = point - floor
        let factor: Point = part * (part * 6 - 15) + 10
        let eased = part * part * part * factor
        let top = slope(x, y, part)
        let topRight = slope(x &+ 1, y, part - Point(1, 0))
        let bottom = slope(x, y &+ 1, part - Point(0, 1))
        let bottomRight = slope(x &+ 1, y &+ 1, part - Point(1, 1))
        let upper = top + (topRight - top) * eased.x
        let lower = bottom + (bottomRight - bottom) * eased.x
        return 1.6 * (upper + (lower - upper) * eased.y)
    }

    /// Fractal noise: octaves of ``smooth(_:)`` with doubled frequency and halved amplitude.
    @inline(__always)
    func layered(_ point: Point, _ layers: Int) -> Float {
        var (sum, weight, point): (Float, Float, Point) = (0, 0.5, point)
        for _ in 0..<layers {
            sum += weight * smooth(point)
            weight *= 0.5
            point = Point(point.x * 1.6 - point.y * 1.2, point.x * 1.2 + point.y * 1.6) + 7.3
        }
        return sum
    }

    @inline(__always)
    private func slope(_ x: Int32, _ y: Int32, _ part: Point) -> Float {
        let bits = bits(x, y)
        return (Float(bits & 0xFFFF) / 32768 - 1) * part.x + (Float(bits >> 16) / 32768 - 1) * part.y
    }
}
