/// How a source is composited over a backdrop: W3C's blend modes and the Porter-Duff operators.
///
/// Names and raw values are CoreGraphics'. In the formulas S is a channel of the source, D of the backdrop and R of the
/// result, all premultiplied; Sa, Da and Ra are their alpha.
public enum BlendMode: Int32, CaseIterable, Sendable {
    /// The source over the backdrop: R = S + D × (1 − Sa).
    case normal = 0
    /// The product: black gives black, white keeps the other colour.
    case multiply
    /// The inverse of the product of the inverses: white gives white, black keeps the other colour.
    case screen
    /// Multiplies where the backdrop is dark, screens where it is light.
    case overlay
    /// The darker of the two, channel by channel.
    case darken
    /// The lighter of the two, channel by channel.
    case lighten
    /// Brightens the backdrop to reflect the source.
    case colorDodge
    /// Darkens the backdrop to reflect the source.
    case colorBurn
    /// Softly darkens where the source is dark, lightens where it is light.
    case softLight
    /// Multiplies where the source is dark, screens where it is light.
    case hardLight
    case difference
    /// Like ``difference``, with less contrast.
    case exclusion
    /// The source's hue, the backdrop's saturation and luminosity.
    case hue
    /// The source's saturation, the backdrop's hue and luminosity.
    case saturation
    /// The source's hue and saturation, the backdrop's luminosity.
    case color
    /// The source's luminosity, the backdrop's hue and saturation.
    case luminosity
    /// Nothing: R = 0.
    case clear
    /// The source alone: R = S.
    case copy
    /// The source inside the backdrop: R = S × Da.
    case sourceIn
    /// The source outside the backdrop: R = S × (1 − Da).
    case sourceOut
    /// The source over the backdrop, inside the backdrop: R = S × Da + D × (1 − Sa).
    case sourceAtop
    /// The backdrop over the source: R = S × (1 − Da) + D.
    case destinationOver
    /// The backdrop inside the source: R = D × Sa.
    case destinationIn
    /// The backdrop outside the source: R = D × (1 − Sa).
    case destinationOut
    /// The backdrop over the source, inside the source: R = S × (1 − Da) + D × Sa.
    case destinationAtop
    /// Source and backdrop where they do not overlap: R = S × (1 − Da) + D × (1 − Sa).
    case xor
    /// The sum of the inverses, inverted: Ra = min(1, Sa + Da), R = max(0, Ra − (Sa − S) − (Da − D)).
    case plusDarker
    /// The sum: R = min(1, S + D).
    case plusLighter
}
