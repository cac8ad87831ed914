package import AlcedoPixels

/// A format that is recognised by its signature, but that no codec of this build reads.
struct AbsentFormat {
    let format: EncodedFormat
    let advice: String

    /// Recognises the format of `bytes`; nil if it has no name here.
    init?(_ bytes: RawSpan) {
        if let (trait, format) = Self.ofTrait(bytes) {
            self.format = format
            advice = "this build has no \(trait); build Alcedo with the package trait \(trait)"
        } else if let name = Self.ofNoCodec(bytes) {
            format = EncodedFormat(rawValue: name)
            advice = "Alcedo has no codec for it; register one with `CodecRegistry`"
        } else {
            return nil
        }
    }

    private static func ofTrait(_ bytes: RawSpan) -> (trait: String, format: EncodedFormat)? {
        if bytes.u16BE(0) == 0xFF0A || bytes.has("JXL \r\n", at: 4) { return ("JXL", .jxl) }
        if bytes.has("ftyp", at: 4) {
            if bytes.has("avif", at: 8) || bytes.has("avis", at: 8) { return ("HEIF", .avif) }
            let brands: [StaticString] = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
            if brands.contains(where: { bytes.has($0, at: 8) }) { return ("HEIF", .heic) }
        }
        let tiff: [StaticString] = ["II*\0", "MM\0*", "II+\0", "MM\0+"]
        if tiff.contains(where: { bytes.has($0, at: 0) }) { return ("TIFF", .tiff) }
        if bytes.has("jP  \r\n", at: 4) || bytes.u32BE(0) == 0xFF4F_FF51 { return ("JP2", .jp2) }
        let start = (0..<min(bytes.byteCount, 1024)).first { bytes.has("<svg", at: $0) }
        return bytes.has("<", at: 0) && start != nil ? ("SVG", .svg) : nil
    }

    private static func ofNoCodec(_ bytes: RawSpan) -> String? {
        // With a header of an unknown size.
        if bytes.has("BM", at: 0), bytes.u32LE(6) == 0 { return "bmp" }
        if bytes.has("8BPS", at: 0) { return "psd" }
        return bytes.has("%PDF-", at: 0) ? "pdf" : nil
    }
}

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
