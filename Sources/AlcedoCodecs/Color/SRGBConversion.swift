package import AlcedoPixels
import CLcms2

/// Converts deep pixels as decoders convert samples of their space: at full depth, and then dithered.
struct SRGBConversion: StandardConversion {
    func standard(_ bitmap: Bitmap) throws(CodecError) -> Bitmap {
        try bitmap.cut(by: ColorSource(bitmap.colorSpace, layout: .rgba).deepTransform)
    }

    func levels(of colors: [Double], in space: ColorSpace) -> [Double]? {
        if space == .sRGB { return colors }
        let source = ColorSource(space, layout: .rgba)
        // Little CMS knows the light of PQ and HLG only as it is compressed for displays without HDR.
        if let encoding = source.encoding, encoding.transfer.isHDR {
            guard let linear = encoding.linear.makeProfile() else { return nil }
            defer { cmsCloseProfile(linear) }
            return converted(colors, to: linear)?.map { encoding.transfer.level(ofLight: $0) }
        }
        guard let profile = SourceProfile(source), !profile.hasTables,
            let levels = converted(colors, to: profile.handle), levels.allSatisfy({ $0 <= 2 })
        else { return nil }
        return levels.map { min(max($0, 0), 1) }
    }

    /// Nil if Little CMS makes negative numbers of some colour.
    private func converted(_ colors: [Double], to profile: cmsHPROFILE) -> [Double]? {
        guard let source = cmsCreate_sRGBProfile() else { return nil }
        defer { cmsCloseProfile(source) }
        let format = alcedo_lcms_rgb_double
        guard
            let transform = cmsCreateTransform(
                source, format, profile, format, UInt32(INTENT_PERCEPTUAL),
                UInt32(cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE))
        else { return nil }
        defer { cmsDeleteTransform(transform) }
        var output = [Double](repeating: 0, count: colors.count)
        cmsDoTransform(transform, colors, &output, UInt32(colors.count / 3))
        return output.allSatisfy { $0 > -1e-6 } ? output : nil
    }

    func hasStandardCurve(_ space: ColorSpace) -> Bool {
        if space == .sRGB { return true }
        guard let colors = SourceProfile(ColorSource(space, layout: .rgba)), let model = LightModel(colors)
        else { return false }
        return model.curves.allSatisfy { curve in
            (0...64).allSatisfy { step in
                let value = Double(step) / 64
                return abs(curve(value) - RGBEncoding.Transfer.sRGB.light(value)) < 5e-4
            }
        }
    }
}

extension Bitmap {
    /// The bitmap, which must be deep, in 8 bits of its own colour space, dithered.
    ///
    /// With `isStraight` the result is opaque or straight: colours that are divided by alpha before they are cut lose nothing.
    func cut(isStraight: Bool) throws(CodecError) -> Bitmap { try cut(by: nil, isStraight: isStraight) }

    /// Converts the colours with `transform` and cuts them to 8 bits.
    fileprivate func cut(by transform: DeepTransform?, isStraight: Bool = false) throws(CodecError) -> Bitmap
    {
        let isStraight = alpha == .straight || isStraight && alpha == .premultiplied
        let converter = DeepConverter(
            transform, alpha: alpha.ofSamples, options: DecodeOptions(keepsStraightAlpha: isStraight))
        var result = try PixelBuilder(size: size, alpha: isStraight ? .straight : alpha)
        // The converter changes the samples that it reads.
        let memory = try PixelMemory.allocate(byteCount: width * 8)
        defer { PixelMemory.free(memory) }
        let row = DeepPixels(
            start: memory.bindMemory(to: SIMD4<UInt16>.self, capacity: width), count: width)
        result.withUnsafeMutableBytes { output in
            let rows = PixelRows(output, size)
            for y in 0..<height {
                UnsafeMutableRawBufferPointer(row).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: storage[y * width * 8..<(y + 1) * width * 8]))
                _ = converter(row, to: rows.row(y).base, at: (0, y))
            }
        }
        return result.freeze()
    }

    /// A deep bitmap of the samples of this one, of 8 bits in the colours of `target` and opaque or straight.
    package func widened(to target: DeepTarget, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let writer = target.writer(alpha: alpha.ofSamples, options: options)
        var result = try PixelBuilder(size: size, alpha: alpha, deep: target.colors)
        let width = width
        result.alpha = result.withUnsafeMutableBytes { output in
            let pixels = output.bindMemory(to: SIMD4<UInt16>.self)
            let source = storage.bindMemory(to: SIMD4<UInt8>.self)
            var isOpaque = true
            for y in 0..<height {
                let row = y * width..<(y + 1) * width
                for index in row {
                    pixels[index] = source[index].deepSamples
                }
                isOpaque = writer(DeepPixels(rebasing: pixels[row])) && isOpaque
            }
            return writer.alpha(isOpaque: isOpaque)
        }
        return result.freeze()
    }
}

extension Bitmap {
    /// Whether 8 bits have all of its samples.
    var hasOnlyBytes: Bool {
        guard isDeep else { return true }
        return storage.bindMemory(to: UInt16.self).allSatisfy { $0 & 0xFF == $0 >> 8 }
    }

    /// The bitmap in 16 bits a channel: itself if it is deep.
    package func deepened() throws(CodecError) -> Bitmap {
        guard !isDeep else { return self }
        return try widened(to: .sRGB, options: DecodeOptions(keepsStraightAlpha: alpha == .straight))
    }
}

extension Bitmap {
    /// The bitmap in 16 bits of sRGB; itself if it is in sRGB, with its depth.
    package func inSRGB() throws(CodecError) -> Bitmap {
        guard colorSpace != .sRGB else { return self }
        let transform = ColorSource(colorSpace, layout: .rgba).deepTransform
        return try converted(to: .sRGB, by: transform)
    }

    /// Whether its light may be brighter than white: PQ or HLG.
    package var isHDR: Bool { ColorSource(colorSpace, layout: .rgba).encoding?.transfer.isHDR == true }

    /// The bitmap, which has 8 bits, as a deep one whose samples are those of `space`.
    package func assigned(_ space: ColorSpace) throws(CodecError) -> Bitmap {
        guard space != .sRGB else { return self }
        var result = try PixelBuilder(size: size, alpha: alpha, deep: DeepColors(space, SRGBConversion()))
        result.withUnsafeMutableBytes { output in
            let pixels = output.bindMemory(to: SIMD4<UInt16>.self)
            let source = storage.bindMemory(to: SIMD4<UInt8>.self)
            for index in pixels.indices { pixels[index] = source[index].deepSamples }
        }
        return result.freeze()
    }

    /// The bitmap, which has 8 bits of sRGB and is not straight, in the space of a deep one, and deep.
    ///
    /// Nil if colours can't be converted to that space.
    package func matching(_ other: Bitmap) throws(CodecError) -> Bitmap? {
        let pixels = try deepened()
        guard let colors = other.deep, colors.space != .sRGB else { return pixels }
        var result = try PixelBuilder(size: size, alpha: alpha, deep: colors)
        let isConverted = result.withUnsafeMutableBytes { output in
            let target = output.bindMemory(to: SIMD4<UInt16>.self)
            let source = pixels.storage.bindMemory(to: SIMD4<UInt16>.self)
            return (0..<height).allSatisfy { y in
                let row = y * width..<(y + 1) * width
                let straight = source[row].flatMap { pixel in
                    let alpha = Double(max(pixel.w, 1))
                    return [Double(pixel.x) / alpha, Double(pixel.y) / alpha, Double(pixel.z) / alpha]
                }
                guard let levels = colors.conversion.levels(of: straight, in: colors.space) else {
                    return false
                }
                for (place, index) in row.enumerated() {
                    let alpha = source[index].w
                    func sample(_ channel: Int) -> UInt16 {
                        UInt16(levels[place * 3 + channel] * Double(alpha) + 0.5)
                    }
                    target[index] = SIMD4(sample(0), sample(1), sample(2), alpha)
                }
                return true
            }
        }
        return isConverted ? result.freeze() : nil
    }

    /// The bitmap in 16 bits of Display P3; light of PQ and HLG above white is compressed as for sRGB.
    package func inDisplayP3() throws(CodecError) -> Bitmap {
        guard colorSpace != .displayP3 else { return self }
        let transform = DeepTransform.toDisplayP3(from: ColorSource(colorSpace, layout: .rgba))
        return try deepened().converted(to: DeepColors(.displayP3, SRGBConversion()), by: transform)
    }

    private func converted(
        to colors: DeepColors, by transform: DeepTransform?
    ) throws(CodecError) -> Bitmap {
        let writer = DeepWriter(
            transform, alpha: alpha.ofSamples, keepsStraightAlpha: alpha == .straight)
        var result = try PixelBuilder(size: size, alpha: alpha, deep: colors)
        result.withUnsafeMutableBytes { output in
            output.copyMemory(from: storage)
            let pixels = output.bindMemory(to: SIMD4<UInt16>.self)
            for y in 0..<height { _ = writer(DeepPixels(rebasing: pixels[y * width..<(y + 1) * width])) }
        }
        return result.freeze()
    }
}

extension SIMD4<UInt8> {
    /// Red, green, blue and alpha of 16 bits, of a pixel of a bitmap.
    fileprivate var deepSamples: SIMD4<UInt16> {
        SIMD4<UInt16>(UInt16(z), UInt16(y), UInt16(x), UInt16(w)) &* 257
    }
}

extension Bitmap.Alpha {
    fileprivate var ofSamples: DeepConverter.Alpha {
        switch self {
        case .opaque: .none
        case .premultiplied: .premultiplied
        case .straight: .straight
        }
    }
}
