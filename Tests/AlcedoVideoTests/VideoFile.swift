#if Video
    import AlcedoPixels
    import AlcedoTestSupport
    import AlcedoVideo
    import Foundation
    import Testing

    /// A video in a file of its own.
    struct VideoFile {
        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        /// One of the fixtures.
        init(_ name: String) throws { bytes = try Fixture.data("video/\(name)") }

        var count: Int { bytes.count }

        /// With other bytes in the place of some that it has exactly once; or, with `everywhere`, at least once.
        func replacing(_ old: [UInt8], with new: [UInt8], everywhere: Bool = false) throws -> VideoFile {
            let places = bytes.ranges(of: old)
            try #require(old.count == new.count && !places.isEmpty && (everywhere || places.count == 1))
            var changed = bytes
            for place in places { changed.replaceSubrange(place, with: new) }
            return VideoFile(changed)
        }

        /// The first bytes.
        func prefix(_ count: Int) -> VideoFile { VideoFile(Array(bytes.prefix(count))) }

        /// Calls `body` with a descriptor.
        func withDescriptor<Result>(_ body: (Int32) throws -> Result) throws -> Result {
            let file = try #require(tmpfile())
            defer { fclose(file) }
            try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0)
            return try body(fileno(file))
        }

        func frame(at time: Double = 0, _ limits: DecodeLimits = DecodeLimits()) throws -> Bitmap {
            try withDescriptor { file in
                try VideoDecoder().decode(
                    file,
                    options: DecodeOptions {
                        $0.time = time
                        $0.limits = limits
                        $0.keepsStraightAlpha = true
                    })
            }
        }
    }

    extension Bitmap {
        /// Blue, green, red and alpha of a pixel.
        func pixel(_ x: Int, _ y: Int) -> [Int] {
            withUnsafeBytes { bytes in (0..<4).map { Int(bytes[(y * width + x) * 4 + $0]) } }
        }

        /// The number of a frame of a counting video; nil if it is none.
        var number: Int? {
            let pixel = pixel(width / 2, height / 2)
            let number = (Double(pixel[1]) * 219 / 255 / 10).rounded()
            let isGrey = pixel[..<3].allSatisfy { abs(Double($0) - number * 10 * 255 / 219) < 5 }
            return isGrey ? Int(number) : nil
        }
    }
#endif
