/// The blend modes of W3C's Compositing and Blending, and Porter and Duff's operators.
///
/// Names and numbers are CoreGraphics'. In the formulas S is a channel of the source, D of the destination and R of the
/// result, all premultiplied; Sa and Da are alpha.
public enum BlendMode: Int32, CaseIterable, Sendable {
    /// The picture in front: R = S + D × (1 − Sa).
    case normal = 0
    /// The product: black stays black, white lets through.
    case multiply
    /// The inverse of the inverses' product: white stays white, black lets through.
    case screen
    /// Multiplies where the ground is dark, screens where it is light.
    case overlay
    /// The darker of the two, channel by channel.
    case darken
    /// The lighter of the two, channel by channel.
    case lighten
    /// Brightens the ground to reflect the picture.
    case colorDodge
    /// Darkens the ground to reflect the picture.
    case colorBurn
    /// Darkens or lightens softly, as the picture is dark or light.
    case softLight
    /// Multiplies where the picture is dark, screens where it is light.
    case hardLight
    /// The distance between the two.
    case difference
    /// Like ``difference``, with less contrast.
    case exclusion
    /// The picture's hue, the ground's saturation and luminosity.
    case hue
    /// The picture's saturation, the ground's hue and luminosity.
    case saturation
    /// The picture's hue and saturation, the ground's luminosity.
    case color
    /// The picture's luminosity, the ground's hue and saturation.
    case luminosity
    /// Nothing: R = 0.
    case clear
    /// The picture alone: R = S.
    case copy
    /// The picture where the ground is: R = S × Da.
    case sourceIn
    /// The picture where the ground is not: R = S × (1 − Da).
    case sourceOut
    /// The picture in front, inside the ground: R = S × Da + D × (1 − Sa).
    case sourceAtop
    /// The picture behind: R = S × (1 − Da) + D.
    case destinationOver
    /// The ground where the picture is: R = D × Sa.
    case destinationIn
    /// The ground where the picture is not: R = D × (1 − Sa).
    case destinationOut
    /// The ground in front, inside the picture: R = S × (1 − Da) + D × Sa.
    case destinationAtop
    /// The parts that only one of the two covers: R = S × (1 − Da) + D × (1 − Sa).
    case xor
    /// The sum of both differences to white: Ra = min(1, Sa + Da), R = max(0, Ra − (Sa − S) − (Da − D)).
    case plusDarker
    /// The sum: R = min(1, S + D).
    case plusLighter
}
