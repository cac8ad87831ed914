import Alcedo

/// A pixel as 0xAARRGGBB, premultiplied.
typealias Pixel = UInt32

let red: Pixel = 0xFFFF_0000
let green: Pixel = 0xFF00_FF00
let blue: Pixel = 0xFF00_00FF
let clear: Pixel = 0

extension Bitmap {
    /// Makes a bitmap whose pixel at (x, y) is `pixel(x, y)`.
    static func make(
        _ width: Int,
        _ height: Int,
        _ alpha: Alpha = .opaque,
        _ pixel: (_ x: Int, _ y: Int) -> Pixel
    ) throws -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: alpha)
        builder.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: Pixel.self)
            for index in pixels.indices { pixels[index] = pixel(index % width, index / width).littleEndian }
        }
        return builder.freeze()
    }

    subscript(x: Int, y: Int) -> Pixel {
        withUnsafeBytes { Pixel(littleEndian: $0.load(fromByteOffset: (y * width + x) * 4, as: Pixel.self)) }
    }

    var pixels: [Pixel] {
        (0..<size.area).map { self[$0 % width, $0 / width] }
    }
}

/// Red on the left, green in the middle and blue on the right, each `third` pixels wide.
func stripes(third: Int, height: Int) throws -> Bitmap {
    try .make(third * 3, height) { x, _ in [red, green, blue][x / third] }
}
