#if TIFF
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoTIFF
    import AlcedoTestSupport
    import Testing

    /// The pixels of a PNG among the fixtures, straight.
    private func reference(_ path: String) throws -> Bitmap {
        let bytes = try Fixture.data(path)
        return try PNGCodec().decode(bytes.span.bytes, options: DecodeOptions(keepsStraightAlpha: true))
    }

    struct `A TIFF` {
        private let codec = TIFFCodec()

        private func bytes(_ name: String) throws -> [UInt8] { try Fixture.data("tiff/\(name).tiff") }

        private func info(_ bytes: [UInt8]) throws -> ImageInfo {
            try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
        }

        private func decode(_ bytes: [UInt8], _ limits: DecodeLimits = DecodeLimits()) throws -> Bitmap {
            try codec.decode(
                bytes.span.bytes, options: DecodeOptions(keepsStraightAlpha: true, limits: limits))
        }

        @Test(arguments: [
            ("plain", 0), ("lzw", 0), ("packbits", 0), ("deflate", 0), ("zstd", 0), ("lzma", 0), ("grey", 0),
            ("palette", 0), ("bits", 0), ("grey16", 0), ("cmyk", 1), ("tiled", 0), ("planes", 0),
            ("tiled-planes", 0), ("big-endian", 0), ("bigtiff", 0), ("strips", 0), ("turned", 0),
            ("pages", 0), ("wide-gamut", 2), ("grey-profile", 2),
        ])
        func `a TIFF has the pixels that it was created from`(_ name: String, _ tolerance: Int) throws {
            let bytes = try bytes(name)
            #expect(
                try info(bytes)
                    == ImageInfo(
                        format: .tiff, size: PixelSize(width: 61, height: 47),
                        orientation: name == "turned" ? .right : .up))
            let bitmap = try decode(bytes)
            #expect(bitmap.alpha == .opaque)
            #expect(try bitmap.largestDifference(to: reference("tiff/\(name).tiff.png")) <= tolerance)
        }

        @Test func `a TIFF with JPEG inside is close to what it was created from`() throws {
            #expect(try decode(bytes("jpeg")).meanDifference(to: reference("tiff/jpeg.tiff.png")) < 4)
        }

        @Test
        func `a TIFF with alpha keeps it, and its colours as far as premultiplied ones have them`() throws {
            let bytes = try bytes("alpha")
            #expect(try info(bytes).hasAlpha)
            let bitmap = try codec.decode(bytes.span.bytes, options: DecodeOptions())
            #expect(bitmap.alpha == .premultiplied)
            let reference = try Fixture.data("tiff/alpha.tiff.png")
            let expected = try PNGCodec().decode(reference.span.bytes, options: DecodeOptions())
            #expect(bitmap.largestDifference(to: expected) <= 1)
        }

        @Test func `a TIFF gives its profile within the limit`() throws {
            let bytes = try bytes("wide-gamut")
            let found = codec.profile(of: bytes.span.bytes, limits: DecodeLimits())
            let profile = try #require(found)
            #expect(profile[36..<40].elementsEqual("acsp".utf8))
            let small = DecodeLimits(metadataBytes: profile.count - 1)
            let limited = codec.profile(of: bytes.span.bytes, limits: small)
            #expect(limited == nil)
        }

        @Test func `a TIFF that is cut short says so`() throws {
            for name in ["plain", "tiled", "strips"] {
                let bytes = try bytes(name)
                // Before its directory, which is first or last, and inside its pixels.
                #expect(throws: CodecError.truncated(.tiff)) { try decode(Array(bytes.prefix(9))) }
            }
            let plain = try bytes("plain")
            let cut = Array(plain.dropLast(100))
            #expect(try !info(cut).isComplete)
            #expect(throws: CodecError.truncated(.tiff)) { try decode(cut) }
        }

        @Test func `a TIFF keeps to the limits`() throws {
            let bytes = try bytes("lzw")
            let error = CodecError.limitExceeded(.pixels, value: 61 * 47, limit: 2000)
            #expect(throws: error) { try decode(bytes, DecodeLimits(pixelsPerFrame: 2000)) }
            #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) {
                try decode(bytes, DecodeLimits(seconds: 0))
            }
        }

        /// The size in the directory of a plain little-endian file, changed.
        @Test(arguments: [(256, 60_000), (257, 60_000), (278, 0), (277, 60_000), (322, 60_000)])
        func `a TIFF with a wrong directory is an error or a picture`(
            _ tag: Int, _ value: Int
        ) throws {
            var bytes = try bytes("plain")
            let directory = Int(bytes[4]) | Int(bytes[5]) << 8
            for entry in 0..<Int(bytes[directory]) {
                let place = directory + 2 + 12 * entry
                guard Int(bytes[place]) | Int(bytes[place + 1]) << 8 == tag else { continue }
                bytes.replaceSubrange(place + 8..<place + 10, with: [UInt8(value & 255), UInt8(value >> 8)])
            }
            do { _ = try decode(bytes) } catch let error as CodecError {
                #expect(error.isDamage)
                if case .outOfMemory = error { Issue.record("it was allocated") }
            }
        }
    }
#endif
