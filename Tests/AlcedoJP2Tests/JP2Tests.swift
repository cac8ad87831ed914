#if JP2
    import AlcedoCodecs
    import AlcedoJP2
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    /// The pixels of a PNG among the fixtures, straight.
    private func reference(_ path: String) throws -> Bitmap {
        let bytes = try Fixture.data(path)
        return try PNGCodec().decode(bytes.span.bytes, options: DecodeOptions(keepsStraightAlpha: true))
    }

    struct `A JPEG 2000` {
        private let codec = JP2Codec()

        private func bytes(_ name: String) throws -> [UInt8] { try Fixture.data("jp2/\(name)") }

        private func info(_ bytes: [UInt8]) throws -> ImageInfo {
            try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
        }

        private func decode(
            _ bytes: [UInt8], atLeast size: PixelSize? = nil, _ limits: DecodeLimits = DecodeLimits()
        ) throws -> Bitmap {
            try codec.decode(
                bytes.span.bytes,
                options: DecodeOptions(atLeast: size, keepsStraightAlpha: true, limits: limits))
        }

        @Test(arguments: [
            ("lossless.jp2", 0), ("codestream.j2k", 0), ("tiled.jp2", 0), ("grey.jp2", 0),
            ("grey16.jp2", 0), ("alpha.jp2", 0), ("wide-gamut.jp2", 2), ("grey-profile.jp2", 2),
            ("lossy.jp2", 24),
        ])
        func `a JPEG 2000 has the pixels that it was created from`(_ name: String, _ tolerance: Int) throws {
            let bytes = try bytes(name)
            let hasAlpha = name == "alpha.jp2"
            let size = PixelSize(width: 61, height: 47)
            #expect(try info(bytes) == ImageInfo(format: .jp2, size: size, hasAlpha: hasAlpha))
            let bitmap = try decode(bytes)
            #expect(bitmap.alpha == (hasAlpha ? .straight : .opaque))
            #expect(try bitmap.largestDifference(to: reference("jp2/\(name).png")) <= tolerance)
        }

        @Test(arguments: [(640, 640), (321, 640), (320, 320), (100, 160), (40, 40), (1, 40)])
        func `a JPEG 2000 is decoded at the smallest stored resolution that is large enough`(
            _ wanted: Int, _ width: Int
        ) throws {
            let bytes = try bytes("resolutions.jp2")
            let size = PixelSize(width: wanted, height: max(1, wanted * 3 / 4))
            let bitmap = try decode(bytes, atLeast: size)
            #expect(bitmap.size == PixelSize(width: width, height: width * 3 / 4))
        }

        @Test func `a JPEG 2000 that is cut short says so`() throws {
            for name in ["lossless.jp2", "codestream.j2k", "tiled.jp2"] {
                let bytes = try bytes(name)
                for count in stride(from: 13, to: bytes.count - 2, by: 97) {
                    let cut = Array(bytes.prefix(count))
                    #expect((try? info(cut).isComplete) != true, "\(name) \(count)")
                    #expect(throws: CodecError.self, "\(name) \(count)") { try decode(cut) }
                }
            }
        }

        @Test func `a JPEG 2000 with other bytes behind its last marker is whole`() throws {
            let longer = try bytes("codestream.j2k") + [0, 0, 0]
            #expect(try !info(longer).isComplete)
            let hasAllPixels = codec.hasAllPixels(longer.span.bytes, limits: DecodeLimits())
            #expect(hasAllPixels)
        }

        @Test func `a JPEG 2000 keeps to the limits, by the pixels of the result`() throws {
            let bytes = try bytes("resolutions.jp2")
            let limits = DecodeLimits(pixelsPerFrame: 100_000)
            let error = CodecError.limitExceeded(.pixels, value: 640 * 480, limit: 100_000)
            #expect(throws: error) { try decode(bytes, limits) }
            let half = PixelSize(width: 320, height: 240)
            #expect(try decode(bytes, atLeast: half, limits).size == half)
        }

        /// Fields of SIZ: width, tile width, tile height, components.
        @Test(arguments: [(8, [0, 1, 0, 0]), (24, [0, 0, 0, 1]), (28, [0, 0, 0, 1]), (40, [255, 255])])
        func `a JPEG 2000 with a wrong header is an error`(
            _ offset: Int, _ value: [UInt8]
        ) throws {
            var bytes = try bytes("resolutions.jp2")
            let start = try #require(
                bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0x4F, 0xFF, 0x51]) })
            bytes.replaceSubrange(start + offset..<start + offset + value.count, with: value)
            let error = try #require(throws: CodecError.self) { try decode(bytes) }
            guard case .outOfMemory = error else { return }
            Issue.record("it was allocated")
        }

        private func decode(_ bytes: [UInt8], _ limits: DecodeLimits) throws -> Bitmap {
            try decode(bytes, atLeast: nil, limits)
        }
    }
#endif
