package import AlcedoPixels
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
    /// Of bytes not yet decoded, no more is decoded than the size needs; a vector picture is drawn anew.
    package func pixels(resizedTo size: PixelSize) throws(CodecError) -> Bitmap {
        if let encoded = store.encoded, encoded.info.isScalable || decodedBitmap == nil {
            return try encoded.decode(resizedTo: size)
        }
        return try bitmap(atLeast: size).resized(to: size)
    }
}
