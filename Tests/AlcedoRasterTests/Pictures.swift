import AlcedoPixels

/// A pixel's bytes in memory order.
struct Pixel: Equatable, CustomStringConvertible {
    var blue: UInt8
    var green: UInt8
    var red: UInt8
    var alpha: UInt8

    static let clear = Pixel(blue: 0, green: 0, red: 0, alpha: 0)

    var channels: [UInt8] { [blue, green, red, alpha] }
    var description: String { "\(channels)" }

    init(blue: UInt8, green: UInt8, red: UInt8, alpha: UInt8 = 255) {
        (self.blue, self.green, self.red, self.alpha) = (blue, green, red, alpha)
    }

    /// The same value in all colours, and opaque.
    init(grey: UInt8) { self.init(blue: grey, green: grey, red: grey) }

    /// The largest difference in any channel.
    func distance(to other: Pixel) -> Int {
        zip(channels, other.channels).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
}

extension Bitmap {
    /// Makes a bitmap whose pixel at (x, y) is `pixel(x, y)`.
    static func make(
        _ width: Int,
        _ height: Int,
        alpha: Alpha = .opaque,
        _ pixel: (_ x: Int, _ y: Int) -> Pixel
    ) throws(CodecError) -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: alpha)
        builder.withUnsafeMutableBytes { bytes in
            let places = bytes.bindMemory(to: Pixel.self)
            for y in 0..<height {
                for x in 0..<width { places[y * width + x] = pixel(x, y) }
            }
        }
        return builder.freeze()
    }

    /// Makes a bitmap of one colour, without a call for every pixel.
    static func flat(
        _ width: Int,
        _ height: Int,
        alpha: Alpha = .premultiplied,
        _ pixel: Pixel
    ) throws(CodecError) -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: alpha)
        builder.withUnsafeMutableBytes { $0.bindMemory(to: Pixel.self).update(repeating: pixel) }
        return builder.freeze()
    }

    /// Pixels that no two places nearby have in common; colours never exceed alpha.
    static func noise(_ width: Int, _ height: Int, alpha: Alpha = .opaque) throws(CodecError) -> Bitmap {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return try make(width, height, alpha: alpha) { _, _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let bits = state >> 32
            let opacity = alpha == .opaque ? 255 : bits >> 24 & 255
            func part(_ shift: UInt64) -> UInt8 { UInt8((bits >> shift & 255) * opacity / 255) }
            return Pixel(blue: part(0), green: part(8), red: part(16), alpha: UInt8(opacity))
        }
    }

    /// Concentric rings that get finer outwards, up to the finest that pixels can show at the left and right ends.
    static func zonePlate(_ width: Int, _ height: Int) throws(CodecError) -> Bitmap {
        try make(width, height) { x, y in
            let dx = Double(x) + 0.5 - Double(width) / 2
            let dy = Double(y) + 0.5 - Double(height) / 2
            let phase = (dx * dx + dy * dy) * .pi / Double(width)
            return Pixel(grey: UInt8((127.5 + 127.5 * cosine(phase)).rounded()))
        }
    }

    var pixels: [Pixel] { withUnsafeBytes { Array($0.assumingMemoryBound(to: Pixel.self)) } }

    subscript(x: Int, y: Int) -> Pixel {
        withUnsafeBytes { $0.assumingMemoryBound(to: Pixel.self)[y * width + x] }
    }

    /// Whether every pixel is this one.
    func isFlat(_ pixel: Pixel) -> Bool {
        withUnsafeBytes { $0.assumingMemoryBound(to: Pixel.self).allSatisfy { $0 == pixel } }
    }

    /// Whether no colour byte exceeds its alpha byte.
    var isPremultiplied: Bool {
        pixels.allSatisfy { max($0.blue, $0.green, $0.red) <= $0.alpha }
    }
}
