#if DEBUG || FUZZ
    import AlcedoCodecs
    import AlcedoPixels

    /// All operations of one codec.
    struct DecoderFuzz<Codec: ImageCodec>: Sendable {
        let codec: Codec

        /// A 64th of the default limits, so that many inputs run per second.
        static var limits: DecodeLimits {
            DecodeLimits {
                $0.pixelsPerFrame = 1 << 19
                $0.storedPixelsPerFrame = 1 << 20
                $0.pixelsPerAnimation = 1 << 21
                $0.frames = 200
                $0.progressiveScans = 20
                $0.metadataBytes = 1 << 16
                $0.seconds = 1
            }
        }

        func run(_ bytes: [UInt8]) {
            let span = bytes.span.bytes
            guard codec.format(of: span) != nil else { return }
            let info = try? codec.info(of: span, limits: Self.limits)
            _ = codec.profile(of: span, limits: Self.limits)
            _ = (codec as? any ColorDescribing)?.colors(of: span, limits: Self.limits)
            _ = try? codec.frameDurations(of: span, limits: Self.limits)
            let options = DecodeOptions { $0.limits = Self.limits }
            if let bitmap = try? codec.decode(span, options: options) {
                precondition(
                    bitmap.size == info?.size, "decoded to \(bitmap.size), announced as \(info as Any)")
                let memory = info.map { codec.memory(of: span, info: $0, options: options) }
                precondition(bitmap.byteCount == memory?.result, "charged as \(memory as Any)")
            }
            decodeDeep(span, info)
            _ = codec.hasAllPixels(span, limits: Self.limits)
            let reduced = DecodeOptions {
                $0.limits = Self.limits
                $0.keepsStraightAlpha = true
                $0.atLeast = PixelSize(width: 5, height: 3)
            }
            if let bitmap = try? codec.decode(span, options: reduced), let info {
                precondition(info.isScalable || bitmap.size.area <= info.size.area)
            }
            turnBlocks(span)
            decodeTruncated(bytes)
            playAll(bytes, options)
        }

        /// Decodes with the depth and the space of the file, and converts that.
        private func decodeDeep(_ span: RawSpan, _ info: ImageInfo?) {
            let options = DecodeOptions {
                $0.limits = Self.limits
                $0.colorRetention = .hdr
            }
            guard let bitmap = try? codec.decode(span, options: options), let info else { return }
            let memory = codec.memory(of: span, info: info, options: options)
            precondition(bitmap.size == info.size && bitmap.storage.count <= memory.result)
            _ = bitmap.bytes(in: PixelLayout(.rgba, .straight))
        }

        /// Turns the blocks of a JPEG each way, which fails or writes one of the announced size.
        private func turnBlocks(_ span: RawSpan) {
            guard let codec = codec as? any BlockTransforming else { return }
            for turn in ImageOrientation.allCases {
                let transform = BlockTransform(
                    turn: turn, crop: PixelFrame(x: 3, y: 9, width: 50, height: 40), trims: true)
                guard let file = try? codec.transformed(span, by: transform, limits: Self.limits) else {
                    continue
                }
                let region = try? JPEGCodec.region(of: span, by: transform)
                let info = try? codec.info(of: file.span.bytes, limits: Self.limits)
                precondition(
                    info?.size == region.map { PixelSize(width: $0.width, height: $0.height) },
                    "\(turn) is \(info as Any), announced as \(region as Any)")
            }
        }

        /// Decodes the whole input and its first half as what there is of an image.
        private func decodeTruncated(_ bytes: [UInt8]) {
            guard codec.decodesTruncated else { return }
            let options = DecodeOptions {
                $0.limits = Self.limits
                $0.allowsTruncation = true
            }
            for count in [bytes.count, bytes.count / 2] {
                let span = bytes.span.extracting(0..<count).bytes
                guard let bitmap = try? codec.decode(span, options: options) else { continue }
                let info = try? codec.info(of: span, limits: Self.limits)
                precondition(bitmap.size == info?.size, "decoded to \(bitmap.size) of \(info as Any)")
            }
        }

        private func playAll(_ bytes: [UInt8], _ options: DecodeOptions) {
            guard let decoder = try? codec.frames(of: bytes.span.bytes, options: options) else { return }
            var count = 0
            while let frame = try? decoder.next() {
                precondition(frame.bitmap.size == decoder.info.size && frame.duration >= 0)
                count += 1
                precondition(count <= Self.limits.frames, "frames without an end")
            }
            decoder.rewind()
            _ = try? decoder.next()
        }
    }
#endif
