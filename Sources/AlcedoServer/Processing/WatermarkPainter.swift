import Alcedo
import AlcedoPixels
import AlcedoRaster
import Foundation

/// Draws a watermark over results.
struct WatermarkPainter {
    private let options: Watermark
    private let opacity: Int
    private let image: Image

    /// A watermark with the options of a URL, and the setting's `opacity` from 0 to 1.
    init(_ options: Watermark, data: Data, opacity: Double, limits: DecodeLimits) throws(CodecError) {
        self.options = options
        self.opacity = Int((min(max(options.opacity * opacity, 0), 1) * 255).rounded())
        image = try Image(decoding: data, limits: limits)
    }

    /// `bitmap` with the watermark.
    func paint(on bitmap: Bitmap, dpr: Double) throws(CodecError) -> Bitmap {
        let layout = WatermarkLayout(
            options: options, image: bitmap.size, watermark: image.pixelSize, dpr: dpr)
        guard opacity > 0, layout.size.area <= 4 * max(bitmap.size.area, image.pixelSize.area) else {
            return bitmap
        }
        let isVector = image.info?.isScalable == true
        let wanted = PixelSize(
            width: layout.size.width * (isVector ? 1 : 2), height: layout.size.height * (isVector ? 1 : 2)
        )
        let mark = try image.bitmap(atLeast: wanted).resized(to: layout.size)
        switch layout.placement {
        case .at(let origin):
            return try bitmap.drawn(under: mark, at: origin, opacity: opacity)
        case .tiled(let start, let step):
            var result = bitmap
            for y in stride(from: start.y, to: bitmap.height, by: max(1, step.height)) {
                for x in stride(from: start.x, to: bitmap.width, by: max(1, step.width)) {
                    result = try result.drawn(under: mark, at: PixelOffset(x: x, y: y), opacity: opacity)
                }
            }
            return result
        }
    }
}
