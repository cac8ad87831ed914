import CLcms2

/// An image's colours as Little CMS has opened them.
struct SourceProfile: ~Copyable {
    let handle: cmsHPROFILE
    /// The code points that the profile was created from; nil for one of a file.
    let encoding: RGBEncoding?

    /// Nil for a profile that is invalid or does not fit the layout.
    init?(_ source: ColorSource) {
        encoding = source.encoding
        let opened =
            encoding.map { $0.makeProfile() }
            ?? source.profile.flatMap { ICCProfile.conversion(of: $0) }.flatMap { ICCProfile.open($0) }
        guard let handle = opened else { return nil }
        guard cmsGetColorSpace(handle) == source.layout.space else {
            cmsCloseProfile(handle)
            return nil
        }
        self.handle = handle
    }

    deinit { cmsCloseProfile(handle) }

    /// Whether colours are converted by tables of several dimensions, not by curves and a matrix.
    var hasTables: Bool { cmsIsTag(handle, cmsSigAToB0Tag) != 0 }
}
