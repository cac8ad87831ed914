import CLcms2

/// Reads the header and the tags of an embedded colour profile.
public enum ICCProfile {
    /// Limits in bytes: a profile's name in all languages, and the tags of a conversion.
    private static let (longestName, largestTables) = (1 << 16, 4 << 20)

    /// The name in a profile, such as `Display P3`; nil if `profile` is not an ICC profile or has no name.
    ///
    /// Read without Little CMS: a program shows the name of an image that a worker process decodes.
    public static func description(of profile: [UInt8]) -> String? {
        guard let tags = ICCTags(profile), let range = tags.range(of: "desc"), range.count <= longestName
        else { return nil }
        return ICCElements.text(profile.span.bytes.extracting(range)).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Opens a handle, which the caller closes with `cmsCloseProfile`; Little CMS copies the bytes.
    static func open(_ profile: [UInt8]) -> cmsHPROFILE? {
        guard let count = UInt32(exactly: profile.count) else { return nil }
        return cmsOpenProfileFromMem(profile, count)
    }

    /// The colours that the `cicp` tag of a profile for RGB names (ICC.1:2022, 9.2.17); nil without one that is supported.
    ///
    /// Its curves and tables are an approximation for programs that don't know the tag: those of HDR can't have its light.
    static func encoding(of profile: [UInt8]) -> RGBEncoding? {
        guard let tags = ICCTags(profile), tags.channels == 3, let range = tags.range(of: "cicp"),
            range.count >= 12
        else { return nil }
        let bytes = profile.span.bytes
        guard bytes.has("cicp", at: range.lowerBound) else { return nil }
        return RGBEncoding(codePoints: bytes, at: range.lowerBound + 8)
    }

    // MARK: - Parts of a profile

    /// The tags that a conversion with perceptual intent reads; nil if there are none or a table is truncated.
    ///
    /// These are a table (`A2B0`), or curves and colorants. Floating-point stages (`D2B0`) are excluded: a few bytes can
    /// describe thousands of them, and a profile with stages has a table too.
    static func conversion(of profile: [UInt8]) -> [UInt8]? {
        guard let tags = ICCTags(profile), let inputs = tags.channels else { return nil }
        let isTable = { (tag: RawSpan) in ICCElements.isTable(tag, inputs: inputs) }
        let curves: [FourCC] = inputs == 1 ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"]
        let colorants: [FourCC] = inputs == 1 ? [] : ["rXYZ", "gXYZ", "bXYZ"]

        var needed: [FourCC] = []
        if tags.has(curves, ICCElements.isCurve), tags.has(colorants, ICCElements.isColorant) {
            needed = curves + colorants
        }
        if tags.range(of: "A2B0") != nil {
            guard tags.has(["A2B0"], isTable) else { return nil }
            needed.append("A2B0")
            // Little CMS finds the black point with the colorimetric table.
            if tags.has(["A2B1"], isTable) { needed.append("A2B1") }
        }
        guard !needed.isEmpty else { return nil }
        let part = tags.profile(of: needed)
        return part.count <= largestTables ? part : nil
    }
}

extension ICCTags {
    /// Whether all of `names` are present and valid.
    fileprivate func has(_ names: [FourCC], _ isValid: (RawSpan) -> Bool) -> Bool {
        names.allSatisfy { name in
            guard let range = range(of: name) else { return false }
            return isValid(bytes.span.bytes.extracting(range))
        }
    }
}
