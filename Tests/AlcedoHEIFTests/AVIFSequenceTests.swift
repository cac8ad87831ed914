#if HEIF
    import AlcedoCodecs
    import AlcedoHEIF
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    /// A PNG among the fixtures, straight.
    private func decodedPNG(_ path: String) throws -> Bitmap {
        let bytes = try Fixture.data(path)
        return try PNGCodec().decode(
            bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = true })
    }

    struct AVIFSequenceTests {
        let codec = HEIFCodec()

        private func info(_ bytes: [UInt8], _ limits: DecodeLimits = DecodeLimits()) throws -> ImageInfo {
            try codec.info(of: bytes.span.bytes, limits: limits)
        }

        /// Straight and rounded, as the references are.
        private let exact = DecodeOptions(
            keepsStraightAlpha: true, limits: DecodeLimits(isDithered: false))

        private func frames(_ bytes: [UInt8]) throws -> [AnimationFrame] {
            let decoder = try codec.frames(of: bytes.span.bytes, options: exact)
            var frames: [AnimationFrame] = []
            while let frame = try decoder.next() { frames.append(frame) }
            decoder.rewind()
            let first = try decoder.next()
            #expect(try #require(first).bitmap.hasSamePixels(as: frames[0].bitmap))
            return frames
        }

        @Test(arguments: [
            ("sequence", 5, true, ImageOrientation.up), ("sequence-alpha", 3, true, .up),
            ("sequence-turned", 3, true, .rightMirrored), ("sequence-premultiplied", 2, true, .up),
            ("sequence-p3", 2, true, .up), ("looped", 3, false, .up),
        ])
        func `an AVIF sequence has its frames`(
            _ name: String, _ count: Int, _ hasAlpha: Bool, _ turned: ImageOrientation
        )
            throws
        {
            let bytes = try Fixture.data("heif/\(name).avif")
            #expect(codec.format(of: bytes.span.bytes) == .avif)
            let size = PixelSize(width: 40, height: 30)
            let expected = ImageInfo(
                format: .avif, size: size, orientation: turned, frameCount: count, loopCount: 0,
                hasAlpha: hasAlpha)
            #expect(try info(bytes) == expected)
            let frames = try frames(bytes)
            #expect(frames.count == count)
            // A strip of what Pillow, with a newer libavif, makes of the frames, one below the other.
            let strip = try decodedPNG("heif/\(name).avif.png")
            let all = frames.flatMap { frame in frame.bitmap.withUnsafeBytes { Array($0) } }
            let difference = strip.withUnsafeBytes { strip in
                zip(strip, all).reduce(strip.count == all.count ? 0 : 256) {
                    max($0, abs(Int($1.0) - Int($1.1)))
                }
            }
            #expect(difference <= 2)
            let first = try codec.decode(bytes.span.bytes, options: exact)
            #expect(first.hasSamePixels(as: frames[0].bitmap))
        }

        @Test(arguments: [
            ("sequence", [0.04, 0.05, 0.06, 0.06, 0.06]), ("sequence-alpha", [0.05, 0.05, 0.05]),
            ("looped", [0.04, 0.08, 0.12]),
        ])
        func `an AVIF sequence has its durations`(_ name: String, _ expected: [Double]) throws {
            let bytes = try Fixture.data("heif/\(name).avif")
            let durations = try codec.frameDurations(of: bytes.span.bytes, limits: DecodeLimits())
            #expect(durations.count == expected.count)
            #expect(zip(durations, expected).allSatisfy { abs($0 - $1) < 0.0001 }, "\(durations)")
            #expect(try frames(bytes).map(\.duration) == durations)
        }

        /// The edit list of `looped.avif` has a part as long as its one play, and a track of no end.
        @Test(arguments: [(1, 0, 1), (3, 1, 3), (nil, 1, 0)] as [(Int?, UInt8, Int)])
        func `an AVIF sequence plays as often as its edit list says`(
            _ times: Int?, _ repeats: UInt8, _ expected: Int
        ) throws {
            var bytes = try Fixture.data("heif/looped.avif")
            func find(_ name: String) throws -> Int {
                let name = Array(name.utf8)
                return try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<($0 + 4)]) == name })
                    + 4
            }
            let list = try find("elst")
            let header = try find("tkhd")
            try #require(bytes[list] == 1 && bytes[header] == 1)
            bytes[list + 3] = repeats
            if let times {
                let part = bytes[(list + 8)..<(list + 16)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                for (place, shift) in stride(from: 56, through: 0, by: -8).enumerated() {
                    bytes[header + 28 + place] = UInt8(
                        truncatingIfNeeded: (part * UInt64(times)) >> UInt64(shift))
                }
            }
            #expect(try info(bytes).loopCount == expected)
        }

        @Test func `an AVIF sequence keeps to the limits`() throws {
            let bytes = try Fixture.data("heif/sequence.avif")
            #expect(throws: CodecError.limitExceeded(.pixels, value: 1200, limit: 1199)) {
                try info(bytes, DecodeLimits { $0.pixelsPerFrame = 1199 })
            }
            let few = DecodeOptions { $0.limits.frames = 4 }
            #expect(throws: CodecError.limitExceeded(.frames, value: 5, limit: 4)) {
                try codec.frames(of: bytes.span.bytes, options: few)
            }
        }

        @Test func `a HEIC sequence without a picture is rejected with a reason`() throws {
            var bytes = try Fixture.data("heif/sequence.avif")
            // Brands of HEVC, and no item to show.
            for (from, to) in [("avis", "hevc"), ("avif", "msf1"), ("pitm", "free")] {
                let (from, to) = (Array(from.utf8), Array(to.utf8))
                for index in bytes.indices.dropLast(4) where Array(bytes[index..<(index + 4)]) == from {
                    bytes.replaceSubrange(index..<(index + 4), with: to)
                }
            }
            #expect(codec.format(of: bytes.span.bytes) == .heic)
            let reason = "a sequence of frames without a picture of its own"
            #expect(throws: CodecError.unsupported(.heic, reason: reason)) { try info(bytes) }
        }
    }

    // MARK: - Still images of other encoders

    struct `Still pictures in HEIF files` {
        /// With what Pillow, with newer libraries and lcms2, makes of them.
        ///
        /// A step more or less of dark colours is several once they are converted; the mean stays below a half.
        @Test(arguments: [
            ("still.heic", 3), ("alpha.heic", 3), ("odd.heic", 3), ("grey.heic", 3), ("wide-gamut.heic", 12),
            ("deep.avif", 3), ("turned.avif", 3), ("alpha.avif", 3), ("wide-gamut.avif", 12),
            ("grey.avif", 3), ("p3.avif", 12), ("pq.avif", 12), ("grid.avif", 3), ("multi.heic", 3),
        ])
        func `still pictures in HEIF files decode as in another library`(_ name: String, _ tolerance: Int)
            throws
        {
            let bytes = try Fixture.data("heif/\(name)")
            let options = DecodeOptions { $0.keepsStraightAlpha = true }
            let bitmap = try HEIFCodec().decode(bytes.span.bytes, options: options)
            let reference = try decodedPNG("heif/\(name).png")
            #expect(bitmap.size == reference.size)
            let difference = bitmap.withUnsafeBytes { one in
                reference.withUnsafeBytes { other in
                    zip(one, other).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
                }
            }
            #expect(difference <= tolerance)
            let sum = bitmap.withUnsafeBytes { one in
                reference.withUnsafeBytes { other in
                    zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                }
            }
            #expect(Double(sum) / Double(bitmap.byteCount) < 0.5)
        }
    }

    // MARK: - Damage

    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `Damaged HEIF files` {
        @Test(arguments: Fixture.list("heif").filter { $0.hasSuffix(".avif") || $0.hasSuffix(".heic") })
        func `damaged HEIF files are an error or a picture`(_ path: String) async throws {
            let bytes = try Fixture.data(path)
            let options = DecodeOptions { $0.limits.pixelsPerFrame = 1 << 20 }
            let result = await Damage.tried(on: bytes) { bytes in
                _ = HEIFCodec().profile(of: bytes.span.bytes, limits: options.limits)
                let frames = try HEIFCodec().frames(of: bytes.span.bytes, options: options)
                while try frames.next() != nil {}
            }
            #expect(result.acceptedCuts == 0)
            let others = result.errors.filter { !($0 is CodecError) }
            #expect(others.isEmpty, "\(others)")
        }
    }
#endif
