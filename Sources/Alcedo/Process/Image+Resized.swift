package import AlcedoPixels
import AlcedoRaster
import Foundation

extension Image {
    /// The image resized to a size in pixels, at the same scale.
    func resized(to size: PixelSize) throws(CodecError) -> Image {
        guard size != pixelSize else { return self }
        return Image(bitmap: try pixels(resizedTo: size), scale: scale)
    }

    /// A new bitmap of the first frame at another size; the image does not keep it.
    ///
    /// Encoded bytes are decoded at a reduced size if possible; a vector image is rendered at `size`.
    package func pixels(resizedTo size: PixelSize) throws(CodecError) -> Bitmap {
        if let encoded = store.encoded, encoded.info.isScalable || decodedBitmap == nil {
            return try encoded.decode(resizedTo: size)
        }
        return try bitmap(atLeast: size).resized(to: size)
    }
}
