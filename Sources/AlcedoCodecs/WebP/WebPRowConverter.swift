import AlcedoPixels

/// Converts libwebp's straight BGRA to the requested layout.
///
/// libwebp can premultiply too, but rounds down.
struct WebPRowConverter {
    private let transform: ColorTransform?
    private let hasAlpha: Bool
    private let isLossless: Bool
    private let keepsStraightAlpha: Bool

    init(profile: [UInt8]?, hasAlpha: Bool, isLossless: Bool = false, options: DecodeOptions) {
        transform = profile.flatMap { ColorTransform.toSRGB(from: $0, layout: .bgra) }
        self.hasAlpha = hasAlpha
        self.isLossless = isLossless
        keepsStraightAlpha = options.keepsStraightAlpha
    }

    /// Converts in place; returns the alpha of the result.
    func callAsFunction(_ rows: PixelRows, until deadline: Deadline) throws(CodecError) -> Bitmap.Alpha {
        try transform?.apply(to: rows, until: deadline)
        guard hasAlpha else {
            // A lossless file has four channels, whether the fourth counts or not.
            if isLossless { rows.makeOpaque() }
            return .opaque
        }
        if keepsStraightAlpha { return rows.isOpaque ? .opaque : .straight }
        return rows.premultiply() ? .opaque : .premultiplied
    }
}
