import AlcedoRaster
import Foundation

/// One of the colours that an image consists of.
public struct PaletteColor: Sendable, Equatable {
    /// The mean of similar colours of the image; opaque.
    public let color: Color

    /// How much of the opaque area they have, from 0 to 1.
    public let share: Double
}

extension Image {
    /// The colours that the image consists of, in groups of similar ones, those of the largest area first.
    ///
    /// For a background, a placeholder or a theme. Fewer than `count`, which is from 1 to 64, of an image with few colours;
    /// none of one that is clear. Transparent pixels count by their opacity; of an animation, the first frame counts. Decodes the
    /// image at about 128 pixels.
    ///
    /// - Throws: ``CodecError`` if it can't be decoded.
    public func palette(count: Int = 6) throws(CodecError) -> [PaletteColor] {
        let longer = max(pixelSize.width, pixelSize.height)
        let small = PixelSize(
            width: max(1, pixelSize.width * DominantColors.side / max(longer, DominantColors.side)),
            height: max(1, pixelSize.height * DominantColors.side / max(longer, DominantColors.side)))
        let colors = try DominantColors(pixels(resizedTo: small), count: min(max(count, 1), 64))
        return colors.groups.map { group in
            PaletteColor(
                color: Color(red: group.color.x, green: group.color.y, blue: group.color.z),
                share: group.share)
        }
    }

    /// The first colour of the ``palette(count:)``; nil for an image that is clear.
    ///
    /// - Throws: ``CodecError`` if it can't be decoded.
    public func dominantColor() throws(CodecError) -> Color? { try palette().first?.color }
}
