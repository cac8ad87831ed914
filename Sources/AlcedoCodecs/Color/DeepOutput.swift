package import AlcedoPixels

/// Makes bitmaps of 16-bit samples: deep ones, or of 8 bits in sRGB.
package enum DeepOutput {
    case cut(DeepConverter)
    case kept(DeepWriter, DeepColors)

    /// `transform` converts from RGBA or grey to sRGB where the bitmap has 8 bits; nil for samples in sRGB.
    package init(
        _ transform: DeepTransform?, target: DeepTarget?, alpha: DeepConverter.Alpha, options: DecodeOptions
    ) {
        if let target {
            self = .kept(target.writer(alpha: alpha, options: options), target.colors)
        } else {
            self = .cut(DeepConverter(transform, alpha: alpha, options: options))
        }
    }

    /// Makes a bitmap of rows that `row` writes by their number.
    package func bitmap(
        of size: PixelSize, until deadline: Deadline, row: (Int, DeepPixels) throws(CodecError) -> Void
    ) throws(CodecError) -> Bitmap {
        let (width, step) = (size.width, Deadline.rows(of: size.width))
        var pixels = try PixelBuilder(size: size, alpha: .opaque, deep: colors)
        var isOpaque = true
        try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
            switch self {
            case .kept(let writer, _):
                let all = output.bindMemory(to: SIMD4<UInt16>.self)
                for y in 0..<size.height {
                    if y % step == 0 { try deadline.check() }
                    let pixels = DeepPixels(rebasing: all[y * width..<(y + 1) * width])
                    try row(y, pixels)
                    isOpaque = writer(pixels) && isOpaque
                }
            case .cut(let converter):
                let memory = try PixelMemory.allocate(byteCount: width * 8)
                defer { PixelMemory.free(memory) }
                let pixels = DeepPixels(
                    start: memory.bindMemory(to: SIMD4<UInt16>.self, capacity: width), count: width)
                let rows = PixelRows(output, size)
                for y in 0..<size.height {
                    if y % step == 0 { try deadline.check() }
                    try row(y, pixels)
                    isOpaque = converter(pixels, to: rows.row(y).base, at: (0, y)) && isOpaque
                }
            }
        }
        pixels.alpha = alpha(isOpaque: isOpaque)
        return pixels.freeze()
    }

    /// Makes a bitmap of all samples, which `write` fills memory with: 8 bytes for each pixel.
    ///
    /// `row` changes the samples of a row before they are converted.
    package func bitmap(
        of size: PixelSize, until deadline: Deadline,
        write: (UnsafeMutableRawBufferPointer) throws(CodecError) -> Void,
        row: (Int, DeepPixels) -> Void = { _, _ in }
    ) throws(CodecError) -> Bitmap {
        let (width, step) = (size.width, Deadline.rows(of: size.width))
        var result = try PixelBuilder(size: size, alpha: .opaque, deep: colors)
        var isOpaque = true
        try result.withUnsafeMutableBytes { (output) throws(CodecError) in
            var memory: UnsafeMutableRawPointer?
            defer { if let memory { PixelMemory.free(memory) } }
            var samples = output
            if case .cut = self {
                let allocated = try PixelMemory.allocate(byteCount: size.area * 8)
                memory = allocated
                samples = UnsafeMutableRawBufferPointer(start: allocated, count: size.area * 8)
            }
            try write(samples)
            let all = samples.bindMemory(to: SIMD4<UInt16>.self)
            for y in 0..<size.height {
                if y % step == 0 { try deadline.check() }
                let pixels = DeepPixels(rebasing: all[y * width..<(y + 1) * width])
                row(y, pixels)
                switch self {
                case .kept(let writer, _): isOpaque = writer(pixels) && isOpaque
                case .cut(let converter):
                    let target = PixelRows(output, size).row(y).base
                    isOpaque = converter(pixels, to: target, at: (0, y)) && isOpaque
                }
            }
        }
        result.alpha = alpha(isOpaque: isOpaque)
        return result.freeze()
    }

    private var colors: DeepColors? {
        if case .kept(_, let colors) = self { colors } else { nil }
    }

    private func alpha(isOpaque: Bool) -> Bitmap.Alpha {
        switch self {
        case .cut(let converter): converter.alpha(isOpaque: isOpaque)
        case .kept(let writer, _): writer.alpha(isOpaque: isOpaque)
        }
    }
}
