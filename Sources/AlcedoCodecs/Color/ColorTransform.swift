import AlcedoPixels
import CLcms2

/// A conversion of 8-bit pixels to sRGB, cached for all images with the same colours.
///
/// Uses the perceptual intent, as browsers do. The output is BGRA; alpha is copied. No channel is more than 1 of 255 from
/// what floating-point numbers give. ``DeepTransform`` converts samples of 16 bits.
package final class ColorTransform: Sendable {
    private enum Method {
        case littleCMS(LittleCMSTransform)
        /// For tables of several dimensions, which Little CMS would replace with coarser ones and be up to 19 of 255 off.
        case exact(MemoizedTransform)
        /// The pixel for each level of grey, opaque. Little CMS interpolates between 33 levels, and is 10 of 255 off.
        case greys([UInt32])
    }

    private let method: Method
    private let layout: ColorLayout

    private init?(_ colors: borrowing SourceProfile, _ layout: ColorLayout) {
        if layout == .grey, let model = LightModel(colors) {
            method = .greys((0..<256).map { model.pixel(grey: Double($0) / 255) })
        } else {
            guard let target = cmsCreate_sRGBProfile() else { return nil }
            defer { cmsCloseProfile(target) }
            guard
                let transform = LittleCMSTransform(
                    colors.handle, layout.format, to: target, ColorLayout.bgra.format,
                    isOptimized: !colors.hasTables)
            else { return nil }
            method = colors.hasTables ? .exact(MemoizedTransform(transform)) : .littleCMS(transform)
        }
        self.layout = layout
    }

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
        switch method {
        case .greys(let pixels):
            for index in 0..<rows.size.area {
                let pixel = rows.base[index]
                rows.base[index] = pixels[Int(pixel & 0xFF)] & 0xFF_FFFF | pixel & 0xFF00_0000
            }
        case .exact(let transform):
            transform.apply(to: UnsafeMutableBufferPointer(start: rows.base, count: rows.size.area))
        case .littleCMS(let transform):
            let stride = UInt32(rows.size.width * 4)
            cmsDoTransformLineStride(
                transform.handle,
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
    private static let cache = TransformCache<ColorTransform>()

    /// The conversion of `profile`; nil if it equals sRGB, is invalid or does not fit `layout`.
    package static func toSRGB(from profile: [UInt8], layout: ColorLayout) -> ColorTransform? {
        toSRGB(from: ColorSource(profile: profile, layout: layout))
    }

    static func toSRGB(from source: ColorSource) -> ColorTransform? {
        if source.encoding == .sRGB { return nil }
        return cache.transform(from: source) {
            guard let colors = SourceProfile(source),
                let transform = ColorTransform(colors, source.layout)
            else { return nil }
            return transform.changesNothing ? nil : transform
        }
    }
}
