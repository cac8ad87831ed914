#if JXL
    import AlcedoJXL
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    struct `What there is of a truncated JPEG XL` {
        private func first(
            _ count: Int, of bytes: [UInt8], _ limits: DecodeLimits = .init()
        ) throws -> Bitmap {
            try JXLCodec().decode(
                bytes.span.extracting(0..<count).bytes,
                options: DecodeOptions(allowsTruncation: true, limits: limits))
        }

        private func decode(_ bytes: [UInt8]) throws -> Bitmap {
            try JXLCodec().decode(bytes.span.bytes, options: DecodeOptions())
        }

        @Test(arguments: Fixture.list("jxl", withExtension: "jxl").filter { !$0.contains("cmyk") })
        func `a truncated JPEG XL is the image, a part of it, or an error, wherever it ends`(_ path: String)
            throws
        {
            let bytes = try Fixture.data(path)
            let size = try JXLCodec().info(of: bytes.span.bytes, limits: DecodeLimits()).size
            for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 60)) {
                do {
                    #expect(try first(count, of: bytes).size == size)
                } catch let error as CodecError {
                    #expect(error.isDamage, "\(count) bytes: \(error)")
                }
            }
            #expect(try first(bytes.count, of: bytes).hasSamePixels(as: decode(bytes)))
        }

        @Test func `a truncated JPEG XL is coarse at first if it is lossy`() throws {
            let bytes = try encoded(isLossless: false)
            let whole = try decode(bytes)
            let differences = stride(from: 20, to: 100, by: 10).compactMap { percent -> Double? in
                guard let bitmap = try? first(bytes.count * percent / 100, of: bytes) else { return nil }
                #expect(bitmap.alpha == .opaque)
                return bitmap.meanDifference(to: whole)
            }
            #expect(Set(differences).count > 2 && differences == differences.sorted(by: >), "\(differences)")
        }

        @Test
        func `a truncated lossless JPEG XL is nothing, not libjxl's black rectangles`() throws {
            let bytes = try encoded(isLossless: true)
            for percent in stride(from: 10, to: 100, by: 10) {
                #expect(throws: CodecError.truncated(.jxl)) {
                    try first(bytes.count * percent / 100, of: bytes)
                }
            }
        }

        /// Several groups of 256 × 256 pixels.
        private func encoded(isLossless: Bool) throws -> [UInt8] {
            var builder = try PixelBuilder(size: PixelSize(width: 700, height: 300), alpha: .opaque)
            builder.withUnsafeMutableBytes { bytes in
                for index in 0..<(bytes.count / 4) {
                    let (x, y) = (UInt32(index % 700), UInt32(index / 700))
                    let texture = (x &* 7919 ^ y &* 104_729) >> 3 & 0x3F
                    let pixel = 0xFF00_0000 | (x / 4) << 16 | (y / 2) << 8 | texture
                    bytes.storeBytes(of: pixel, toByteOffset: index * 4, as: UInt32.self)
                }
            }
            let options = EncodeOptions(isLossless: isLossless)
            return try JXLCodec().encode(builder.freeze(), as: .jxl, options: options)
        }

        @Test func `a truncated JPEG XL is bound by the limits`() throws {
            let bytes = try Fixture.data("jxl/progressive.jxl")
            let area = try decode(bytes).size.area
            #expect(throws: CodecError.limitExceeded(.pixels, value: area, limit: area - 1)) {
                try first(bytes.count / 2, of: bytes, DecodeLimits { $0.pixelsPerFrame = area - 1 })
            }
            #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) {
                try first(bytes.count / 2, of: bytes, DecodeLimits { $0.seconds = 0 })
            }
        }
    }
#endif
