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
                $0.progressiveBytes = 8 << 20
                $0.metadataBytes = 1 << 16
                $0.seconds = 1
            }
        }

        func run(_ bytes: [UInt8]) {
            let span = bytes.span.bytes
            guard codec.format(of: span) != nil else { return }
            let info = try? codec.info(of: span, limits: Self.limits)
            _ = codec.profile(of: span, limits: Self.limits)
            _ = try? codec.frameDurations(of: span, limits: Self.limits)
            let options = DecodeOptions { $0.limits = Self.limits }
            if let bitmap = try? codec.decode(span, options: options) {
                precondition(
                    bitmap.size == info?.size, "decoded to \(bitmap.size), announced as \(info as Any)")
                let memory = info.map { codec.memory(of: span, info: $0, options: options) }
                precondition(bitmap.byteCount == memory?.result, "charged as \(memory as Any)")
            }
            _ = codec.hasAllPixels(span, limits: Self.limits)
            let reduced = DecodeOptions {
                $0.limits = Self.limits
                $0.keepsStraightAlpha = true
                $0.atLeast = PixelSize(width: 5, height: 3)
            }
            if let bitmap = try? codec.decode(span, options: reduced), let info {
                precondition(info.isScalable || bitmap.size.area <= info.size.area)
            }
            playAll(bytes, options)
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

    /// A progressive JPEG that arrives in pieces; the last byte is their size.
    enum ScanFuzz {
        static func run(_ bytes: [UInt8]) {
            let decoder = JPEGScanDecoder(
                options: DecodeOptions { $0.limits = DecoderFuzz<JPEGCodec>.limits })
            let piece = max(bytes.count / 8, Int(bytes.last ?? 0) * 4, 1)
            for (scan, start) in stride(from: 0, to: bytes.count, by: piece).enumerated() {
                decoder.append(Array(bytes[start..<min(start + piece, bytes.count)]))
                _ = try? decoder.picture(scans: scan + 1)
            }
            _ = decoder.orientation
        }
    }
#endif
