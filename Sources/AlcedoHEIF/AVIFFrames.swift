#if HEIF
    import AlcedoCodecs
    import AlcedoPixels

    /// Decodes the frames of an AVIF sequence in order.
    final class AVIFFrames: FrameDecoder {
        let info: ImageInfo

        private let bytes: EncodedBytes
        private let options: DecodeOptions
        private var sequence: AVIFReader?
        private var durations: [Double] = []
        private var convert: SampleConverter?
        private var position = 0

        /// Keeps `bytes`, of which `info` must have passed the limits.
        init(_ bytes: EncodedBytes, info: ImageInfo, options: DecodeOptions) {
            self.bytes = bytes
            self.info = info
            self.options = options
        }

        // The decoder reads `bytes` until it is destroyed.
        deinit {
            sequence = nil
            withExtendedLifetime(bytes) {}
        }

        func next() throws(CodecError) -> AnimationFrame? {
            try open()
            guard position < info.frameCount else { return nil }
            let size = info.size
            let deadline = Deadline(options.limits)
            try deadline.check()
            let bitmap = try convert?
                .bitmap(of: size, until: deadline) { (samples) throws(CodecError) in
                    guard try sequence?.next(into: samples, size: size) == true else {
                        throw .truncated(.avif)
                    }
                }
            guard let bitmap else { throw .truncated(.avif) }
            try deadline.check()
            let duration = position < durations.count ? durations[position] : 0
            position += 1
            return AnimationFrame(bitmap: bitmap, duration: duration)
        }

        func rewind() {
            sequence = nil
            position = 0
        }

        private func open() throws(CodecError) {
            if sequence != nil { return }
            let sequence = try AVIFReader(bytes.buffer, limits: options.limits)
            guard sequence.size == info.size else {
                throw .corrupt(.avif, reason: "two headers disagree on the size")
            }
            durations = sequence.durations
            convert = sequence.converter(options: options)
            self.sequence = consume sequence
        }
    }
#endif
