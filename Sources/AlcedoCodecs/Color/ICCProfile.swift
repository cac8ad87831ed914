import CLcms2

/// Reads what an embedded colour profile says of itself.
public enum ICCProfile {
    /// The profile's own name, such as `Display P3`, or nil if `profile` is not an ICC profile or has none.
    public static func description(of profile: [UInt8]) -> String? {
        guard let handle = open(profile) else { return nil }
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

    /// A handle to be closed with `cmsCloseProfile`; lcms2 copies the bytes.
    static func open(_ profile: [UInt8]) -> cmsHPROFILE? {
        guard let count = UInt32(exactly: profile.count) else { return nil }
        return cmsOpenProfileFromMem(profile, count)
    }
}
