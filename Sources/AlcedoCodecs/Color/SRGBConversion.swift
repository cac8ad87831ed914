package import AlcedoPixels
import CLcms2

/// Converts deep pixels as decoders convert samples of their space: at full depth, and then dithered.
struct SRGBConversion: StandardConversion {
    func standard(_ bitmap: Bitmap) throws(CodecError) -> Bitmap {
        try bitmap.cut(by: ColorSource(bitmap.colorSpace, layout: .rgba).deepTransform)
    }

    func color(_ color: SIMD3<Double>, in space: ColorSpace) -> SIMD3<Double>? {
        if space == .sRGB { return color }
        guard let colors = SourceProfile(ColorSource(space, layout: .rgba)), !colors.hasTables,
            let source = cmsCreate_sRGBProfile()
        else { return nil }
        defer { cmsCloseProfile(source) }
        let format = alcedo_lcms_rgb_double
        guard
            let transform = cmsCreateTransform(
                source, format, colors.handle, format, UInt32(INTENT_PERCEPTUAL),
                UInt32(cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE))
        else { return nil }
        defer { cmsDeleteTransform(transform) }
        var output = [0.0, 0, 0]
        cmsDoTransform(transform, [color.x, color.y, color.z], &output, 1)
        let result = SIMD3(output)
        return all(result .>= 0) && all(result .<= 2) ? pointwiseMin(result, .one) : nil
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
                    let pixel = source[index]
                    pixels[index] =
                        SIMD4(UInt16(pixel.z), UInt16(pixel.y), UInt16(pixel.x), UInt16(pixel.w)) &* 257
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

extension Bitmap.Alpha {
    fileprivate var ofSamples: DeepConverter.Alpha {
        switch self {
        case .opaque: .none
        case .premultiplied: .premultiplied
        case .straight: .straight
        }
    }
}
