import AlcedoPixels

/// Turns libwebp's straight BGRA into what was asked for.
///
/// libwebp could premultiply by itself, but rounds down.
struct WebPFinish {
    private let transform: ColorTransform?
    private let hasAlpha: Bool
    private let isLossless: Bool
    private let keepsStraight: Bool

    init(profile: [UInt8]?, hasAlpha: Bool, isLossless: Bool = false, options: DecodeOptions) {
        transform = profile.flatMap { ColorTransform.toSRGB(from: $0, layout: .bgra) }
        self.hasAlpha = hasAlpha
        self.isLossless = isLossless
        keepsStraight = options.keepsStraightAlpha
    }

    /// Works in place and says what alpha turned out to be.
    func callAsFunction(_ rows: PixelRows, until deadline: Deadline) throws(CodecError) -> Bitmap.Alpha {
        try transform?.apply(to: rows, until: deadline)
        guard hasAlpha else {
            // A lossless file has four channels, whether the fourth counts or not.
            if isLossless { rows.makeOpaque() }
            return .opaque
        }
        if keepsStraight { return rows.isOpaque ? .opaque : .straight }
        return rows.premultiply() ? .opaque : .premultiplied
    }
}
