#if JXL
    import AlcedoCodecs
    import AlcedoJXL
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    /// libjxl composes frames of its own colour space in the colours of the file only.
    struct `JPEG XLs whose frames are composed` {
        private func frames(_ name: String) throws -> [Bitmap] {
            let bytes = try Fixture.data("jxl/\(name).jxl")
            let decoder = try JXLCodec().frames(
                of: bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
            var frames: [Bitmap] = []
            while let frame = try decoder.next() { frames.append(frame.bitmap) }
            return frames
        }

        /// Red, green, blue and alpha.
        private func pixel(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [Int] {
            let bytes = bitmap.bytes(in: PixelLayout(.rgba, .straight))
            return bytes[(y * bitmap.width + x) * 4..<(y * bitmap.width + x) * 4 + 4].map { Int($0) }
        }

        private func isClose(_ pixel: [Int], _ expected: [Int], _ tolerance: Int) -> Bool {
            zip(pixel, expected).allSatisfy { abs($0 - $1) <= tolerance }
        }

        @Test(arguments: ["crops-709", "crops-gamma"])
        func `composed JPEG XLs have frames that are parts in any colour space`(_ name: String) throws {
            let (frames, expected) = try (frames(name), frames("crops"))
            #expect(frames.count == 3 && expected.count == 3)
            for (frame, other) in zip(frames, expected) {
                #expect(frame.largestDifference(to: other) <= 5)
            }
        }

        /// The middle of each frame: red, half of green over it, blue, in the numbers of the file's colour space.
        ///
        /// The expected values are those of the formulas.
        @Test(arguments: [
            ("blended-p3", 2, [[217, 42, 23], [120, 120, 56], [94, 69, 228]]),
            ("blended-p3-lossless", 1, [[217, 42, 23], [120, 120, 56], [94, 69, 228]]),
            ("blended-grey", 2, [[206, 206, 206], [132, 132, 132], [104, 104, 104]]),
            ("blended-linear", 2, [[229, 133, 110], [182, 182, 138], [160, 143, 239]]),
        ])
        func `composed JPEG XLs are blended in the colours of the file`(
            _ name: String, _ tolerance: Int, _ colors: [[Int]]
        ) throws {
            let frames = try frames(name)
            #expect(frames.count == 3)
            for (frame, color) in zip(frames, colors) {
                let (middle, corner) = (pixel(frame, 16, 12), pixel(frame, 1, 1))
                #expect(isClose(middle, color + [255], tolerance), "\(middle)")
                #expect(isClose(corner, colors[0] + [255], tolerance), "\(corner)")
            }
        }

        @Test func `composed JPEG XLs are decoded with a profile`() throws {
            let middles = try frames("blended-profile").map { pixel($0, 16, 12) }
            #expect(middles.count == 3)
            #expect(isClose(middles[0], [238, 77, 54, 255], 2), "\(middles[0])")
            #expect(isClose(middles[2], [114, 87, 229, 255], 2), "\(middles[2])")
        }

        @Test func `composed JPEG XLs may have one frame`() throws {
            let bytes = try Fixture.data("jxl/crop-still-p3.jxl")
            let bitmap = try JXLCodec().decode(
                bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
            #expect(pixel(bitmap, 1, 1)[3] == 0)
            #expect(isClose(pixel(bitmap, 16, 12), [217, 42, 23, 255], 2))
        }
    }
#endif
