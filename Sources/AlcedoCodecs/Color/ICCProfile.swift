import CLcms2

/// Reads the header and the tags of an embedded colour profile.
public enum ICCProfile {
    /// Limits in bytes: a profile's name in all languages, and the tags of a conversion.
    private static let (longestName, largestTables) = (1 << 16, 4 << 20)

    /// The name in a profile, such as `Display P3`; nil if `profile` is not an ICC profile or has no name.
    public static func description(of profile: [UInt8]) -> String? {
        guard let handle = name(of: profile).flatMap(open) else { return nil }
        defer { cmsCloseProfile(handle) }
        let kind = cmsInfoDescription
        let byteCount = cmsGetProfileInfo(handle, kind, "en", "US", nil, 0)
        let width = UInt32(MemoryLayout<wchar_t>.size)
        guard byteCount > width, byteCount <= 1 << 16 else { return nil }
        var characters = [wchar_t](repeating: 0, count: Int(byteCount / width))
        guard cmsGetProfileInfo(handle, kind, "en", "US", &characters, byteCount) > 0 else { return nil }
        let scalars = characters.prefix { $0 != 0 }.compactMap { Unicode.Scalar(UInt32(bitPattern: $0)) }
        guard !scalars.isEmpty else { return nil }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Opens a handle, which the caller closes with `cmsCloseProfile`; Little CMS copies the bytes.
    static func open(_ profile: [UInt8]) -> cmsHPROFILE? {
        guard let count = UInt32(exactly: profile.count) else { return nil }
        return cmsOpenProfileFromMem(profile, count)
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

    private static func name(of profile: [UInt8]) -> [UInt8]? {
        guard let tags = ICCTags(profile), tags.has(["desc"], ICCElements.isText) else { return nil }
        let part = tags.profile(of: ["desc"])
        return part.count <= longestName ? part : nil
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
