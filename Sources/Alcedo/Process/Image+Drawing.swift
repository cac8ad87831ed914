package import AlcedoPixels
import AlcedoRaster
public import Foundation

/// Drawing: each method returns a new image at the same scale, and runs on the calling thread.
///
/// The result of an animation is an animation; frames that are not decoded yet are changed on demand.
///
/// If the image is damaged or the requested size is invalid, the image itself is returned.
extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Blends the image over a background colour, transparent by default.
    ///
    /// The image's alpha is multiplied by `alpha`, which is clamped to 0…1.
    public func image(
        withBlendMode blendMode: CGBlendMode,
        alpha: CGFloat = 1.0,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in
            try image.changed(by: .blend(blendMode, alpha: alpha, over: backgroundColor))
        }
    }

    /// Stretches the image to a size in points and rounds its corners.
    public func image(
        withRadius radius: Radius,
        fit size: CGSize,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in
            try image.changed(
                by: .stretch(to: size, limits: image.limits),
                .round(radius, corners: corners, background: backgroundColor)
            )
        }
    }

    /// Stretches the image to a size and rounds its corners; size and radius are in points.
    public func image(
        withRoundRadius radius: CGFloat,
        fit size: CGSize,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        image(
            withRadius: .point(radius), fit: size, roundingCorners: corners, backgroundColor: backgroundColor)
    }

    /// Stretches the image to a size in points.
    public func resize(to size: CGSize) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .stretch(to: size, limits: image.limits)) }
    }

    /// Fits the image to a size in points, without cropping.
    public func resize(to targetSize: CGSize, for contentMode: ContentMode) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in
            try image.changed(by: .fit(to: targetSize, contentMode, limits: image.limits))
        }
    }

    /// Crops to a size in points at an anchor from (0, 0), the upper left, to (1, 1), the lower right.
    public func crop(to size: CGSize, anchorOn anchor: CGPoint) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .crop(to: size, anchor: anchor)) }
    }

    /// Crops the image to the part of a size in points that matters most; see ``SmartCroppingImageProcessor``.
    public func smartCrop(to size: CGSize) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .smartCrop(to: size)) }
    }

    /// Applies an approximate Gaussian blur; `radius` is the standard deviation in pixels.
    public func blurred(withRadius radius: CGFloat) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .blur(radius: Double(radius))) }
    }

    public func addingBorder(_ border: Border) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .border(border)) }
    }

    /// Mixes `fraction` of the image with `1 - fraction` of a colour; transparent parts stay transparent.
    public func overlaying(with color: KFCrossPlatformColor, fraction: CGFloat) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .overlay(color, fraction: fraction)) }
    }

    public func tinted(with color: KFCrossPlatformColor) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .tint(color)) }
    }

    public func adjusted(
        brightness: CGFloat,
        contrast: CGFloat,
        saturation: CGFloat,
        inputEV: CGFloat
    ) -> KFCrossPlatformImage {
        let controls = ColorControls(
            brightness: Double(brightness),
            contrast: Double(contrast),
            saturation: Double(saturation),
            exposure: Double(inputEV)
        )
        return drawn { image throws(CodecError) in try image.changed(by: .adjust(controls)) }
    }

    private func drawn(_ body: (Image) throws(CodecError) -> Image) -> Image {
        do throws(CodecError) { return try body(base) } catch { return base }
    }
}

extension Image {
    /// Those within which it is decoded.
    package var limits: DecodeLimits { encoded?.limits ?? DecodeLimits() }
}

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
