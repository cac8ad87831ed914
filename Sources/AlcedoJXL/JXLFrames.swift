#if JXL
    import AlcedoCodecs
    import AlcedoPixels
    import CJxl

    /// Decodes frames in order; libjxl composes them.
    final class JXLFrames: FrameDecoder {
        let info: ImageInfo

        private let bytes: EncodedBytes
        private let options: DecodeOptions
        private var reader: JXLReader?

        /// Keeps `bytes`, a code stream of which `info` must have passed the limits.
        init(_ bytes: EncodedBytes, info: ImageInfo, options: DecodeOptions) {
            self.bytes = bytes
            self.info = info
            self.options = options
        }

        deinit {
            reader = nil
            withExtendedLifetime(bytes) {}
        }

        func next() throws(CodecError) -> AnimationFrame? {
            if reader == nil { reader = try JXLReader(bytes.buffer, options: options) }
            return try reader?.next()
        }

        func rewind() { reader = nil }
    }

    /// Reads frames out of bytes that outlive it.
    final class JXLReader {
        private var stream: JXLStream
        private let options: DecodeOptions
        private var colors: ColorSource?

        init(_ bytes: UnsafeRawBufferPointer, options: DecodeOptions) throws(CodecError) {
            stream = try JXLStream(bytes, limits: options.limits, closed: !options.allowsTruncation)
            self.options = options
        }

        /// The next frame, or nil after the last one.
        func next() throws(CodecError) -> AnimationFrame? {
            stream.limitTime(Deadline(options.limits))
            var duration = 0.0
            while let event = try stream.next() {
                switch event {
                case JXL_DEC_COLOR_ENCODING:
                    colors = JXLColors.colors(of: stream, limit: options.limits.metadataBytes)
                case JXL_DEC_FRAME:
                    duration = stream.seconds(stream.frameHeader.duration)
                case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
                    return AnimationFrame(bitmap: try pixels(), duration: duration)
                default:
                    throw .corrupt(.jxl, reason: "libjxl asks for what it was not told to")
                }
            }
            return nil
        }

        private func pixels() throws(CodecError) -> Bitmap {
            let size = stream.size
            var pixels = try PixelBuilder(size: size, alpha: .opaque)
            pixels.alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
                // libjxl may write no pixels for missing bytes.
                if options.allowsTruncation { output.initializeMemory(as: UInt8.self, repeating: 0) }
                return try decode(to: output, size)
            }
            return pixels.freeze()
        }

        private func decode(
            to output: UnsafeMutableRawBufferPointer, _ size: PixelSize
        ) throws(CodecError) -> Bitmap.Alpha {
            if let black = stream.black { return try decode(black: black, to: PixelRows(output, size)) }
            let (hasAlpha, isPremultiplied) = (stream.hasAlpha, stream.header.alpha_premultiplied != 0)
            guard stream.isDeep else {
                try stream.setOutput(output)
                try decodePixels()
                let finish = RowConverter(
                    colors?.transform, hasAlpha: hasAlpha, isPremultiplied: isPremultiplied, options: options)
                return finish(PixelRows(output, size))
            }
            let convert = DeepConverter(
                colors?.deepTransform,
                alpha: !hasAlpha ? .none : isPremultiplied ? .premultiplied : .straight,
                options: options)
            let receiver = JXLReceiver(PixelRows(output, size), convert)
            try stream.setReceiver(receiver)
            try withExtendedLifetime(receiver) { () throws(CodecError) in try decodePixels() }
            return receiver.alpha
        }

        /// Decodes CMYK, whose black is a channel beside the colours; 0 is all ink.
        private func decode(black: Int, to rows: PixelRows) throws(CodecError) -> Bitmap.Alpha {
            let area = rows.size.area
            let memory = try PixelMemory.allocate(byteCount: area * 10)
            defer { PixelMemory.free(memory) }
            if options.allowsTruncation {
                memory.initializeMemory(as: UInt8.self, repeating: 0, count: area * 10)
            }
            let inks = UnsafeMutableRawBufferPointer(start: memory, count: area * 8)
            let blacks = UnsafeMutableRawBufferPointer(start: memory + area * 8, count: area * 2)
            try stream.setOutput(inks)
            try stream.setBlack(black, blacks)
            try decodePixels()

            var options = options
            options.limits.isDithered = options.limits.isDithered && stream.isDeep
            let hasAlpha = stream.hasAlpha
            let convert = DeepConverter(nil, alpha: hasAlpha ? .straight : .none, options: options)
            let transform = colors?.deepTransform
            let (pixels, levels) = (
                inks.bindMemory(to: SIMD4<UInt16>.self), blacks.bindMemory(to: UInt16.self)
            )
            let width = rows.size.width
            var alphas = [UInt16](repeating: .max, count: width)
            let step = Deadline.rows(of: width)
            var isOpaque = true
            for y in 0..<rows.size.height {
                if y % step == 0 { try stream.checkTime() }
                let row = DeepPixels(rebasing: pixels[y * width..<(y + 1) * width])
                if hasAlpha, stream.header.alpha_premultiplied != 0 { DeepConverter.unpremultiply(row) }
                for x in 0..<width {
                    alphas[x] = row[x].w
                    row[x].w = levels[y * width + x]
                }
                DeepTransform.convert(inks: row, by: transform)
                for x in 0..<width { row[x].w = alphas[x] }
                isOpaque = convert(row, to: rows.row(y).base, at: (0, y)) && isOpaque
            }
            return convert.alpha(isOpaque: isOpaque)
        }

        /// Decodes the pixels of a frame, or those that there are.
        private func decodePixels() throws(CodecError) {
            do throws(CodecError) {
                guard try stream.next() == JXL_DEC_FULL_IMAGE else {
                    throw .corrupt(.jxl, reason: "a frame has no pixels")
                }
            } catch {
                guard options.allowsTruncation, error == .truncated(.jxl), stream.flush() else { throw error }
            }
        }
    }
#endif
