import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

#if canImport(Glibc)
    import Glibc
#endif

struct `The similarity of pictures` {
    @Test(arguments: [(11, 11), (12, 13), (40, 17), (61, 30), (5, 20), (20, 3), (1, 1)])
    func `the similarity of pictures is that of the definition in doubles`(width: Int, height: Int) throws {
        let one = try Self.picture(width, height, seed: 1)
        let other = try Self.changed(one, by: 24, seed: 2)
        let expected = Self.reference(one, other, over: 255)
        let found = try Similarity(to: one).ssim(of: other)
        #expect(abs(found - expected) < 5e-5, "\(found) instead of \(expected)")
        #expect(expected < 0.999)
    }

    @Test func `the similarity of pictures is 1 for equal ones, and less the more they differ`() throws {
        let picture = try Self.picture(48, 40, seed: 3)
        let similarity = try Similarity(to: picture)
        let steps = try [0, 4, 16, 64].map { try similarity.ssim(of: Self.changed(picture, by: $0, seed: 4)) }
        #expect(abs(steps[0] - 1) < 1e-5)
        #expect(steps[0] > steps[1] && steps[1] > steps[2] && steps[2] > steps[3])
    }

    @Test(arguments: [Bitmap.Alpha.premultiplied, .straight])
    func `the similarity of translucent pictures is the lower one of two grounds`(alpha: Bitmap.Alpha) throws
    {
        // White shapes: over white there is nothing to see.
        func shape(_ radius: Int) throws -> Bitmap {
            try Bitmap.make(32, 32, alpha) { x, y in
                let isInside = (x - 16) * (x - 16) + (y - 16) * (y - 16) < radius * radius
                return isInside ? 0xFFFF_FFFF : (alpha == .straight ? 0x00FF_FFFF : 0)
            }
        }
        let found = try Similarity(to: shape(10)).ssim(of: shape(6))
        let expected = try Self.reference(shape(10), shape(6), over: 0)
        #expect(abs(found - expected) < 5e-5 && found < 0.9)
        // A file without alpha shows them over white.
        let flat = try Bitmap.make(32, 32) { _, _ in 0xFFFF_FFFF }
        #expect(try abs(Similarity(to: shape(10)).ssim(of: flat) - 1) < 1e-5)
    }

    /// Smooth shades with noise, so that there is something at every scale.
    static func picture(_ width: Int, _ height: Int, seed: UInt64) throws -> Bitmap {
        var generator = SeededGenerator(seed: seed)
        return try Bitmap.make(width, height) { x, y in
            let shade = 128 + 90 * sin(Double(x) / 7) * cos(Double(y) / 5)
            let levels = (0..<3).map { channel in
                let level = shade + Double(channel * 10) + Double.random(in: -9...9, using: &generator)
                return UInt32(min(255, max(0, level)))
            }
            return 0xFF00_0000 | levels[0] << 16 | levels[1] << 8 | levels[2]
        }
    }

    private static func changed(_ picture: Bitmap, by most: Int, seed: UInt64) throws -> Bitmap {
        var generator = SeededGenerator(seed: seed)
        let bytes = picture.bgra
        return try Bitmap.make(picture.width, picture.height) { x, y in
            let place = (y * picture.width + x) * 4
            let levels = (0..<3).map { channel in
                let level = Int(bytes[place + channel]) + Int.random(in: -most...most, using: &generator)
                return UInt32(min(255, max(0, level)))
            }
            return 0xFF00_0000 | levels[2] << 16 | levels[1] << 8 | levels[0]
        }
    }

    /// The mean over all places of the window, one at a time.
    private static func reference(_ one: Bitmap, _ other: Bitmap, over ground: Double) -> Double {
        let (first, second) = (Plane(one, over: ground), Plane(other, over: ground))
        var weights: [Double] = []
        for y in -5...5 { for x in -5...5 { weights.append(exp(-Double(x * x + y * y) / 4.5)) } }
        let total = weights.reduce(0, +)
        var (sum, count) = (0.0, 0)
        for top in 0...first.height - 11 {
            for left in 0...first.width - 11 {
                var (ma, mb, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
                for index in 0..<121 {
                    let weight = weights[index] / total
                    let a = first.luma[(top + index / 11) * first.width + left + index % 11]
                    let b = second.luma[(top + index / 11) * first.width + left + index % 11]
                    ma += weight * a
                    mb += weight * b
                    aa += weight * a * a
                    bb += weight * b * b
                    ab += weight * a * b
                }
                let (c1, c2) = (0.01 * 255 * 0.01 * 255, 0.03 * 255 * 0.03 * 255)
                let above = (2 * ma * mb + c1) * (2 * (ab - ma * mb) + c2)
                sum += above / ((ma * ma + mb * mb + c1) * (aa - ma * ma + bb - mb * mb + c2))
                count += 1
            }
        }
        return sum / Double(count)
    }

    /// Luma, extended to the side of the window.
    private struct Plane {
        let width: Int
        let height: Int
        var luma: [Double] = []

        init(_ bitmap: Bitmap, over ground: Double) {
            (width, height) = (max(11, bitmap.width), max(11, bitmap.height))
            let bytes = bitmap.bgra.map(Double.init)
            for y in 0..<height {
                for x in 0..<width {
                    let place = (min(y, bitmap.height - 1) * bitmap.width + min(x, bitmap.width - 1)) * 4
                    let alpha = bytes[place + 3] / 255
                    let own = 0.114 * bytes[place] + 0.587 * bytes[place + 1] + 0.299 * bytes[place + 2]
                    luma.append(own * (bitmap.alpha == .straight ? alpha : 1) + ground * (1 - alpha))
                }
            }
        }
    }
}
