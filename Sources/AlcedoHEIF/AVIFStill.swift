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
            let convert = reader.converter(options: options)
            var pixels = try PixelBuilder(size: size, alpha: .opaque)
            let isAsStored = shown.size == stored && orientation == .up
            var whole: PixelBuilder? = isAsStored ? nil : try PixelBuilder(size: stored, alpha: .opaque)
            let size = size
            pixels.alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
                if isAsStored { return try read(to: PixelRows(output, stored), convert, deadline) }
                return try whole?
                    .withUnsafeMutableBytes { source throws(CodecError) -> Bitmap.Alpha in
                        let alpha = try read(to: PixelRows(source, stored), convert, deadline)
                        Self.copy(source, stored, from: shown, orientation, to: output, size)
                        return PixelRows(output, size).isOpaque ? .opaque : alpha
                    } ?? .opaque
            }
            try deadline.check()
            return pixels.freeze()
        }

        private mutating func read(
            to rows: PixelRows, _ convert: SampleConverter, _ deadline: Deadline
        ) throws(CodecError) -> Bitmap.Alpha {
            try convert(rows, until: deadline) { (samples) throws(CodecError) in
                guard try reader.next(into: samples, size: rows.size) else { throw .truncated(.avif) }
            }
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

        private static func copy(
            _ source: UnsafeMutableRawBufferPointer,
            _ stored: PixelSize,
            from shown: (x: Int, y: Int, size: PixelSize),
            _ orientation: Orientation,
            to output: UnsafeMutableRawBufferPointer,
            _ size: PixelSize
        ) {
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
                    let place = (shown.y + row) * stored.width + shown.x + column
                    let pixel = source.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self)
                    output.storeBytes(of: pixel, toByteOffset: (y * size.width + x) * 4, as: UInt32.self)
                }
            }
        }
    }
#endif
