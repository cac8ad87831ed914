#if TIFF
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoTIFF
    import AlcedoTestSupport
    import Testing

    struct `Encoding TIFF` {
        private let codec = TIFFCodec()

        /// Assorted colours; alpha from 0 to 255 if there is any.
        private func picture(_ width: Int, _ height: Int, _ alpha: Bitmap.Alpha) throws -> Bitmap {
            var pixels = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: alpha)
            pixels.withUnsafeMutableBytes { output in
                for index in 0..<width * height {
                    let opacity = alpha == .opaque ? 255 : index % 256
                    for channel in 0..<3 {
                        let value = (index &* 7919 &+ channel &* 104_729) >> 3 & 255
                        output[index * 4 + channel] = UInt8(
                            alpha == .premultiplied ? value * opacity / 255 : value)
                    }
                    output[index * 4 + 3] = UInt8(opacity)
                }
            }
            return pixels.freeze()
        }

        private func encode(_ bitmap: Bitmap) throws -> [UInt8] {
            try codec.encode(bitmap, as: .tiff, options: EncodeOptions())
        }

        @Test(arguments: [Bitmap.Alpha.opaque, .premultiplied], [(1, 1), (61, 47), (300, 200), (5000, 3)])
        func `encoding TIFF keeps every pixel`(_ alpha: Bitmap.Alpha, _ size: (width: Int, height: Int))
            throws
        {
            let bitmap = try picture(size.width, size.height, alpha)
            let bytes = try encode(bitmap)
            let info = try codec.info(of: bytes.span.bytes, limits: DecodeLimits())
            #expect(
                info == ImageInfo(format: .tiff, size: bitmap.size, hasAlpha: alpha != .opaque))
            let read = try codec.decode(bytes.span.bytes, options: DecodeOptions())
            #expect(read.largestDifference(to: bitmap) == 0)
        }

        @Test func `encoding TIFF keeps straight pixels, of which libtiff reads premultiplied ones`() throws {
            let bitmap = try picture(256, 64, .straight)
            let bytes = try encode(bitmap)
            // EXTRASAMPLES, one SHORT: 2, unassociated alpha.
            #expect(bytes.firstRange(of: [0x52, 0x01, 3, 0, 1, 0, 0, 0, 2, 0]) != nil)
            let png = try PNGCodec().encode(bitmap, as: .png, options: EncodeOptions())
            let expected = try PNGCodec().decode(png.span.bytes, options: DecodeOptions())
            let read = try codec.decode(bytes.span.bytes, options: DecodeOptions())
            #expect(read.alpha == .premultiplied)
            #expect(read.largestDifference(to: expected) <= 1)
        }

        @Test func `encoding TIFF compresses`() throws {
            var pixels = try PixelBuilder(size: PixelSize(width: 500, height: 400), alpha: .opaque)
            pixels.withUnsafeMutableBytes { output in
                for index in output.indices { output[index] = 255 }
            }
            let bytes = try encode(pixels.freeze())
            #expect(bytes.count < 500 * 400 * 3 / 20)
        }

        @Test func `encoding TIFF writes no other format`() throws {
            #expect(codec.encodableFormats == [.tiff])
            let bitmap = try picture(2, 2, .opaque)
            #expect(throws: CodecError.self) {
                try codec.encode(bitmap, as: .png, options: EncodeOptions())
            }
        }
    }
#endif
