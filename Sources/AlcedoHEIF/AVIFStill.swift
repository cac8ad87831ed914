#if HEIF
    import AlcedoCodecs
    import AlcedoPixels
    import CAvif

    /// The primary picture of an AVIF file, upright; the bytes must outlive it.
    struct AVIFStill: ~Copyable {
        private var reader: AVIFReader

        /// Reads the boxes; throws if there is no picture, or one that `limits` don't allow.
        init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws(CodecError) {
            reader = try AVIFReader(bytes, limits: limits, source: AVIF_DECODER_SOURCE_PRIMARY_ITEM)
        }

        /// Width and height once cropped and upright.
        var size: PixelSize { reader.orientation.upright(shown.size) }

        var hasAlpha: Bool { reader.hasAlpha }

        func profile(limit: Int) -> [UInt8]? { reader.profile(limit: limit) }

        /// Decodes, and turns the picture if it lies on its side.
        mutating func decode(options: DecodeOptions) throws(CodecError) -> Bitmap {
            let deadline = Deadline(options.limits)
            try deadline.check()
            let (stored, shown, orientation) = (reader.size, shown, reader.orientation)
            let bitmap = try reader.converter(options: options)
                .bitmap(of: stored, until: deadline) { (samples) throws(CodecError) in
                    guard try reader.next(into: samples, size: stored) else { throw .truncated(.avif) }
                }
            try deadline.check()
            guard shown.size != stored || orientation != .up else { return bitmap }
            var pixels = try PixelBuilder(size: size, alpha: bitmap.alpha, deep: bitmap.deep)
            let size = size
            let isOpaque = pixels.withUnsafeMutableBytes { output in
                if bitmap.isDeep {
                    let target = output.bindMemory(to: SIMD4<UInt16>.self)
                    Self.copy(bitmap, from: shown, orientation, to: target, size)
                    return target.allSatisfy { $0.w == .max }
                }
                Self.copy(bitmap, from: shown, orientation, to: output.bindMemory(to: UInt32.self), size)
                return PixelRows(output, size).isOpaque
            }
            if isOpaque { pixels.alpha = .opaque }
            try deadline.check()
            return pixels.freeze()
        }

        /// The visible part of the stored pixels.
        private var shown: (x: Int, y: Int, size: PixelSize) {
            let stored = reader.size
            guard let crop = reader.crop else { return (0, 0, stored) }
            let size = PixelSize(width: Int(crop.width), height: Int(crop.height))
            let (x, y) = (Int(crop.x), Int(crop.y))
            guard !size.isEmpty, x + size.width <= stored.width, y + size.height <= stored.height else {
                return (0, 0, stored)
            }
            return (x, y, size)
        }

        private static func copy<Pixel: BitwiseCopyable>(
            _ bitmap: Bitmap,
            from shown: (x: Int, y: Int, size: PixelSize),
            _ orientation: ImageOrientation,
            to output: UnsafeMutableBufferPointer<Pixel>,
            _ size: PixelSize
        ) {
            let source = bitmap.storage.bindMemory(to: Pixel.self)
            let (right, bottom) = (shown.size.width - 1, shown.size.height - 1)
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let (column, row) =
                        switch orientation {
                        case .up: (x, y)
                        case .upMirrored: (right - x, y)
                        case .down: (right - x, bottom - y)
                        case .downMirrored: (x, bottom - y)
                        case .leftMirrored: (y, x)
                        case .right: (y, bottom - x)
                        case .rightMirrored: (right - y, bottom - x)
                        case .left: (right - y, x)
                        }
                    output[y * size.width + x] =
                        source[(shown.y + row) * bitmap.width + shown.x + column]
                }
            }
        }
    }
#endif
