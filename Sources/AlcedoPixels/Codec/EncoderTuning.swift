/// What single encoders can do otherwise than by default; each honours its own.
package struct EncoderTuning: Sendable, Equatable {
    /// The resolution of colours in a JPEG or AVIF.
    package enum Chroma: String, Sendable, CaseIterable {
        /// Half the resolution below the encoder's own high quality.
        case automatic = "auto"
        case halved = "on"
        case full = "off"

        /// Whether it is halved, which by default it is if `isCoarse`.
        package func isHalved(by isCoarse: Bool) -> Bool { self == .automatic ? isCoarse : self == .halved }
    }

    /// What libwebp optimises for.
    package enum WebPPreset: String, Sendable, CaseIterable {
        case standard = "default"
        case photo, picture, drawing, icon, text
    }

    /// Of a JPEG or AVIF.
    package var chroma = Chroma.automatic

    /// Writes a PNG in the seven passes of Adam7.
    package var isInterlaced = false

    /// The most colours of a PNG, from 2 to 256, to which it is quantised; nil for all.
    package var paletteColors: Int?

    package var webPPreset = WebPPreset.standard

    /// Converts colours for a lossy WebP more exactly at edges, and more slowly.
    package var usesSharpYUV = false

    /// Lets a lossless WebP change pixels by as much as the quality allows.
    package var isNearLossless = false

    package init() {}
}
