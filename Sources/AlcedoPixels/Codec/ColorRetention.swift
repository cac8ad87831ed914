/// How much of an image's colour decoding keeps.
public enum ColorRetention: Hashable, Sendable {
    /// 8 bits a channel in sRGB.
    case standard

    /// The depth and the colour space of the file, in a deep ``Bitmap`` of 16 bits a channel and 8 bytes a pixel.
    ///
    /// An image that has no more than 8 bits of sRGB, and one of a format or a kind that keeps no more, is as with
    /// ``standard``.
    case full

    /// As ``full``, and with the light that the gain map of an Ultra HDR JPEG adds (ISO 21496-1).
    ///
    /// Such an image is in PQ with the primaries of BT.2020. White of the JPEG is at 203 cd/m², and the map is applied in full,
    /// as for a display of any brightness; light above 10,000 cd/m² is cut. A JPEG without a map that can be applied, and
    /// every other image, is as with ``full``.
    case hdr

    /// Whether pixels may be deep.
    package var keepsColors: Bool { self != .standard }

    /// The most bytes of a pixel.
    package var bytesPerPixel: Int { keepsColors ? 8 : 4 }
}
