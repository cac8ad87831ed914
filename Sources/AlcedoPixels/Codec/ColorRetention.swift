/// How much of an image's colour decoding keeps.
public enum ColorRetention: Hashable, Sendable {
    /// 8 bits a channel in sRGB.
    case standard

    /// The depth and the colour space of the file, in a deep ``Bitmap`` of 16 bits a channel and 8 bytes a pixel.
    ///
    /// An image that has no more than 8 bits of sRGB, and one of a format or a kind that keeps no more, is as with
    /// ``standard``.
    case full

    /// The most bytes of a pixel.
    package var bytesPerPixel: Int { self == .full ? 8 : 4 }
}
