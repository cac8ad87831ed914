import AlcedoCodecs
package import AlcedoPixels

/// The sides, in pixels, that files of a format can have.
package enum FormatSides {
    /// The longest side; `nil` if it is longer than any result.
    package static func longest(of format: EncodedFormat) -> Int? {
        switch format {
        case .webp: 16383
        case .avif, .heic: 16384
        case .ico: 256
        default: nil
        }
    }

    /// The shortest side; smaller images are sent in another format.
    package static func shortest(of format: EncodedFormat) -> Int? { format == .avif ? 16 : nil }

    /// Whether an image of that size is sent in another format, as it is too small or the encoder does not take it.
    package static func needsOther(_ format: EncodedFormat, _ size: PixelSize) -> Bool {
        min(size.width, size.height) < shortest(of: format) ?? 0
            || size.area > EncoderLimits.mostPixels(of: format) ?? .max
    }

    /// The size itself, or scaled down to a longest side; `nil` is no limit.
    static func limited(_ size: PixelSize, to longest: Int?) -> PixelSize {
        let side = max(size.width, size.height)
        guard let longest, side > longest else { return size }
        let factor = Double(longest) / Double(side)
        return PixelSize(
            width: Rounding.side(Double(size.width) * factor),
            height: Rounding.side(Double(size.height) * factor))
    }
}
