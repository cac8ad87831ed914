import AlcedoRaster
public import Foundation

extension Image {
    /// The part of a size in points that matters most, in points: where edges and saturated colours are.
    ///
    /// About what ``SmartCroppingImageProcessor`` keeps; its middle is where a view that crops may put its own. The size is
    /// clipped to the image; of an animation, the first frame counts. Decodes the image at about 96 pixels.
    ///
    /// - Throws: ``CodecError`` if it can't be decoded, or the size is empty.
    public func smartRect(of size: CGSize) throws(CodecError) -> CGRect {
        guard let frame = PixelChange.frame(of: size, in: pixelSize, scale) else {
            throw .limitExceeded(.pixels, value: 0, limit: pixelSize.area)
        }
        let longer = max(pixelSize.width, pixelSize.height, SmartFrame.side)
        let small = PixelSize(
            width: max(1, pixelSize.width * SmartFrame.side / longer),
            height: max(1, pixelSize.height * SmartFrame.side / longer))
        let origin = try SmartFrame(pixels(resizedTo: small)).origin(of: frame.size, in: pixelSize)
        return CGRect(
            x: CGFloat(origin.x) / scale, y: CGFloat(origin.y) / scale, width: CGFloat(frame.width) / scale,
            height: CGFloat(frame.height) / scale)
    }
}
