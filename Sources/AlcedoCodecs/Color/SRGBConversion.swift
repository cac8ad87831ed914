import AlcedoPixels
import CLcms2

/// Converts deep pixels as decoders convert samples of their space: at full depth, and then dithered.
struct SRGBConversion: StandardConversion {
    func standard(_ bitmap: Bitmap) throws(CodecError) -> Bitmap {
        try bitmap.cut(by: ColorSource(bitmap.colorSpace, layout: .rgba).deepTransform)
    }
}

extension Bitmap {
    /// The bitmap, which must be deep, in 8 bits of its own colour space, dithered; for encoders that name that space.
    func cut() throws(CodecError) -> Bitmap { try cut(by: nil) }

    /// Converts the colours with `transform` and cuts them to 8 bits.
    fileprivate func cut(by transform: DeepTransform?) throws(CodecError) -> Bitmap {
        let converter = DeepConverter(
            transform, alpha: alpha.ofSamples, options: DecodeOptions(keepsStraightAlpha: alpha == .straight))
        var result = try PixelBuilder(size: size, alpha: alpha)
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
    func widened(to target: DeepTarget, options: DecodeOptions) throws(CodecError) -> Bitmap {
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

extension Bitmap.Alpha {
    fileprivate var ofSamples: DeepConverter.Alpha {
        switch self {
        case .opaque: .none
        case .premultiplied: .premultiplied
        case .straight: .straight
        }
    }
}
