package import AlcedoPixels

/// Converts a C library's RGBA rows to the requested layout.
package struct RowConverter {
    private let transform: ColorTransform?
    private let hasAlpha: Bool
    private let isPremultiplied: Bool
    private let keepsStraightAlpha: Bool

    /// `transform` converts from RGBA or grey; nil for sRGB.
    package init(
        _ transform: ColorTransform?,
        hasAlpha: Bool,
        isPremultiplied: Bool,
        options: DecodeOptions
    ) {
        self.transform = transform
        self.hasAlpha = hasAlpha
        self.isPremultiplied = isPremultiplied
        keepsStraightAlpha = options.keepsStraightAlpha
    }

    /// Converts in place; returns the alpha of the result.
    package func callAsFunction(_ rows: PixelRows) -> Bitmap.Alpha {
        if hasAlpha, isPremultiplied { rows.unpremultiply() }
        if let transform { transform.apply(to: rows) } else { rows.swapRedAndBlue() }
        return finish(bgra: rows)
    }

    /// Converts BGRA in place, straight and in sRGB; returns the alpha of the result.
    package func finish(bgra rows: PixelRows) -> Bitmap.Alpha {
        if !hasAlpha { rows.makeOpaque() }
        if !hasAlpha || rows.isOpaque { return .opaque }
        if keepsStraightAlpha { return .straight }
        return rows.premultiply() ? .opaque : .premultiplied
    }
}
