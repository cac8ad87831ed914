package import AlcedoPixels

/// Converts the pixels of a library that writes whole images of RGBA, of 8 bits a channel or of 16.
package struct SampleConverter {
    private enum Depth {
        case bytes(RowConverter)
        case deep(DeepConverter)
    }

    private let depth: Depth

    /// `colors` are for RGBA or grey; nil for sRGB.
    package init(
        _ colors: ColorSource?, isDeep: Bool, hasAlpha: Bool, isPremultiplied: Bool, options: DecodeOptions
    ) {
        depth =
            isDeep
            ? .deep(
                DeepConverter(
                    colors?.deepTransform,
                    alpha: !hasAlpha ? .none : isPremultiplied ? .premultiplied : .straight,
                    options: options))
            : .bytes(
                RowConverter(
                    colors?.transform, hasAlpha: hasAlpha, isPremultiplied: isPremultiplied, options: options)
            )
    }

    /// Has `write` fill memory for all pixels, and converts them to `rows`; returns the alpha of the result.
    package func callAsFunction(
        _ rows: PixelRows, until deadline: Deadline,
        write: (UnsafeMutableRawBufferPointer) throws(CodecError) -> Void
    ) throws(CodecError) -> Bitmap.Alpha {
        switch depth {
        case .bytes(let converter):
            try write(UnsafeMutableRawBufferPointer(start: rows.base, count: rows.size.area * 4))
            try deadline.check()
            return converter(rows)
        case .deep(let converter):
            let memory = try PixelMemory.allocate(byteCount: rows.size.area * 8)
            defer { PixelMemory.free(memory) }
            let bytes = UnsafeMutableRawBufferPointer(start: memory, count: rows.size.area * 8)
            try write(bytes)
            let pixels = bytes.bindMemory(to: SIMD4<UInt16>.self)
            let width = rows.size.width
            let step = Deadline.rows(of: width)
            var isOpaque = true
            for y in 0..<rows.size.height {
                if y % step == 0 { try deadline.check() }
                let row = DeepPixels(rebasing: pixels[y * width..<(y + 1) * width])
                isOpaque = converter(row, to: rows.row(y).base, at: (0, y)) && isOpaque
            }
            return converter.alpha(isOpaque: isOpaque)
        }
    }
}
