import AlcedoRaster
import Foundation

extension Image {
    /// The image at another size in pixels; the scale stays.
    func resized(to size: PixelSize) throws(CodecError) -> Image {
        guard size != pixelSize else { return self }
        return Image(bitmap: try pixels(resizedTo: size), scale: scale)
    }

    /// The pixels of the first frame at another size, which are the caller's own.
    ///
    /// Of bytes not yet decoded, no more is decoded than the size needs, and that is twice the size: a codec that
    /// decodes to a smaller size averages coarsely, and the filter that follows needs something to work on. A vector
    /// picture is drawn at the size itself.
    func pixels(resizedTo size: PixelSize) throws(CodecError) -> Bitmap {
        let enough = isScalable ? size : PixelSize(width: size.width * 2, height: size.height * 2)
        return try bitmap(atLeast: enough).resized(to: size)
    }
}
