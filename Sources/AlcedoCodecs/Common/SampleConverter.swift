package import AlcedoPixels

/// Makes bitmaps of the pixels of a library that writes whole images of RGBA, of 8 bits a channel or of 16.
package struct SampleConverter {
    private enum Depth {
        /// 8 bits, which are widened if there is a target.
        case bytes(RowConverter, widening: DeepTarget?)
        case deep(DeepOutput)
    }

    private let depth: Depth
    private let options: DecodeOptions

    /// `space` is what the file says about the colours of RGBA; nil for sRGB.
    package init(
        _ space: ColorSpace?, isDeep: Bool, hasAlpha: Bool, isPremultiplied: Bool, options: DecodeOptions
    ) {
        self.options = options
        let target = DeepTarget(space, layout: .rgba, isDeep: isDeep, options: options)
        let colors = space.map { ColorSource($0, layout: .rgba) }
        if isDeep {
            let alpha: DeepConverter.Alpha =
                !hasAlpha ? .none : isPremultiplied ? .premultiplied : .straight
            depth = .deep(DeepOutput(colors?.deepTransform, target: target, alpha: alpha, options: options))
            return
        }
        var conversion = options
        if target != nil { conversion.keepsStraightAlpha = true }
        depth = .bytes(
            RowConverter(
                target == nil ? colors?.transform : nil, hasAlpha: hasAlpha, isPremultiplied: isPremultiplied,
                options: conversion),
            widening: target)
    }

    /// Makes a bitmap of all pixels that `write` fills memory with: 4 bytes for each, or 8 if the samples are deep.
    package func bitmap(
        of size: PixelSize, until deadline: Deadline,
        write: (UnsafeMutableRawBufferPointer) throws(CodecError) -> Void
    ) throws(CodecError) -> Bitmap {
        switch depth {
        case .bytes(let converter, let target):
            var pixels = try PixelBuilder(size: size, alpha: .opaque)
            pixels.alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
                try write(output)
                try deadline.check()
                return converter(PixelRows(output, size))
            }
            let bitmap = pixels.freeze()
            guard let target else { return bitmap }
            return try bitmap.widened(to: target, options: options)
        case .deep(let output):
            return try output.bitmap(of: size, until: deadline, write: write)
        }
    }

    /// Makes a bitmap of deep samples row by row, which ``DeepOutput/bitmap(of:until:row:)`` describes.
    ///
    /// - Precondition: The samples are deep.
    package func bitmap(
        of size: PixelSize, until deadline: Deadline, row: (Int, DeepPixels) throws(CodecError) -> Void
    ) throws(CodecError) -> Bitmap {
        guard case .deep(let output) = depth else { preconditionFailure("the samples have 8 bits") }
        return try output.bitmap(of: size, until: deadline, row: row)
    }
}
