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

        // libjxl reads `bytes` until it is destroyed.
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
        private var colors = JXLColors()

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
                    colors = JXLColors(of: stream, options: options)
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
            let (hasAlpha, isPremultiplied) = (stream.hasAlpha, stream.header.alpha_premultiplied != 0)
            let alpha: DeepConverter.Alpha =
                !hasAlpha ? .none : isPremultiplied ? .premultiplied : .straight
            if let black = stream.black { return try bitmap(black: black, alpha) }
            if let target = colors.target, colors.isDeep {
                return try DeepOutput(nil, target: target, alpha: alpha, options: options)
                    .bitmap(of: stream.size, until: stream.deadline) { (output) throws(CodecError) in
                        prepare(output)
                        try stream.setOutput(output)
                        try decodePixels()
                    }
            }
            let size = stream.size
            var pixels = try PixelBuilder(size: size, alpha: .opaque)
            pixels.alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
                prepare(output)
                if stream.isDeep { return try decode(to: output, size, alpha) }
                try stream.setOutput(output)
                try decodePixels()
                var options = options
                if colors.target != nil { options.keepsStraightAlpha = true }
                let finish = RowConverter(
                    colors.target == nil ? colors.source?.transform : nil, hasAlpha: hasAlpha,
                    isPremultiplied: isPremultiplied, options: options)
                return finish(PixelRows(output, size))
            }
            let bitmap = pixels.freeze()
            guard let target = colors.target else { return bitmap }
            return try bitmap.widened(to: target, options: options)
        }

        /// libjxl may write no pixels for missing bytes.
        private func prepare(_ memory: UnsafeMutableRawBufferPointer) {
            if options.allowsTruncation { memory.initializeMemory(as: UInt8.self, repeating: 0) }
        }

        /// Decodes samples of more than 8 bits to 8, without keeping a frame of them.
        private func decode(
            to output: UnsafeMutableRawBufferPointer, _ size: PixelSize, _ alpha: DeepConverter.Alpha
        ) throws(CodecError) -> Bitmap.Alpha {
            let convert = DeepConverter(colors.source?.deepTransform, alpha: alpha, options: options)
            let receiver = JXLReceiver(PixelRows(output, size), convert)
            try stream.setReceiver(receiver)
            try withExtendedLifetime(receiver) { () throws(CodecError) in try decodePixels() }
            return receiver.alpha
        }

        /// Decodes CMYK, whose black is a channel beside the colours; 0 is all ink.
        private func bitmap(black: Int, _ alpha: DeepConverter.Alpha) throws(CodecError) -> Bitmap {
            let size = stream.size
            let memory = try PixelMemory.allocate(byteCount: size.area * 2)
            defer { PixelMemory.free(memory) }
            let blacks = UnsafeMutableRawBufferPointer(start: memory, count: size.area * 2)
            prepare(blacks)
            var options = options
            options.limits.isDithered = options.limits.isDithered && stream.isDeep
            let output = DeepOutput(
                nil, target: colors.target, alpha: alpha == .none ? .none : .straight, options: options)
            let (transform, width) = (colors.source?.deepTransform, size.width)
            var alphas = [UInt16](repeating: .max, count: width)
            return try output.bitmap(of: size, until: stream.deadline) { (inks) throws(CodecError) in
                prepare(inks)
                try stream.setOutput(inks)
                try stream.setBlack(black, blacks)
                try decodePixels()
            } row: { y, row in
                let levels = blacks.bindMemory(to: UInt16.self)
                if alpha == .premultiplied { DeepConverter.unpremultiply(row) }
                for x in 0..<width {
                    alphas[x] = row[x].w
                    row[x].w = levels[y * width + x]
                }
                DeepTransform.convert(inks: row, by: transform)
                for x in 0..<width { row[x].w = alphas[x] }
            }
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
