/// A file format for images, named by a file extension.
///
/// An open set: your own codec adds its own value.
public struct EncodedFormat: RawRepresentable, Hashable, Sendable {
    /// A file extension, lower case, without a dot; ``fileExtension`` is the one that people write.
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

    /// QOI, the Quite OK Image format.
    public static let qoi = EncodedFormat(rawValue: "qoi")

    /// PNM: Netpbm's PBM, PGM, PPM and PAM.
    public static let pnm = EncodedFormat(rawValue: "pnm")

    /// TGA, Truevision's format.
    public static let tga = EncodedFormat(rawValue: "tga")

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

extension EncodedFormat {
    /// Whether codecs write ``EncodeOptions/profile`` to files of the format.
    package var holdsProfile: Bool { [.jpeg, .png, .webp, .tiff].contains(self) }
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

// MARK: - In files and messages

extension EncodedFormat {
    /// The extension of its files, lower case, without a dot: `jpg` for JPEG, else ``rawValue``.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The format of files with this extension, in any case, without a dot; nil for one that no format here has.
    ///
    /// The bytes of a file may tell otherwise: ``CodecRegistry`` looks at these.
    public init?(fileExtension: String) {
        let name = fileExtension.lowercased()
        guard let format = Self.others[name] ?? Self.known[name] else { return nil }
        self = format
    }

    /// Its media type, as in `Content-Type` and as IANA registers it: `image/jpeg`.
    ///
    /// A format of your own is `image/` and ``rawValue``; a video, of which only errors tell, is `application/octet-stream`.
    public var mediaType: String {
        switch self {
        case .svg: "image/svg+xml"
        case .ico: "image/vnd.microsoft.icon"
        case .pnm: "image/x-portable-anymap"
        case .tga: "image/x-tga"
        case .video: "application/octet-stream"
        default: "image/\(rawValue)"
        }
    }

    /// The format with this media type, which may have parameters and be in any case, as in `Content-Type`; nil for one that
    /// no format here has.
    ///
    /// Unregistered names in use are known too, such as `image/jpg` and `image/x-icon`.
    public init?(mediaType: String) {
        let type = mediaType.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        guard let format = Self.types[type] else { return nil }
        self = format
    }

    private static let all: [EncodedFormat] = [
        .jpeg, .png, .gif, .webp, .bmp, .ico, .qoi, .pnm, .tga, .heic, .avif, .jxl, .tiff, .jp2, .svg,
    ]

    private static let known = Dictionary(uniqueKeysWithValues: all.map { ($0.rawValue, $0) })

    private static let others: [String: EncodedFormat] = [
        "jpg": .jpeg, "jpe": .jpeg, "jfif": .jpeg, "apng": .png, "cur": .ico, "dib": .bmp, "heif": .heic,
        "hif": .heic,
        "pbm": .pnm, "pgm": .pnm, "ppm": .pnm, "pam": .pnm, "tif": .tiff, "j2k": .jp2, "svgz": .svg,
    ]

    private static let types: [String: EncodedFormat] = [
        "image/jpg": .jpeg, "image/pjpeg": .jpeg, "image/apng": .png, "image/x-png": .png,
        "image/x-icon": .ico,
        "image/ico": .ico, "image/x-bmp": .bmp, "image/x-ms-bmp": .bmp, "image/heif": .heic,
        "image/svg": .svg, "image/x-qoi": .qoi, "image/x-targa": .tga, "image/x-portable-bitmap": .pnm,
        "image/x-portable-graymap": .pnm, "image/x-portable-pixmap": .pnm,
    ].merging(all.map { ($0.mediaType, $0) }) { $1 }
}
