import AlcedoPixels

/// Converts a row of a PNG to the requested layout, and returns whether it is opaque.
struct PNGRowConverter {
    let keepsStraightAlpha: Bool
    private let transform: ColorTransform?
    private let hasAlpha: Bool

    init(profile: [UInt8]?, header: PNGHeader, keepsStraightAlpha: Bool) {
        let isGrey = header.color == .grey || header.color == .greyAlpha
        if let encoding = header.encoding {
            transform = encoding.toSRGB
        } else {
            transform = profile.flatMap { ColorTransform.toSRGB(from: $0, layout: isGrey ? .grey : .rgba) }
        }
        hasAlpha = header.hasAlpha
        self.keepsStraightAlpha = keepsStraightAlpha
    }

    /// Converts RGBA in place.
    func callAsFunction(_ row: PixelRows) -> Bool {
        transform?.apply(to: row)
        return multiply(row, swapping: transform == nil)
    }

    /// Converts BGRA in place.
    func convert(bgra row: PixelRows) -> Bool {
        if let transform {
            row.swapRedAndBlue()
            transform.apply(to: row)
        }
        return multiply(row, swapping: false)
    }

    /// The alpha of the image, given whether all rows are opaque.
    func alpha(isOpaque: Bool) -> Bitmap.Alpha {
        if isOpaque { return .opaque }
        return keepsStraightAlpha ? .straight : .premultiplied
    }

    private func multiply(_ row: PixelRows, swapping: Bool) -> Bool {
        if hasAlpha, !keepsStraightAlpha { return row.premultiply(swapping: swapping) }
        if swapping { row.swapRedAndBlue() }
        return !hasAlpha || row.isOpaque
    }
}
