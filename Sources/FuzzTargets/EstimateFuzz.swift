#if DEBUG || FUZZ
    import AlcedoPixels

    /// What a codec says about bytes before it decodes them, held against what it then does.
    struct EstimateFuzz<Codec: ImageCodec>: Sendable {
        let codec: Codec

        /// Bytes that libraries allocate for images of any size, and that no estimate counts.
        private static var fixedBytes: Int { 24 << 20 }

        /// Sizes that a worker may send instead of the true one, up to the most that a message may have.
        private static var sizes: [PixelSize] {
            [
                PixelSize(width: 1, height: 1), PixelSize(width: 65_535, height: 65_535),
                PixelSize(width: (1 << 28) - 1, height: 1 << 27),
                PixelSize(width: 1, height: Int.max >> 8),
            ]
        }

        func run(_ bytes: [UInt8]) {
            let span = bytes.span.bytes
            guard codec.format(of: span) != nil else { return }
            let limits = DecoderFuzz<Codec>.limits
            let info = try? codec.info(of: span, limits: limits)
            precondition(info == (try? codec.info(of: span, limits: limits)), "read twice, read otherwise")
            guard let info else { return }
            check(info)
            for count in [bytes.count / 2, bytes.count - 1] {
                checkPrefix(of: bytes, count, info, limits)
            }
            for size in Self.sizes { checkAnySize(span, info, size) }
            for retention in [ColorRetention.standard, .full, .hdr] {
                var options = DecodeOptions { $0.limits = limits }
                options.colorRetention = retention
                let memory = codec.memory(of: span, info: info, options: options)
                precondition(memory == codec.memory(of: span, info: info, options: options))
                let peak = AllocationPeak.during { _ = try? codec.decode(span, options: options) }
                let most = memory.result + memory.beside + 4 * bytes.count + Self.fixedBytes
                precondition(peak <= most, "\(peak) bytes allocated, \(memory) announced for \(info)")
            }
        }

        private func check(_ info: ImageInfo) {
            precondition(!info.size.isEmpty && info.frameCount >= 1 && info.loopCount >= 0)
            precondition(info.frameCount > 1 || info.loopCount <= 1, "a still image that plays")
        }

        /// The first bytes of a file say the same as all of them, or less.
        private func checkPrefix(of bytes: [UInt8], _ count: Int, _ info: ImageInfo, _ limits: DecodeLimits) {
            let span = bytes.span.extracting(0..<max(0, count)).bytes
            guard let first = try? codec.info(of: span, limits: limits) else { return }
            precondition(first.format == info.format)
            // An icon is its largest picture of those that are there, and an unfinished sequence its still image.
            guard info.format != .ico, info.format != .avif else { return }
            // A GIF's first frame may be larger than its screen.
            let isSmaller = first.size.width <= info.size.width && first.size.height <= info.size.height
            precondition(
                info.format == .gif ? isSmaller : first.size == info.size,
                "\(first) in \(count) bytes of \(bytes.count), then \(info)")
            precondition(first.frameCount <= info.frameCount, "fewer frames in more bytes")
            precondition(first.orientation == info.orientation || first.orientation == .up)
        }

        /// The program estimates memory for a size that a compromised worker may have made up.
        private func checkAnySize(_ span: RawSpan, _ info: ImageInfo, _ size: PixelSize) {
            var claimed = info
            claimed.size = size
            for limits in [DecodeLimits(), DecodeLimits(pixelsPerFrame: .max, storedPixelsPerFrame: .max)] {
                for atLeast in [nil, PixelSize(width: 5, height: 3)] {
                    var options = DecodeOptions(atLeast: atLeast, limits: limits)
                    for (inBands, retention) in [
                        (false, ColorRetention.standard), (true, .standard), (false, .full),
                    ] {
                        (options.inBands, options.colorRetention) = (inBands, retention)
                        let memory = codec.memory(of: span, info: claimed, options: options)
                        let (sum, overflow) = memory.result.addingReportingOverflow(memory.beside)
                        precondition(memory.result >= 0 && memory.beside >= 0 && !overflow && sum > 0)
                    }
                }
            }
        }
    }
#endif
