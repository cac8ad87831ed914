import CLcms2

/// Owns one of Little CMS's transforms to a perceptual rendering, which any number of threads may use at a time.
///
/// Safe because lcms2 does not modify a transform created with `cmsFLAGS_NOCACHE`.
final class LittleCMSTransform: @unchecked Sendable {
    let handle: cmsHTRANSFORM

    /// Nil if Little CMS can't convert pixels of `format` in `profile` to those of `targetFormat` in `target`, which both
    /// may be closed afterwards.
    ///
    /// Optimisations replace tables of several dimensions with coarser ones.
    init?(
        _ profile: cmsHPROFILE, _ format: UInt32, to target: cmsHPROFILE, _ targetFormat: UInt32,
        isOptimized: Bool
    ) {
        let flags = isOptimized ? cmsFLAGS_NOCACHE : cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE
        guard
            let handle = cmsCreateTransform(
                profile, format, target, targetFormat, UInt32(INTENT_PERCEPTUAL), UInt32(flags))
        else { return nil }
        self.handle = handle
    }

    deinit { cmsDeleteTransform(handle) }

    /// Converts pixels of 16-bit samples in place.
    func apply(to pixels: DeepPixels) {
        cmsDoTransform(handle, pixels.baseAddress, pixels.baseAddress, UInt32(pixels.count))
    }
}
