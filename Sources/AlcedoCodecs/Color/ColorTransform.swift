import AlcedoLocks
import AlcedoPixels
import CLcms2

/// A conversion from an embedded profile to sRGB, cached for all images with that profile.
///
/// Uses the perceptual intent, as browsers do. The output is BGRA; alpha is copied.
///
/// Safe because lcms2 does not modify a transform created with `cmsFLAGS_NOCACHE`.
package final class ColorTransform: @unchecked Sendable {
    private let handle: cmsHTRANSFORM
    private let layout: ColorLayout

    private init?(_ profile: [UInt8], _ layout: ColorLayout) {
        guard let part = ICCProfile.conversion(of: profile), let source = ICCProfile.open(part),
            let target = cmsCreate_sRGBProfile()
        else { return nil }
        defer {
            cmsCloseProfile(source)
            cmsCloseProfile(target)
        }
        guard cmsGetColorSpace(source) == layout.space,
            let handle = cmsCreateTransform(
                source,
                layout.format,
                target,
                ColorLayout.bgra.format,
                UInt32(INTENT_PERCEPTUAL),
                UInt32(cmsFLAGS_NOCACHE)
            )
        else { return nil }
        self.handle = handle
        self.layout = layout
    }

    deinit { cmsDeleteTransform(handle) }

    /// Converts in place; throws after the deadline.
    func apply(to rows: PixelRows, until deadline: Deadline) throws(CodecError) {
        let step = Deadline.rows(of: rows.size.width)
        for start in stride(from: 0, to: rows.size.height, by: step) {
            try deadline.check()
            apply(to: rows.rows(start..<min(start + step, rows.size.height)))
        }
    }

    /// Converts in place.
    package func apply(to rows: PixelRows) {
        let stride = UInt32(rows.size.width * 4)
        cmsDoTransformLineStride(
            handle,
            rows.base,
            rows.base,
            UInt32(rows.size.width),
            UInt32(rows.size.height),
            stride,
            stride,
            0,
            0
        )
    }

    /// Whether no channel changes by more than 1 of 255.
    private var changesNothing: Bool {
        guard let before = layout.probes else { return false }
        var after = before
        after.withUnsafeMutableBytes { buffer in
            let rows = PixelRows(buffer, PixelSize(width: before.count, height: 1))
            apply(to: rows)
            if layout == .rgba { rows.swapRedAndBlue() }
        }
        return zip(before, after).allSatisfy { old, new in
            [0, 8, 16].allSatisfy { abs(Int(old >> $0 & 0xFF) - Int(new >> $0 & 0xFF)) <= 1 }
        }
    }
}

// MARK: - Sharing

extension ColorTransform {
    private struct Key: Hashable {
        var profile: [UInt8]
        var layout: ColorLayout
    }

    private struct Cache {
        /// Nil for a profile that is ignored.
        var transforms: [Key: ColorTransform?] = [:]
        /// Oldest first.
        var order: [Key] = []
    }

    private static let cache = Lock(Cache())
    private static let cacheSize = 8
    /// Profiles are part of the keys: with ``cacheSize`` they take at most 8 MiB.
    private static let largestCachedProfile = 1 << 20

    /// The conversion of `profile`; nil if it equals sRGB, is invalid or does not fit `layout`.
    package static func toSRGB(from profile: [UInt8], layout: ColorLayout) -> ColorTransform? {
        let key = Key(profile: profile, layout: layout)
        if let known = cache.withLock({ $0.transforms[key] }) { return known }

        // Outside the lock, so that other images need not wait; two threads may create the same transform.
        let made = ColorTransform(profile, layout).flatMap { $0.changesNothing ? nil : $0 }
        guard profile.count <= largestCachedProfile else { return made }
        let evicted: ColorTransform?? = cache.withLock { cache in
            guard cache.transforms.updateValue(made, forKey: key) == nil else { return nil }
            cache.order.append(key)
            guard cache.order.count > cacheSize else { return nil }
            return cache.transforms.removeValue(forKey: cache.order.removeFirst())
        }
        // Released here, outside the lock.
        _ = evicted
        return made
    }
}
