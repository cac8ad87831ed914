#if HEIF
    import AlcedoCodecs
    import AlcedoHEIF
    import AlcedoPixels
    import AlcedoTestSupport
    import CHeif
    import Testing

    /// Reads back what libheif's own encoders write.
    struct HEIFTests {
        let codec = HEIFCodec()

        private struct Failure: Error {}

        /// A picture of 64 × 48: red on the left, blue on the right, alpha falling from top to bottom.
        private func write(
            _ format: heif_compression_format,
            hasAlpha: Bool,
            profile: [UInt8] = []
        ) throws -> [UInt8] {
            let context = try #require(heif_context_alloc())
            defer { heif_context_free(context) }
            var image: OpaquePointer?
            let chroma = hasAlpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB
            heif_image_create(64, 48, heif_colorspace_RGB, chroma, &image)
            defer { heif_image_release(image) }
            heif_image_add_plane(image, heif_channel_interleaved, 64, 48, 8)
            var stride: Int32 = 0
            let plane = try #require(heif_image_get_plane(image, heif_channel_interleaved, &stride))
            let channels = hasAlpha ? 4 : 3
            for y in 0..<48 {
                for x in 0..<64 {
                    let pixel = plane + y * Int(stride) + x * channels
                    pixel[0] = x < 32 ? 250 : 10
                    pixel[1] = 20
                    pixel[2] = x < 32 ? 10 : 250
                    if hasAlpha { pixel[3] = UInt8(255 - y * 4) }
                }
            }
            if !profile.isEmpty { heif_image_set_raw_color_profile(image, "prof", profile, profile.count) }
            var encoder: OpaquePointer?
            guard heif_context_get_encoder_for_format(context, format, &encoder).code == heif_error_Ok else {
                throw Failure()
            }
            defer { heif_encoder_release(encoder) }
            heif_encoder_set_lossy_quality(encoder, 95)
            guard heif_context_encode_image(context, image, encoder, nil, nil).code == heif_error_Ok else {
                throw Failure()
            }
            var bytes: [UInt8] = []
            var writer = heif_writer(
                writer_api_version: 1,
                write: { _, data, count, user in
                    user?.assumingMemoryBound(to: [UInt8].self).pointee
                        .append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
                    return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
                }
            )
            let status = withUnsafeMutablePointer(to: &bytes) { heif_context_write(context, &writer, $0) }
            guard status.code == heif_error_Ok else { throw Failure() }
            return bytes
        }

        private static let formats = [
            (heif_compression_HEVC, EncodedFormat.heic), (heif_compression_AV1, .avif),
        ]

        private func decode(_ bytes: [UInt8], straight: Bool = false) throws -> Bitmap {
            try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.keepsStraightAlpha = straight })
        }

        private func info(_ bytes: [UInt8], _ limits: DecodeLimits = DecodeLimits()) throws -> ImageInfo {
            try codec.info(of: bytes.span.bytes, limits: limits)
        }

        private func isClose(_ one: [UInt8], _ other: [UInt8]) -> Bool {
            one.count == other.count && zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= 12 }
        }

        @Test(arguments: formats.indices)
        func `an opaque HEIC or AVIF decodes`(_ index: Int) throws {
            let (compression, format) = Self.formats[index]
            let bytes = try write(compression, hasAlpha: false)
            let info = try info(bytes)
            #expect(info == ImageInfo(format: format, size: PixelSize(width: 64, height: 48)))
            let bitmap = try decode(bytes)
            #expect(bitmap.alpha == .opaque)
            bitmap.withUnsafeBytes { pixels in
                #expect(isClose(Array(pixels[0..<4]), [10, 20, 250, 255]))
                #expect(isClose(Array(pixels[252..<256]), [250, 20, 10, 255]))
            }
            let frames = try codec.frames(of: bytes.span.bytes, options: DecodeOptions())
            #expect(try frames.next()?.bitmap.size == info.size)
        }

        @Test(arguments: formats.indices)
        func `alpha of a HEIC or AVIF is kept straight or multiplied`(_ index: Int) throws {
            let bytes = try write(Self.formats[index].0, hasAlpha: true)
            #expect(try info(bytes).hasAlpha)
            let straight = try decode(bytes, straight: true)
            #expect(straight.alpha == .straight)
            let premultiplied = try decode(bytes)
            #expect(premultiplied.alpha == .premultiplied)
            let last = 47 * 64 * 4
            straight.withUnsafeBytes { #expect(isClose(Array($0[last..<(last + 4)]), [10, 20, 250, 67])) }
            premultiplied.withUnsafeBytes { #expect(isClose(Array($0[last..<(last + 4)]), [3, 5, 66, 67])) }
        }

        @Test(arguments: formats.indices)
        func `a HEIC or AVIF that is cut short is an error`(_ index: Int) throws {
            let bytes = try write(Self.formats[index].0, hasAlpha: false)
            #expect(try info(bytes).isComplete)
            for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 40)) {
                let cut = [UInt8](bytes.prefix(count))
                #expect(throws: CodecError.self, "\(count) bytes") { try decode(cut) }
                #expect((try? info(cut))?.isComplete != true)
            }
        }

        @Test(arguments: formats.indices)
        func `an embedded profile of a HEIC or AVIF is applied`(_ index: Int) throws {
            let photo = try Fixture.data("made/wide-gamut.jpg")
            let embedded = JPEGCodec().profile(of: photo.span.bytes, limits: DecodeLimits())
            let profile = try #require(embedded)
            let bytes = try write(Self.formats[index].0, hasAlpha: false, profile: profile)
            #expect(codec.profile(of: bytes.span.bytes, limits: DecodeLimits()) == profile)
            let plain = try decode(write(Self.formats[index].0, hasAlpha: false))
            let converted = try decode(bytes)
            let green = (plain.withUnsafeBytes { $0[1] }, converted.withUnsafeBytes { $0[1] })
            #expect(green.1 < green.0)
            #expect(codec.profile(of: bytes.span.bytes, limits: DecodeLimits { $0.metadataBytes = 9 }) == nil)
        }

        @Test(arguments: [
            ("linear12.avif", 12, ExactColor.linear, 0.0), ("p3-10.avif", 10, .displayP3, 0.0),
            ("pq10.avif", 10, .pq, 0.0), ("hlg10.avif", 10, .hlg, 0.0), ("p3-10.heic", 10, .displayP3, 1.0),
            ("pq10.heic", 10, .pq, 1.0),
        ])
        func `deep samples of a HEIC or AVIF are converted before they are cut`(
            _ name: String, _ bits: Int, _ encoding: ExactColor, _ lost: Double
        ) throws {
            let bytes = try Fixture.data("deep/\(name)")
            let worst = try DeepRamps.differences(bits: bits, encoding) {
                try codec.decode(bytes.span.bytes, options: $0)
            }
            // libheif has rounded the colours of the HEIC to YCbCr.
            #expect(worst.rounded < 0.6 + lost && worst.dithered < 1.1 + lost, "\(worst)")
        }

        @Test(
            arguments: [
                ("linear12.avif", 12, (1, 8), 0.5), ("p3-10.avif", 10, (12, 13), 0.5),
                ("pq10.avif", 10, (9, 16), 0.5), ("hlg10.avif", 10, (9, 18), 0.5),
                ("p3-10.heic", 10, (12, 13), 130), ("pq10.heic", 10, (9, 16), 130),
            ] as [(String, Int, (UInt8, UInt8), Double)])
        func `deep samples of a HEIC or AVIF are kept on request, with their code points`(
            _ name: String, _ bits: Int, _ points: (UInt8, UInt8), _ lost: Double
        ) throws {
            let bytes = try Fixture.data("deep/\(name)")
            let options = DecodeOptions { $0.colorRetention = .full }
            let bitmap = try codec.decode(bytes.span.bytes, options: options)
            #expect(bitmap.colorSpace == .codePoints(primaries: points.0, transfer: points.1))
            // libheif has rounded the colours of the HEIC to YCbCr, by up to two levels of 1,023.
            let worst = DeepRamps.difference(bitmap, bits: bits)
            #expect(worst <= lost, "\(worst)")
            #expect(try bitmap.standard().hasSamePixels(as: decode(bytes)))
            let info = try info(bytes)
            let memory = codec.memory(of: bytes.span.bytes, info: info, options: options)
            #expect(memory.result == bitmap.size.area * 8)
        }

        @Test(arguments: ["p3.avif", "wide-gamut.avif", "wide-gamut.heic", "sequence-p3.avif"])
        func `8 bits of a HEIC or AVIF in another space are kept on request`(_ name: String) throws {
            let bytes = try Fixture.data("heif/\(name)")
            let options = DecodeOptions { $0.colorRetention = .full }
            let bitmap = try codec.decode(bytes.span.bytes, options: options)
            #expect(bitmap.isDeep && bitmap.colorSpace != .sRGB)
            if let profile = codec.profile(of: bytes.span.bytes, limits: DecodeLimits()) {
                #expect(bitmap.colorSpace == .icc(profile))
            }
            #expect(bitmap.withDeepSamples { $0.allSatisfy { $0 & 0xFF == $0 >> 8 } } == true)
            #expect(try bitmap.standard().largestDifference(to: decode(bytes)) <= 1)
            let frame = try codec.frames(of: bytes.span.bytes, options: options).next()
            #expect(frame?.bitmap.hasSamePixels(as: bitmap) == true)
        }

        @Test(arguments: ["still.heic", "alpha.avif", "grey.heic", "looped.avif"])
        func `8 bits of sRGB in a HEIC or AVIF are the same if colours are kept on request`(_ name: String)
            throws
        {
            let bytes = try Fixture.data("heif/\(name)")
            let bitmap = try codec.decode(
                bytes.span.bytes, options: DecodeOptions { $0.colorRetention = .full })
            #expect(try bitmap.hasSamePixels(as: decode(bytes)))
        }

        /// Straight, and turned and mirrored by libavif's flags.
        @Test(arguments: 0..<4, [nil, 0, 1])
        func `deep samples of an AVIF are turned, with alpha`(_ turns: Int, _ axis: Int?) throws {
            let bytes = try Written.deepSRGB(turns: turns, axis: axis)
            let kept = try codec.decode(
                bytes.span.bytes,
                options: DecodeOptions { ($0.colorRetention, $0.keepsStraightAlpha) = (.full, true) })
            let cut = try codec.decode(
                bytes.span.bytes,
                options: DecodeOptions { ($0.limits.isDithered, $0.keepsStraightAlpha) = (false, true) })
            #expect(kept.isDeep && kept.colorSpace == .sRGB && kept.alpha == .straight)
            #expect(kept.size == cut.size && cut.alpha == .straight)
            #expect(kept.size.width == (turns % 2 == 0 ? 40 : 30))
            let rounded = kept.withDeepSamples { $0.map { UInt8((Int($0) + 128) / 257) } }
            #expect(rounded == cut.bytes(in: PixelLayout(.rgba, .straight)))
        }

        @Test func `pixels of an AVIF are limited`() throws {
            let bytes = try write(heif_compression_AV1, hasAlpha: false)
            #expect(throws: CodecError.limitExceeded(.pixels, value: 3072, limit: 3071)) {
                try info(bytes, DecodeLimits { $0.pixelsPerFrame = 3071 })
            }
        }

        @Test(arguments: [[], [0, 0, 0, 24], Array("\0\0\0\u{18}ftypisom".utf8), [0xFF, 0xD8, 0xFF]])
        func `the HEIF codec does not claim other bytes`(_ bytes: [UInt8]) {
            #expect(codec.format(of: bytes.span.bytes) == nil)
            #expect(throws: CodecError.unknownFormat) { try decode(bytes) }
        }
    }
#endif
