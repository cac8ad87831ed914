import AlcedoRaster
public import Foundation

/// Drawing: each makes another image at the same scale, an animation of an animation, and works where it is called.
///
/// Frames of an animation that are not decoded yet are changed when they are shown.
///
/// An image that is damaged, or asked for a size that no image can have, comes back as it is.
extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image put on a colour, transparent without one, in a blend mode.
    ///
    /// The image's own alpha is multiplied by `alpha`, which is clamped to 0…1.
    public func image(
        withBlendMode blendMode: CGBlendMode,
        alpha: CGFloat = 1.0,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in
            try image.changed(by: .blend(blendMode, alpha: alpha, over: backgroundColor))
        }
    }

    /// The image stretched to a size in points, with round corners.
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

    /// The image stretched to a size, with round corners; all in points.
    public func image(
        withRoundRadius radius: CGFloat,
        fit size: CGSize,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        image(
            withRadius: .point(radius), fit: size, roundingCorners: corners, backgroundColor: backgroundColor)
    }

    /// The image stretched to a size in points.
    public func resize(to size: CGSize) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .stretch(to: size, limits: image.limits)) }
    }

    /// The image fitted to a size in points; the whole of it is kept.
    public func resize(to targetSize: CGSize, for contentMode: ContentMode) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in
            try image.changed(by: .fit(to: targetSize, contentMode, limits: image.limits))
        }
    }

    /// The part of a size in points that lies at an anchor from (0, 0), the upper left, to (1, 1), the lower right.
    public func crop(to size: CGSize, anchorOn anchor: CGPoint) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .crop(to: size, anchor: anchor)) }
    }

    /// The image blurred nearly as a Gaussian does it, of a standard deviation in pixels.
    public func blurred(withRadius radius: CGFloat) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .blur(radius: Double(radius))) }
    }

    /// The image with a line along its edges.
    public func addingBorder(_ border: Border) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .border(border)) }
    }

    /// The image mixed with a colour, inside its own shape: `fraction` of the image, and the rest of the colour.
    public func overlaying(with color: KFCrossPlatformColor, fraction: CGFloat) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .overlay(color, fraction: fraction)) }
    }

    /// The image with a colour laid over all of it.
    public func tinted(with color: KFCrossPlatformColor) -> KFCrossPlatformImage {
        drawn { image throws(CodecError) in try image.changed(by: .tint(color)) }
    }

    /// The image with other colours; see ``ColorControlsProcessor``.
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
    /// What an enlargement of it may take.
    fileprivate var limits: DecodeLimits { encoded?.limits ?? DecodeLimits() }
}
