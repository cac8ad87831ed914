import AlcedoRaster
import Foundation

/// One operation of a processor or of `kf` on a frame's bitmap; `scale` is in pixels per point.
enum PixelChange: Sendable {
    /// Resamples to a size computed from the present size, both in pixels.
    case resize(@Sendable (PixelSize, _ scale: CGFloat) throws(CodecError) -> PixelSize)

    /// Reduces the longer side to at most this number of pixels; a vector image is rendered at that size.
    case fit(longerSide: Double)

    /// Edits the bitmap, unless the first closure returns that a frame of this size needs no change.
    ///
    /// A deep bitmap becomes 8 bits of sRGB first, unless the edit works on its samples, or decides that itself.
    case edit(
        unless: @Sendable (PixelSize, _ scale: CGFloat) -> Bool = { _, _ in false },
        keepsDepth: Bool = false,
        @Sendable (consuming Bitmap, _ scale: CGFloat) throws(CodecError) -> Bitmap
    )

    /// Crops to a size in points, where the bitmap matters most; of an animation, where its first frame does.
    case smartCrop(to: CGSize)
}

// MARK: - Size

extension PixelChange {
    /// The size of `image` after the change; nil if the change does not resample.
    func size(of image: Image, scale: CGFloat) throws(CodecError) -> PixelSize? {
        switch self {
        case .resize(let target): try target(image.pixelSize, scale)
        case .fit(let side): image.fittedSize(longerSide: side)
        case .edit, .smartCrop: nil
        }
    }

    /// Stretches to a size in points, rounded to whole pixels; throws if that exceeds `limits`.
    static func stretch(to points: CGSize, limits: DecodeLimits) -> PixelChange {
        .resize { (_, scale) throws(CodecError) in try PixelSize(points: points, scale: scale, limits: limits)
        }
    }

    /// Fits to a size in points; each side is at least one pixel.
    static func fit(to points: CGSize, _ mode: ContentMode, limits: DecodeLimits) -> PixelChange {
        guard points.width > 0, points.height > 0 else { return .stretch(to: points, limits: limits) }
        return .resize { (size, scale) throws(CodecError) in
            let present = size.points(scale: scale)
            let fitted = present.kf.resize(to: points, for: mode)
            let onePixel = 1 / scale
            let wanted = CGSize(width: max(fitted.width, onePixel), height: max(fitted.height, onePixel))
            return try PixelSize(points: wanted, scale: scale, limits: limits)
        }
    }

    /// Crops to `part` points, clipped to the image; throws if the result is empty.
    static func crop(to part: CGSize, anchor: CGPoint) -> PixelChange {
        .edit(
            unless: { size, scale in frame(of: part, anchor: anchor, in: size, scale)?.size == size },
            keepsDepth: true
        ) { (bitmap: consuming Bitmap, scale) throws(CodecError) in
            guard let frame = frame(of: part, anchor: anchor, in: bitmap.size, scale) else {
                throw .limitExceeded(.pixels, value: 0, limit: bitmap.size.area)
            }
            return try bitmap.cropped(to: frame)
        }
    }

    /// Crops to whole pixels that are in the image.
    static func crop(to frame: PixelFrame) -> PixelChange {
        .edit(unless: { size, _ in frame.size == size }, keepsDepth: true) {
            (bitmap: consuming Bitmap, _) throws(CodecError) in try bitmap.cropped(to: frame)
        }
    }

    /// The pixels of a part whose size is in points; nil if it is empty.
    static func frame(
        of part: CGSize, anchor: CGPoint = .zero, in size: PixelSize, _ scale: CGFloat
    ) -> PixelFrame? {
        let points = size.points(scale: scale).kf.constrainedRect(for: part, anchor: anchor)
        guard let target = PixelSize(points: points.size, scale: scale) else { return nil }
        let width = min(target.width, size.width)
        let height = min(target.height, size.height)
        return PixelFrame(
            x: min(Int((points.minX * scale).rounded()), size.width - width),
            y: min(Int((points.minY * scale).rounded()), size.height - height), width: width, height: height)
    }

    /// The pixels of ``smartCrop(to:)``.
    static func smartFrame(
        of part: CGSize, in bitmap: Bitmap, _ scale: CGFloat
    ) throws(CodecError) -> PixelFrame {
        guard let frame = frame(of: part, in: bitmap.size, scale) else {
            throw .limitExceeded(.pixels, value: 0, limit: bitmap.size.area)
        }
        guard frame.size != bitmap.size else { return frame }
        let origin = try SmartFrame(bitmap).origin(of: frame.size, in: bitmap.size)
        return PixelFrame(x: origin.x, y: origin.y, width: frame.width, height: frame.height)
    }

    // MARK: - Colour

    /// Blurs by a standard deviation in pixels; nil if that is 0 or less.
    static func blur(radius: Double) -> PixelChange? {
        guard radius > 0 else { return nil }
        return .edit(keepsDepth: true) { (bitmap: consuming Bitmap, _) throws(CodecError) in
            try bitmap.blurred(radius: radius)
        }
    }

    /// Mixes with a colour; nil if that changes nothing.
    static func overlay(_ color: Color, fraction: CGFloat) -> PixelChange? {
        guard !(fraction >= 1) else { return nil }
        let color = RasterColor(color)
        return .edit(keepsDepth: true) { (bitmap: consuming Bitmap, _) throws(CodecError) in
            try bitmap.overlaid(with: color, fraction: Double(fraction))
        }
    }

    static func tint(_ color: Color) -> PixelChange {
        let color = RasterColor(color)
        return .edit(keepsDepth: true) { (bitmap: consuming Bitmap, _) throws(CodecError) in
            try bitmap.tinted(with: color)
        }
    }

    /// Adjusts colours; nil if the controls change nothing.
    static func adjust(_ controls: ColorControls) -> PixelChange? {
        guard controls != ColorControls() else { return nil }
        return .edit(keepsDepth: true) { (bitmap: consuming Bitmap, _) throws(CodecError) in
            try bitmap.adjusted(controls)
        }
    }

    static func blend(_ mode: BlendMode, alpha: CGFloat, over background: Color?) -> PixelChange {
        let background = background.map(RasterColor.init)
        return .edit(keepsDepth: true) { (bitmap: consuming Bitmap, _) throws(CodecError) in
            try bitmap.blended(mode, opacity: Double(alpha), over: background)
        }
    }

    static func filter(_ filter: Filter) -> PixelChange {
        .edit { (bitmap: consuming Bitmap, _) throws(CodecError) in
            let bitmap = bitmap
            return filter.transform(bitmap) ?? bitmap
        }
    }

    // MARK: - Edges

    /// Draws a border along the edges; nil for a line width of 0 or less.
    static func border(_ border: Border) -> PixelChange? {
        guard border.lineWidth > 0 else { return nil }
        let color = RasterColor(border.color)
        return .edit(keepsDepth: true) { (bitmap: consuming Bitmap, scale) throws(CodecError) in
            let radii = CornerRadii(border.radius, border.roundingCorners, of: bitmap.size, scale: scale)
            return try bitmap.bordered(color, lineWidth: Double(border.lineWidth * scale), radii: radii)
        }
    }

    static func round(_ radius: Radius, corners: RectCorner, background: Color?) -> PixelChange {
        let backgroundColor = background.map(RasterColor.init)
        return .edit(
            unless: { size, scale in
                backgroundColor == nil
                    && CornerRadii(radius, corners, of: size, scale: scale) == CornerRadii()
            }, keepsDepth: true
        ) { (bitmap: consuming Bitmap, scale) throws(CodecError) in
            let radii = CornerRadii(radius, corners, of: bitmap.size, scale: scale)
            return try bitmap.roundedCorners(radii: radii, background: backgroundColor)
        }
    }
}

extension CornerRadii {
    /// Radii in pixels, for an image of `size` pixels.
    fileprivate init(_ radius: Radius, _ corners: RectCorner, of size: PixelSize, scale: CGFloat) {
        let radius = max(0, Double(radius.compute(with: size.points(scale: scale)) * scale))
        self.init(
            topLeft: corners.contains(.topLeft) ? radius : 0,
            topRight: corners.contains(.topRight) ? radius : 0,
            bottomLeft: corners.contains(.bottomLeft) ? radius : 0,
            bottomRight: corners.contains(.bottomRight) ? radius : 0
        )
    }
}

extension Bitmap {
    func cropped(to frame: PixelFrame) throws(CodecError) -> Bitmap {
        try cropped(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
    }
}
