#if Video
    import AlcedoPixels
    import AlcedoVideo
    import Testing

    struct `A damaged video` {
        private static let names =
            `A frame of a video`.counting.map(\.0) + [
                "mjpeg.mov", "prores.mov", "alpha.mov", "one-frame.webm", "one-frame.mkv", "one-frame.avi",
                "one-frame.ogv", "one-frame.mp4", "long-last.webm", "long-last.ogv", "long-last.avi",
            ]

        /// The frame that is right, or an error, however much of the file is there.
        @Test(arguments: names)
        func `a video that is cut short is an error or has the right frame`(_ name: String) throws {
            let video = try VideoFile(name)
            // MPEG-TS does not say how long it is, and its last frames are out of order.
            let isShortened = name.hasSuffix(".ts")
            var errors = 0
            for time in [0, 0.15, 1.05] {
                guard let whole = try? video.frame(at: time) else { continue }
                for count in stride(from: 0, to: video.count, by: max(1, video.count / 40)) {
                    do {
                        let frame = try video.prefix(count).frame(at: time)
                        let isEarlier = isShortened && frame.number ?? 99 < whole.number ?? 0
                        #expect(
                            frame.hasSamePixels(as: whole) || isEarlier,
                            "\(name) at \(time) s, \(count) of \(video.count) bytes")
                    } catch let error as CodecError {
                        #expect(error.isDamage || Self.isEnd(error), "\(error)")
                        errors += 1
                    }
                }
            }
            #expect(errors > 0)
        }

        private static func isEnd(_ error: CodecError) -> Bool {
            if case .noFrame = error { return true }
            return false
        }
    }
#endif
