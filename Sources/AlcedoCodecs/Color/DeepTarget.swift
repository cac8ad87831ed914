package import AlcedoPixels

/// The deep pixels that an image is decoded to with ``ColorRetention/full``.
///
/// Channels of RGB keep their space. Grey and CMYK profiles, and profiles over ``ColorSpace/largestProfile`` bytes, are
/// converted to 16 bits of sRGB.
package struct DeepTarget {
    package let colors: DeepColors

    /// From the samples to the colours; nil if they have those.
    private let transform: DeepTransform?

    /// For samples of sRGB.
    static let sRGB = DeepTarget(colors: .sRGB, transform: nil)

    private init(colors: DeepColors, transform: DeepTransform?) {
        (self.colors, self.transform) = (colors, transform)
    }

    /// Nil if 8 bits of sRGB have all that the image has, or if the options don't ask for more.
    ///
    /// - Parameters:
    ///   - space: what the file says about its colours; nil for sRGB.
    ///   - layout: the channels of the samples.
    ///   - isDeep: whether samples have more than 8 bits.
    ///   - options: those of the decode job.
    package init?(_ space: ColorSpace?, layout: ColorLayout, isDeep: Bool, options: DecodeOptions) {
        guard options.colorRetention.keepsColors else { return nil }
        let source = space.map { ColorSource($0, layout: layout) }
        // A profile that is within a level of 255 of sRGB counts as sRGB with 8 bits only.
        let isSRGB = isDeep ? source?.deepTransform == nil : source?.transform == nil
        guard let space, let source, !isSRGB else {
            guard isDeep else { return nil }
            (colors, transform) = (.sRGB, nil)
            return
        }
        if layout.isRGB, space.canBeKept(options.limits) {
            (colors, transform) = (DeepColors(space, SRGBConversion()), nil)
        } else {
            guard isDeep else { return nil }
            // `DeepTransform.convert(inks:by:)` has made inks sRGB by then.
            (colors, transform) = (.sRGB, layout == .invertedCMYK ? nil : source.deepTransform)
        }
    }

    /// Converts samples with this kind of alpha.
    package func writer(alpha: DeepConverter.Alpha, options: DecodeOptions) -> DeepWriter {
        DeepWriter(transform, alpha: alpha, keepsStraightAlpha: options.keepsStraightAlpha)
    }
}

extension DeepColors {
    package static let sRGB = DeepColors(.sRGB, SRGBConversion())
}

extension ColorSpace {
    /// Whether pixels of a decoder with these limits may have this space.
    ///
    /// Where a worker process is required, no profile of a file reaches Little CMS in this one.
    fileprivate func canBeKept(_ limits: DecodeLimits) -> Bool {
        guard case .icc(let profile) = self else { return true }
        return profile.count <= Self.largestProfile && limits.sandbox != .required
    }
}

extension ColorSource {
    /// What a file says about the colours of its samples.
    package init(_ space: ColorSpace, layout: ColorLayout) {
        switch space {
        case .codePoints(let primaries, let transfer):
            self.init(RGBEncoding(primaries: Int(primaries), transfer: Int(transfer)))
        case .icc(let profile): self.init(profile: profile, layout: layout)
        }
    }
}

/// Writes samples as deep pixels: multiplied by alpha, unless the options keep it straight.
package struct DeepWriter {
    private let transform: DeepTransform?
    private let alpha: DeepConverter.Alpha
    private let keepsStraightAlpha: Bool

    init(_ transform: DeepTransform?, alpha: DeepConverter.Alpha, keepsStraightAlpha: Bool) {
        (self.transform, self.alpha) = (transform, alpha)
        self.keepsStraightAlpha = keepsStraightAlpha
    }

    /// The alpha of an image, given whether all of it is opaque.
    package func alpha(isOpaque: Bool) -> Bitmap.Alpha {
        if isOpaque { return .opaque }
        return keepsStraightAlpha ? .straight : .premultiplied
    }

    /// Converts in place; returns whether all pixels are opaque.
    package func callAsFunction(_ pixels: DeepPixels) -> Bool {
        if alpha == .none {
            for index in pixels.indices { pixels[index].w = .max }
            transform?.convert(pixels)
            return true
        }
        if alpha == .premultiplied, keepsStraightAlpha || transform != nil {
            DeepConverter.unpremultiply(pixels)
        }
        transform?.convert(pixels)
        var all = UInt16.max
        for index in pixels.indices { all &= pixels[index].w }
        if all == .max { return true }
        if keepsStraightAlpha { return false }
        if alpha == .premultiplied, transform == nil {
            // A file's colours may exceed its alpha.
            for index in pixels.indices {
                let pixel = pixels[index]
                pixels[index] = pointwiseMin(pixel, SIMD4(repeating: pixel.w))
            }
        } else {
            DeepConverter.premultiply(pixels)
        }
        return false
    }
}

extension DeepTransform {
    /// Converts red, green and blue, or grey, to 16 bits of sRGB in place; the fourth sample stays as it is.
    fileprivate func convert(_ pixels: DeepPixels) {
        switch method {
        case .light(let tables):
            let (columns, offset) = (tables.columns, tables.offset)
            SRGBLevels.all.withNumbers { levels in
                tables.withNumbers { red, green, blue in
                    for index in pixels.indices {
                        let pixel = pixels[index]
                        // In the order of the matrix: blue, green, red.
                        var light = offset + columns.0 * red[Int(pixel.x)]
                        light += columns.1 * green[Int(pixel.y)] + columns.2 * blue[Int(pixel.z)]
                        light.clamp(lowerBound: .zero, upperBound: .one)
                        light = light * 65535 + 0.5
                        func level(_ light: Float) -> UInt16 { UInt16(levels[Int(light)] * 257 + 0.5) }
                        pixels[index] = SIMD4(level(light.z), level(light.y), level(light.x), pixel.w)
                    }
                }
            }
        case .littleCMS(let transform):
            transform.apply(to: pixels)
        }
    }
}
