#if Video
    import AlcedoPixels
    import AlcedoVideo
    import Foundation
    import Testing

    struct `A frame of a video` {
        /// Twenty frames, the first of which starts so many seconds after the start of the file.
        static let counting = [
            ("h264.mp4", 0), ("h264-headers-first.mp4", 0), ("h264-fragments.mp4", 0), ("h264.ts", 0),
            ("h264-sound.mkv", 0.128), ("hevc.mov", 0), ("vp8.webm", 0), ("vp9.webm", 0), ("av1.mp4", 0),
            ("mpeg4.avi", 0), ("mpeg2.mkv", 0), ("theora.ogv", 0),
        ]

        @Test(arguments: counting)
        func `a video's frame is the last one that starts by the time`(_ name: String, _ start: Double) throws
        {
            let video = try VideoFile(name)
            for number in 0..<20 {
                for later in [0, 0.05, 0.09] {
                    let frame = try video.frame(at: start + Double(number) / 10 + later)
                    #expect(frame.size == PixelSize(width: 64, height: 48))
                    #expect(frame.alpha == .opaque)
                    #expect(frame.number == number, "\(name), \(later) s after the start of frame \(number)")
                }
            }
        }

        @Test(arguments: [("mjpeg.mov", 3), ("prores.mov", 3)])
        func `a video's frame is the last one that starts by the time in MJPEG and ProRes, too`(
            _ name: String, _ count: Int
        ) throws {
            let video = try VideoFile(name)
            for number in 0..<count { #expect(try video.frame(at: Double(number) / 10).number == number) }
        }

        @Test func `a video's frame is the first one at times before the first one starts`() throws {
            let video = try VideoFile("h264-sound.mkv")
            #expect(try video.frame(at: 0).number == 0)
            #expect(try video.frame(at: 0.1).number == 0)
        }

        @Test func `a video's frame is the last one while there is sound only`() throws {
            #expect(try VideoFile("h264-sound.mkv").frame(at: 2.5).number == 19)
        }

        /// Files whose last frame lasts longer than others, or who knows how long; and when they end.
        private static let longLast: [(String, Double?, Int)] = [
            ("one-frame.webm", 2, 0), ("one-frame-no-duration.webm", nil, 0), ("one-frame.mkv", 2, 0),
            ("one-frame.mp4", 2, 0), ("one-frame.mov", nil, 0), ("one-frame.ts", nil, 0),
            ("one-frame.avi", 2, 0), ("one-frame.ogv", 2, 0), ("long-last.webm", 3.2, 2),
            ("long-last.ogv", 3.2, 2), ("long-last.avi", 3.2, 2),
        ]

        @Test(arguments: longLast)
        func `a video's last or only frame lasts to the end`(_ name: String, _ end: Double?, _ last: Int)
            throws
        {
            let video = try VideoFile(name)
            #expect(try video.frame(at: 0).number == 0)
            for time in [0.25, 1, 1.99].filter({ $0 <= end ?? 0 }) {
                #expect(try video.frame(at: time).number == last, "\(name) at \(time) s")
            }
            guard let end else { return }
            #expect(try video.frame(at: end - 0.001).number == last)
            #expect(throws: CodecError.self) { try video.frame(at: end + 0.1) }
        }

        /// Without the file whose sound lasts longer than its picture.
        @Test(arguments: counting.filter { $0.0 != "h264-sound.mkv" }.map(\.0))
        func `a video has no frame after the end, but the last one at the end`(_ name: String) throws {
            let video = try VideoFile(name)
            #expect(try video.frame(at: 2).number == 19)
            for time in [2.2, 1e9, .infinity, -0.001, .nan, -.infinity] {
                let error = try #require(throws: CodecError.self) { try video.frame(at: time) }
                guard case .noFrame(let refused, let duration) = error else {
                    Issue.record("\(name) at \(time) s: \(error)")
                    continue
                }
                #expect(refused == time || refused.isNaN && time.isNaN)
                #expect(abs(duration - 2) < 0.2)
            }
        }

        // MARK: - Colours

        @Test(arguments: [
            "bt709.mp4", "bt601.mp4", "full-range.mp4", "untagged-small.mp4", "untagged-large.mp4",
        ])
        func `a video's frame has the colours that its matrix and range stand for`(_ name: String) throws {
            let frame = try VideoFile(name).frame()
            let (left, right) = (frame.width / 4, frame.width * 3 / 4)
            let (top, bottom) = (frame.height / 4, frame.height * 3 / 4)
            let expected = [
                (left, top, [0, 0, 255, 255]), (right, top, [0, 255, 0, 255]),
                (left, bottom, [255, 0, 0, 255]), (right, bottom, [220, 220, 220, 255]),
            ]
            for (x, y, colour) in expected {
                let found = frame.pixel(x, y)
                let difference = zip(found, colour).map { abs($0 - $1) }.max() ?? 0
                #expect(difference <= 5, "\(name): \(found) instead of \(colour)")
            }
        }

        // MARK: - Geometry

        @Test func `a video's frame is turned as its container says`() throws {
            let frame = try VideoFile("turned.mp4").frame()
            #expect(frame.size == PixelSize(width: 48, height: 64))
            // Anticlockwise: green, which is at the top right, comes to the top left.
            #expect(frame.pixel(12, 16)[1] > 250)
            #expect(frame.pixel(12, 48)[2] > 250)
            #expect(frame.pixel(36, 48)[0] > 250)
        }

        @Test func `a video's frame has square pixels`() throws {
            let frame = try VideoFile("wide-pixels.mp4").frame()
            #expect(frame.size == PixelSize(width: 128, height: 48))
            #expect(frame.pixel(32, 12)[2] > 250)
            #expect(frame.pixel(96, 12)[1] > 250)
        }

        @Test(arguments: ["alpha.webm", "alpha.mov"])
        func `a video's frame keeps its transparency`(_ name: String) throws {
            let frame = try VideoFile(name).frame()
            #expect(frame.alpha == .straight)
            #expect(frame.pixel(16, 24)[3] < 8)
            let pixel = frame.pixel(48, 24)
            #expect(abs(pixel[3] - 128) < 8)
            #expect(pixel[2] > 240 && pixel[0] < 15 && pixel[1] < 15)
        }

        @Test func `a video's transparent pixels leave no colour in neighbours when pixels are made square`()
            throws
        {
            // The transparent half is blue, in pixels twice as wide as high.
            let file = try VideoFile("alpha.mov")
                .replacing([0xE0, 0, 0xFE, 0, 0], with: [0xE0, 0, 0, 0, 0xFE], everywhere: true)
                .replacing(
                    Array("pasp".utf8) + [0, 0, 0, 1, 0, 0, 0, 1],
                    with: Array("pasp".utf8) + [0, 0, 0, 2, 0, 0, 0, 1])
            let frame = try file.frame()
            #expect(frame.size == PixelSize(width: 128, height: 48))
            #expect(frame.alpha == .premultiplied)
            #expect((0..<128).allSatisfy { frame.pixel($0, 24)[0] <= 1 })
            #expect(frame.pixel(16, 24)[3] == 0)
            #expect(abs(frame.pixel(100, 24)[3] - 128) < 3 && abs(frame.pixel(100, 24)[2] - 127) < 3)
        }

        @Test func `a video's frame has square pixels and transparency in WebM, too`() throws {
            // Its width as shown instead of its colours' range.
            let file = try VideoFile("alpha.webm").replacing(
                [0x55, 0xB0, 0x84, 0x55, 0xB9, 0x81, 0x01], with: [0x54, 0xB0, 0x81, 0x80, 0xEC, 0x81, 0])
            let frame = try file.frame()
            #expect(frame.size == PixelSize(width: 128, height: 48))
            #expect(frame.alpha == .premultiplied)
            #expect(frame.pixel(32, 24)[3] < 8 && abs(frame.pixel(96, 24)[3] - 128) < 8)
        }

        // MARK: - What is no video

        @Test(arguments: ["sound.m4a", "cover.m4a"])
        func `a file with sound only, or with a cover, has no video frame`(_ name: String) throws {
            #expect(throws: CodecError.unsupported(.video, reason: "it has no video stream")) {
                try VideoFile(name).frame()
            }
        }

        @Test(arguments: [
            "", "no video", "#EXTM3U\nfile:///etc/passwd", "ffconcat version 1.0\nfile /etc/passwd",
        ])
        func `a file that is no video has no video frame`(_ text: String) throws {
            let error = try #require(throws: CodecError.self) { try VideoFile(Array(text.utf8)).frame() }
            guard case .unsupported(.video, let reason) = error else {
                Issue.record("that is \(error)")
                return
            }
            #expect(reason.contains("MP4"))
        }

        // MARK: - Limits

        @Test func `a video's frame keeps to the limits`() throws {
            let video = try VideoFile("h264.mp4")
            // The size of a transport stream's picture is known only from the picture.
            let stream = try VideoFile("h264.ts")
            #expect(throws: CodecError.limitExceeded(.pixels, value: 64 * 48, limit: 3000)) {
                try stream.frame(DecodeLimits(pixelsPerFrame: 3000))
            }
            // FFmpeg pads these rows to 64 pixels.
            let narrow = try VideoFile("narrow.mp4").frame(DecodeLimits(pixelsPerFrame: 50 * 48))
            #expect(narrow.size == PixelSize(width: 50, height: 48))
            #expect(try stream.frame(DecodeLimits(pixelsPerFrame: 64 * 48)).size.area == 64 * 48)
            #expect(throws: CodecError.limitExceeded(.pixels, value: 64 * 48, limit: 3000)) {
                try video.frame(DecodeLimits(pixelsPerFrame: 3000))
            }
            #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) {
                try video.frame(DecodeLimits(seconds: 0))
            }
            // With square pixels it is twice as wide.
            #expect(throws: CodecError.limitExceeded(.pixels, value: 128 * 48, limit: 5000)) {
                try VideoFile("wide-pixels.mp4").frame(DecodeLimits(pixelsPerFrame: 5000))
            }
            // A file is not read whole.
            #expect(try video.frame(DecodeLimits(encodedBytes: 1)).number == 0)
        }
    }
#endif
