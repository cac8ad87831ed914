import AlcedoRaster

extension Image {
    /// The image at another size in pixels; the scale stays.
    ///
    /// Of bytes not yet decoded, no more is decoded than the size needs.
    func resized(to size: PixelSize) throws(CodecError) -> Image {
        guard size != pixelSize else { return self }
        return Image(bitmap: try bitmap(atLeast: size).resized(to: size), scale: scale)
    }
}
