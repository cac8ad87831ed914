public import Alcedo
public import Foundation

extension Image {
    /// An image of one colour, grey by default; its sides are in pixels.
    ///
    /// - Throws: `CodecError` if the size is not positive, or memory is insufficient.
    public static func solid(
        width: Int, height: Int, color: KFCrossPlatformColor = KFCrossPlatformColor(white: 0.5)
    ) throws -> Image {
        let channels = [color.red, color.green, color.blue, color.alpha].map { UInt8(($0 * 255).rounded()) }
        let pixels = [[UInt8]](repeating: channels, count: max(width, 0) * max(height, 0)).flatMap { $0 }
        let layout = PixelLayout(.rgba, color.alpha < 1 ? .straight : .opaque)
        return try Image(
            pixels: pixels.span.bytes, size: PixelSize(width: width, height: height), layout: layout)
    }
}
