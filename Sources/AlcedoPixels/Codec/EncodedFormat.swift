/// A file format for images, named by its usual file extension.
///
/// An open set: your own codec adds its own value.
public struct EncodedFormat: RawRepresentable, Hashable, Sendable {
    /// The usual file extension, lower case, without a dot.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// JPEG, ISO/IEC 10918-1.
    public static let jpeg = EncodedFormat(rawValue: "jpeg")

    /// PNG, W3C Portable Network Graphics, animated or not.
    public static let png = EncodedFormat(rawValue: "png")

    /// GIF87a and GIF89a.
    public static let gif = EncodedFormat(rawValue: "gif")

    /// WebP, RFC 9649, still or animated.
    public static let webp = EncodedFormat(rawValue: "webp")

    /// BMP, Windows bitmaps.
    public static let bmp = EncodedFormat(rawValue: "bmp")

    /// ICO, Windows icons and cursors.
    public static let ico = EncodedFormat(rawValue: "ico")

    /// HEIC: HEVC pictures in ISO/IEC 23008-12 files.
    public static let heic = EncodedFormat(rawValue: "heic")

    /// AVIF: AV1 pictures in ISO/IEC 23008-12 files.
    public static let avif = EncodedFormat(rawValue: "avif")

    /// JPEG XL, ISO/IEC 18181, still or animated.
    public static let jxl = EncodedFormat(rawValue: "jxl")

    /// TIFF 6.0 and BigTIFF.
    public static let tiff = EncodedFormat(rawValue: "tiff")

    /// JPEG 2000, ISO/IEC 15444-1.
    public static let jp2 = EncodedFormat(rawValue: "jp2")

    /// SVG, W3C Scalable Vector Graphics, compressed with gzip or not.
    public static let svg = EncodedFormat(rawValue: "svg")

    /// A video, whatever its file format; only errors have it.
    public static let video = EncodedFormat(rawValue: "video")
}

extension EncodedFormat: CustomStringConvertible {
    /// The name people write: `JPEG`, `WebP`.
    public var description: String {
        switch self {
        case .webp: "WebP"
        case .jxl: "JPEG XL"
        case .jp2: "JPEG 2000"
        case .video: "video"
        default: rawValue.uppercased()
        }
    }
}
