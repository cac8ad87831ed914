#if (DEBUG || FUZZ) && Video
    import AlcedoPixels
    import AlcedoVideo
    import Glibc

    /// The first frame of a video, and one that is a second later.
    enum VideoFuzz {
        static func run(_ bytes: [UInt8]) {
            guard let stream = tmpfile() else { return }
            defer { fclose(stream) }
            guard fwrite(bytes, 1, bytes.count, stream) == bytes.count, fflush(stream) == 0 else { return }
            let file = fileno(stream)
            for time in [0, 1.0] {
                let options = DecodeOptions {
                    $0.time = time
                    $0.limits = DecodeLimits {
                        $0.pixelsPerFrame = 1 << 19
                        $0.seconds = 1
                    }
                }
                guard let frame = try? VideoDecoder().decode(file, options: options) else { continue }
                precondition(frame.size.area <= 1 << 19 && frame.alpha != .straight)
            }
        }
    }
#endif
