package import AlcedoPixels

/// What to do about a format that no codec of this build or system writes.
package enum AbsentEncoder {
    /// A sentence without a full stop.
    package static func advice(for format: EncodedFormat) -> String {
        switch format {
        case .avif: "build Alcedo with the package trait HEIF to write it"
        case .heic:
            "build Alcedo with the package trait HEIF, and install an HEVC encoder for libheif, such as Debian's "
                + "libheif-plugin-x265, to write it"
        case .jxl: "build Alcedo with the package trait JXL to write it"
        case .tiff: "build Alcedo with the package trait TIFF to write it"
        default: "no codec writes it"
        }
    }
}
