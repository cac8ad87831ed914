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
        private var transform: ColorTransform?

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
                    transform = JXLColors.transform(of: stream, limit: options.limits.metadataBytes)
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
            let finish = RowConverter(
                transform,
                hasAlpha: stream.hasAlpha,
                isPremultiplied: stream.header.alpha_premultiplied != 0,
                options: options
            )
            pixels.alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) in
                // libjxl may write no pixels for missing bytes.
                if options.allowsTruncation { output.initializeMemory(as: UInt8.self, repeating: 0) }
                try stream.setOutput(output)
                try decodePixels()
                return finish(PixelRows(output, size))
            }
            return pixels.freeze()
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
