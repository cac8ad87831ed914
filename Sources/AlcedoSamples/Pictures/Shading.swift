import AlcedoPixels
import Foundation

/// Red, green, blue and alpha from 0 to 1, not premultiplied.
typealias Colour = SIMD4<Float>

/// A point or vector; the unit depends on the image.
typealias Point = SIMD2<Float>

extension SIMD4<Float> {
    /// An opaque colour from `0xRRGGBB`.
    init(_ hex: Int) {
        let red = Float((hex >> 16) & 255)
        self = SIMD4(red, Float((hex >> 8) & 255), Float(hex & 255), 255) / 255
    }

    func mixed(_ other: Self, _ share: Float) -> Self { self + (other - self) * share }

    func alpha(_ alpha: Float) -> Self { SIMD4(x, y, z, w * alpha) }

    /// Multiplies the colour channels; alpha stays.
    func lit(_ factor: Float) -> Self { SIMD4(x * factor, y * factor, z * factor, w) }

    /// Adds light of another colour, clamped to white.
    func glowing(_ light: Self, _ amount: Float) -> Self {
        var lit = self + light * amount * (1 - self)
        lit.w = w
        return lit
    }

    /// Composites `top` over this colour, with `coverage` from 0 to 1.
    func under(_ top: Self, _ coverage: Float) -> Self {
        let share = top.w * coverage
        let alpha = share + w * (1 - share)
        guard alpha > 0 else { return .zero }
        var mixed = (top * share + self * (w * (1 - share))) / alpha
        mixed.w = alpha
        return mixed
    }
}

extension SIMD2<Float> {
    var length: Float { (x * x + y * y).squareRoot() }

    func dot(_ other: Self) -> Float { x * other.x + y * other.y }

    func rotated(_ angle: Float) -> Self {
        let (sine, cosine) = (sinf(angle), cosf(angle))
        return SIMD2(x * cosine - y * sine, x * sine + y * cosine)
    }
}

func clamp(_ value: Float, _ low: Float = 0, _ high: Float = 1) -> Float { min(max(value, low), high) }

func smooth(_ from: Float, _ to: Float, _ value: Float) -> Float {
    let share = clamp((value - from) / (to - from))
    return share * share * (3 - 2 * share)
}

func fraction(_ value: Float) -> Float { value - value.rounded(.down) }

/// A gradient of equally spaced colours from 0 to 1.
struct Ramp: Sendable {
    private let stops: [Colour]

    init(_ hexes: Int...) { stops = hexes.map { Colour($0) } }

    subscript(index: Int) -> Colour { stops[index % stops.count] }

    func at(_ position: Float) -> Colour {
        let scaled = clamp(position) * Float(stops.count - 1)
        let index = min(Int(scaled), stops.count - 2)
        return stops[index].mixed(stops[index + 1], scaled - Float(index))
    }

    /// The colour at a position of the cyclic gradient, with a period of 1.
    func around(_ position: Float) -> Colour {
        let scaled = fraction(position) * Float(stops.count)
        let index = min(Int(scaled), stops.count - 1)
        return stops[index].mixed(stops[(index + 1) % stops.count], smooth(0, 1, scaled - Float(index)))
    }
}

/// Creates a bitmap by calling `shade` for every pixel, on all cores.
///
/// `shade` receives a pixel's centre; the unit is the image's height, so `y` runs from 0 to 1.
func paint(
    _ size: PixelSize,
    opaque: Bool = true,
    samples: Int = 1,
    _ shade: @Sendable (Point) -> Colour
) throws -> Bitmap {
    var builder = try PixelBuilder(size: size, alpha: opaque ? .opaque : .premultiplied)
    builder.withUnsafeMutableBytes { bytes in
        // Safe because each band writes to different rows.
        nonisolated(unsafe) let pixels = bytes.bindMemory(to: UInt32.self)
        let unit = 1 / Float(size.height)
        let step = 1 / Float(samples)
        let bands = (size.height + 15) / 16
        DispatchQueue.concurrentPerform(iterations: bands) { band in
            for row in (band * 16)..<min(band * 16 + 16, size.height) {
                for column in 0..<size.width {
                    var sum = Colour.zero
                    for sample in 0..<(samples * samples) {
                        let (right, down) = (Float(sample % samples) + 0.5, Float(sample / samples) + 0.5)
                        let point = Point(Float(column) + right * step, Float(row) + down * step)
                        let colour = shade(point * unit)
                        sum += SIMD4(colour.x * colour.w, colour.y * colour.w, colour.z * colour.w, colour.w)
                    }
                    let grain = opaque ? dither(column, row) : 0
                    pixels[row * size.width + column] = packed(sum * (step * step), grain: grain)
                }
            }
        }
    }
    return builder.freeze()
}

/// Ordered dither noise, which hides banding of 8-bit gradients.
private func dither(_ column: Int, _ row: Int) -> Float {
    fraction(52.982_918 * fraction(0.067_110_56 * Float(column) + 0.005_837_15 * Float(row))) - 0.5
}

private func packed(_ premultiplied: Colour, grain: Float) -> UInt32 {
    let alpha = clamp(premultiplied.w)
    func byte(_ value: Float) -> UInt32 { UInt32(clamp(clamp(value, 0, alpha) * 255 + grain + 0.5, 0, 255)) }
    return byte(premultiplied.z) | byte(premultiplied.y) << 8 | byte(premultiplied.x) << 16
        | UInt32(alpha * 255 + 0.5) << 24
}
