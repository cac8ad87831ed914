#if TIFF
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoTIFF
    import AlcedoTestSupport
    import Testing

    struct `Deep TIFFs` {
        private let codec = TIFFCodec()

        private func decode(
            _ bytes: [UInt8], _ configure: (inout DecodeOptions) -> Void = { _ in }
        ) throws -> Bitmap {
            try codec.decode(
                bytes.span.bytes,
                options: DecodeOptions {
                    $0.colorRetention = .full
                    configure(&$0)
                })
        }

        private func encode(_ bitmap: Bitmap) throws -> [UInt8] {
            try codec.encode(bitmap, as: .tiff, options: EncodeOptions())
        }

        /// Assorted samples; no colour exceeds premultiplied alpha.
        private func picture(_ alpha: Bitmap.Alpha, _ space: ColorSpace) throws -> Bitmap {
            let colors = DeepColors(space, DeepColors.sRGB.conversion)
            var pixels = try PixelBuilder(size: PixelSize(width: 300, height: 40), alpha: alpha, deep: colors)
            pixels.withUnsafeMutableBytes { output in
                let samples = output.bindMemory(to: SIMD4<UInt16>.self)
                for index in samples.indices {
                    let opacity = alpha == .opaque ? 65535 : index * 631 & 0xFFFF
                    func level(_ channel: Int) -> UInt16 {
                        let level = (index &* 7919 &+ channel &* 104_729) & 0xFFFF
                        return UInt16(alpha == .premultiplied ? level * opacity / 65535 : level)
                    }
                    samples[index] = SIMD4(level(0), level(1), level(2), UInt16(opacity))
                }
            }
            return pixels.freeze()
        }

        @Test(
            arguments: [Bitmap.Alpha.opaque, .premultiplied, .straight],
            [.sRGB, .icc(ProfileBuilder.matrix(.adobeRGB).bytes)] as [ColorSpace])
        func `deep TIFFs are read as they were written`(_ alpha: Bitmap.Alpha, _ space: ColorSpace) throws {
            let bitmap = try picture(alpha, space)
            let bytes = try encode(bitmap)
            let read = try decode(bytes) { $0.keepsStraightAlpha = alpha == .straight }
            #expect(read.hasSamePixels(as: bitmap) && read.colorSpace == space)
            let info = try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
            let memory = codec.memory(
                of: bytes.span.bytes, info: info, options: DecodeOptions { $0.colorRetention = .full })
            #expect(memory.result == read.storage.count)
        }

        @Test func `deep TIFFs name the space of code points by a profile, and no light of HDR`() throws {
            let read = try decode(encode(picture(.opaque, .displayP3)))
            #expect(try read.colorSpace == .icc(#require(ColorSpace.displayP3.profile)))
            let bright = try picture(.opaque, .codePoints(primaries: 9, transfer: 16))
            #expect(try encode(bright) == encode(bright.standard()))
        }

        @Test func `deep TIFFs show what reading them to 8 bits gives`() throws {
            for path in Fixture.list("tiff", withExtension: "tiff") {
                let bytes = try Fixture.data(path)
                guard
                    let standard = try? codec.decode(bytes.span.bytes, options: DecodeOptions()),
                    let full = try? decode(bytes)
                else { continue }
                #expect(full.size == standard.size && full.alpha == standard.alpha, "\(path)")
                #expect(try full.standard().largestDifference(to: standard) <= 1, "\(path)")
            }
        }
    }
#endif
