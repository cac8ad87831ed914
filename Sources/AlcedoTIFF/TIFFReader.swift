#if TIFF
    import AlcedoCodecs
    import AlcedoPixels

    /// Reads the first image of a file.
    final class TIFFReader {
        /// Samples of a pixel; more would take memory without being shown.
        private static let mostSamples = 16

        let info: ImageInfo

        private enum Pixels {
            case samples(TIFFSamples)
            case converted(TIFFConversion)
        }

        private let file: TIFFFile
        private let pixels: Pixels

        /// Reads the headers; `bytes` must outlive it.
        init(
            _ bytes: UnsafeRawBufferPointer, limits: DecodeLimits, isInWorker: Bool
        ) throws(CodecError) {
            file = try TIFFFile(bytes, limits: limits, isInWorker: isInWorker)
            try limits.check(frame: file.size, of: .tiff)
            guard file.samplesPerPixel <= Self.mostSamples else {
                throw .unsupported(
                    .tiff,
                    reason: "it has \(file.samplesPerPixel) samples per pixel, more than \(Self.mostSamples)")
            }
            try file.checkBlocks()
            let hasAlpha: Bool
            if let samples = try TIFFSamples(file) {
                (pixels, hasAlpha) = (.samples(samples), samples.alpha != nil)
            } else {
                let conversion = try TIFFConversion(file)
                (pixels, hasAlpha) = (.converted(conversion), conversion.hasAlpha)
            }
            info = ImageInfo(
                format: .tiff, size: file.size, orientation: file.orientation, hasAlpha: hasAlpha,
                isComplete: file.isComplete)
        }

        /// The pixels as the options want them.
        func bitmap(options: DecodeOptions) throws(CodecError) -> Bitmap {
            let deadline = Deadline(options.limits)
            let profile = profile(limit: options.limits.metadataBytes)
            switch pixels {
            case .samples(let samples):
                let space = samples.colors == .palette ? nil : profile.map { ColorSpace.icc($0) }
                let target = DeepTarget(
                    space, layout: samples.layout, isDeep: samples.isDeep, options: options)
                let palette = samples.colors == .palette ? try file.palette(count: 1 << samples.bits) : []
                var colors = TIFFColors(
                    samples, palette: palette, profile: profile, to: target, options: options)
                var pixels = try PixelBuilder(size: info.size, alpha: .opaque, deep: target?.colors)
                let size = info.size
                pixels.alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
                    try read(samples, as: &colors, into: output, options.limits, deadline)
                    return colors.finish(output, size, options: options)
                }
                return pixels.freeze()
            case .converted(let conversion):
                var pixels = try PixelBuilder(size: info.size, alpha: .opaque)
                let size = info.size
                pixels.alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
                    try conversion.read(into: output, deadline)
                    return conversion.finish(PixelRows(output, size), profile: profile, options: options)
                }
                return pixels.freeze()
            }
        }

        /// The embedded profile; nil without one of at most `limit` bytes.
        func profile(limit: Int) -> [UInt8]? { file.profile(limit: limit) }

        /// Converts one strip or tile after the other.
        private func read(
            _ samples: TIFFSamples, as colors: inout TIFFColors, into output: UnsafeMutableRawBufferPointer,
            _ limits: DecodeLimits, _ deadline: Deadline
        ) throws(CodecError) {
            let planes = samples.isPlanar ? samples.shown : [0]
            let block = try file.block(
                rowBytes: samples.rowBytes(width: file.blockSize.width), planes: planes.count, limits: limits)
            let (width, height) = (info.size.width, info.size.height)
            guard let pixels = output.baseAddress else { return }
            // 4, or 8 of deep pixels.
            let bytesPerPixel = output.count / info.size.area
            let step = Deadline.rows(of: block.size.width)
            for y in stride(from: 0, to: height, by: block.size.height) {
                for x in stride(from: 0, to: width, by: block.size.width) {
                    try deadline.check()
                    let (columns, rows) = (
                        min(block.size.width, width - x), min(block.size.height, height - y)
                    )
                    for index in planes.indices {
                        try file.read(
                            (x, y), plane: planes[index], into: block.plane(index),
                            atLeast: block.bytes(rows: rows))
                    }
                    for row in 0..<rows {
                        if row % step == 0 { try deadline.check() }
                        let start = (y + row) * width + x
                        colors.convert(
                            row, of: block, to: pixels + start * bytesPerPixel, count: columns,
                            at: (x, y + row))
                    }
                }
            }
        }
    }
#endif
