#if HEIF
    import AlcedoCodecs
    import AlcedoPixels

    /// Decodes the frames of an AVIF sequence in order.
    final class AVIFFrames: FrameDecoder {
        let info: ImageInfo

        private let bytes: UnsafeMutableRawBufferPointer
        private let options: DecodeOptions
        private var sequence: AVIFSequence?
        private var durations: [Double] = []
        private var finish: PixelFinish?
        private var position = 0

        /// Copies `bytes`, of which `info` must have passed the limits.
        init(_ bytes: RawSpan, info: ImageInfo, options: DecodeOptions) throws(CodecError) {
            let count = bytes.byteCount
            let start = try PixelMemory.allocate(byteCount: count)
            self.bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
            let target = self.bytes
            bytes.withUnsafeBytes { target.copyMemory(from: $0) }
            self.info = info
            self.options = options
        }

        deinit {
            sequence = nil
            bytes.baseAddress.map(PixelMemory.free)
        }

        func next() throws(CodecError) -> AnimationFrame? {
            try open()
            guard position < info.frameCount else { return nil }
            let size = info.size
            var pixels = try PixelBuilder(size: size, alpha: .opaque)
            let alpha = try pixels.withUnsafeMutableBytes { (output) throws(CodecError) -> Bitmap.Alpha? in
                guard try sequence?.next(into: output, size: size) == true else { return nil }
                return finish?(PixelRows(output, size))
            }
            guard let alpha else { throw .truncated(.avif) }
            pixels.alpha = alpha
            let duration = position < durations.count ? durations[position] : 0
            position += 1
            return AnimationFrame(bitmap: pixels.freeze(), duration: duration)
        }

        func rewind() {
            sequence = nil
            position = 0
        }

        private func open() throws(CodecError) {
            if sequence != nil { return }
            let sequence = try AVIFSequence(UnsafeRawBufferPointer(bytes), limits: options.limits)
            guard sequence.size == info.size else {
                throw .corrupt(.avif, reason: "two headers disagree on the size")
            }
            durations = sequence.durations
            finish = PixelFinish(
                sequence.transform(limit: options.limits.metadataBytes),
                hasAlpha: sequence.hasAlpha,
                isPremultiplied: false,
                options: options
            )
            self.sequence = consume sequence
        }
    }
#endif
