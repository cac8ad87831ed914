import Alcedo
import AlcedoCodecs
import AlcedoPixels

extension Sample {
    /// An opaque ramp of 16 bits, in a space.
    static func deepBitmap(_ width: Int, _ height: Int, _ space: ColorSpace = .displayP3) throws -> Bitmap {
        let colors = DeepColors(space, DeepColors.sRGB.conversion)
        var pixels = try PixelBuilder(
            size: PixelSize(width: width, height: height), alpha: .opaque, deep: colors)
        pixels.withUnsafeMutableBytes { output in
            let samples = output.bindMemory(to: SIMD4<UInt16>.self)
            for index in samples.indices {
                let (x, y) = (index % width, index / width)
                samples[index] = SIMD4(
                    UInt16(x * 65535 / width), UInt16(y * 65535 / height), UInt16(x * 211 & 0xFFFF), .max)
            }
        }
        return pixels.freeze()
    }

    /// A PNG of it.
    static func deepPNG(_ width: Int, _ height: Int, _ space: ColorSpace = .displayP3) throws -> [UInt8] {
        try PNGCodec().encode(
            deepBitmap(width, height, space), as: .png, options: EncodeOptions())
    }

    /// A JPEG with a profile of Display P3.
    static func wideJPEG(_ width: Int, _ height: Int) throws -> [UInt8] {
        try JPEGCodec().encode(deepBitmap(width, height), as: .jpeg, options: EncodeOptions(quality: 0.95))
    }
}
