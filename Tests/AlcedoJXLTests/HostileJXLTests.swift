#if JXL
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    @testable import AlcedoJXL

    /// Some of these end the process, or take gigabytes, where libjxl decodes them.
    struct `Hostile JPEG XLs` {
        let codec = JXLCodec()

        /// Asks everything, of the bytes and of the same in boxes.
        private func rejects(_ builder: JXLBuilder, _ error: CodecError, _ options: DecodeOptions = .init()) {
            for bytes in [builder.bytes, builder.boxes(parts: 1), builder.boxes(parts: 3)] {
                let span = bytes.span.bytes
                #expect(throws: error) { try codec.info(of: span, limits: options.limits) }
                #expect(throws: error) { try codec.decode(span, options: options) }
                #expect(throws: error) { try codec.frames(of: span, options: options) }
                #expect(codec.profile(of: span, limits: options.limits) == nil)
            }
        }

        private func sections(_ side: Int) -> Int {
            let (groups, coarse) = ((side + 255) / 256, (side + 2047) / 2048)
            return 2 + groups * groups + coarse * coarse
        }

        @Test(
            arguments: [80_000, 1 << 29, 18_688], [JXLBuilder.Kind.referenceOnly, .regular])
        func `a JPEG XL's frame larger than its canvas is rejected`(_ side: Int, _ kind: JXLBuilder.Kind) {
            var builder = JXLBuilder(side: 64)
            builder.frame(kind, side: side, canvas: 64, slot: 1, sections: 100)
            builder.frame(side: 18_688, canvas: 64, isLast: true)
            rejects(builder, .limitExceeded(.pixels, value: side * side, limit: 50_000_000))
        }

        @Test func `layers of one picture of a JPEG XL count against the pixel limit`() {
            var builder = JXLBuilder(side: 20_000, isAnimated: true)
            let area = 20_000 * 20_000
            for _ in 0..<40 {
                builder.frame(side: 20_000, canvas: 20_000, duration: 0, sections: sections(20_000))
            }
            let options = DecodeOptions {
                $0.limits.pixelsPerFrame = area
                $0.limits.pixelsPerAnimation = .max
            }
            rejects(builder, .limitExceeded(.pixels, value: area * 5 / 4, limit: area), options)
        }

        @Test func `frames of a JPEG XL that are kept for others count against the pixel limit`() {
            var builder = JXLBuilder(side: 20_000, isAnimated: true)
            let area = 20_000 * 20_000
            for slot in 1..<4 {
                builder.frame(
                    side: 20_000, canvas: 20_000, duration: 1, slot: slot, sections: sections(20_000))
            }
            let options = DecodeOptions {
                $0.limits.pixelsPerFrame = area
                $0.limits.pixelsPerAnimation = .max
            }
            rejects(builder, .limitExceeded(.pixels, value: area * 2, limit: area), options)
        }

        @Test func `frames of a JPEG XL count together`() {
            var builder = JXLBuilder(side: 20_000, isAnimated: true)
            let area = 20_000 * 20_000
            for _ in 0..<20 {
                builder.frame(side: 20_000, canvas: 20_000, duration: 1, sections: sections(20_000))
            }
            let options = DecodeOptions {
                $0.limits.pixelsPerFrame = area
                $0.limits.pixelsPerAnimation = area * 10
            }
            let error = CodecError.limitExceeded(.animationPixels, value: area * 11, limit: area * 10)
            rejects(builder, error, options)
        }

        @Test func `hidden frames of a JPEG XL count against the frame limit`() {
            var builder = JXLBuilder(side: 64)
            for _ in 0..<100 {
                builder.frame(.referenceOnly, side: 18_688, canvas: 64, sections: sections(18_688))
            }
            let options = DecodeOptions {
                $0.limits.frames = 10
                $0.limits.pixelsPerFrame = .max
                $0.limits.pixelsPerAnimation = .max
            }
            rejects(builder, .limitExceeded(.frames, value: 44, limit: 10), options)
        }

        @Test func `frames of a JPEG XL behind one whose parts are shuffled are not supported`() {
            var builder = JXLBuilder(side: 64)
            builder.frame(.referenceOnly, side: 18_688, canvas: 64, isPermuted: true)
            let reason = "a frame before the last one is stored out of order"
            let options = DecodeOptions { $0.limits.pixelsPerFrame = .max }
            rejects(builder, .unsupported(.jxl, reason: reason), options)
        }

        @Test func `extreme numbers in the headers of a JPEG XL overflow nothing`() {
            let options = DecodeOptions {
                $0.limits.pixelsPerFrame = .max
                $0.limits.pixelsPerAnimation = .max
            }
            var builder = JXLBuilder(side: 1 << 20)
            for slot in 0..<4 {
                builder.frame(.referenceOnly, side: 1 << 30, canvas: 64, slot: slot, sections: 10)
            }
            for bytes in [builder.bytes, Array(builder.bytes.dropLast(20))] {
                // Its parts are not all there, or the sides are too long for libjxl.
                #expect(throws: CodecError.self) { try codec.decode(bytes.span.bytes, options: options) }
            }
        }

        @Test(arguments: Fixture.list("jxl", withExtension: "jxl").filter { !$0.contains("cmyk") })
        func `no sound JPEG XL is taken for a hostile one`(_ path: String) throws {
            let bytes = try Fixture.data(path)
            try bytes.withUnsafeBytes { buffer in
                let content = JXLContainer.content(of: EncodedBytes(sharing: buffer, of: nil))
                let codestream = content.codestream.buffer
                let found = try JXLProbe.structure(of: codestream, limits: DecodeLimits())
                let structure = try #require(found)
                #expect(content.isWhole && structure.isComplete)
                #expect(structure.ends.last == codestream.count)
                #expect(structure.ends.count >= (path.contains("animated") ? 5 : 1))
            }
        }

        @Test(arguments: ["jxl/lossy.jxl", "jxl/animated.jxl"])
        func `the decode time of a JPEG XL is limited`(_ path: String) throws {
            let bytes = try Fixture.data(path)
            let options = DecodeOptions { $0.limits.seconds = 0 }
            let error = CodecError.timeLimitExceeded(seconds: 0)
            #expect(throws: error) { try codec.decode(bytes.span.bytes, options: options) }
            #expect(throws: error) { try codec.frames(of: bytes.span.bytes, options: options).next() }
            #expect(try codec.info(of: bytes.span.bytes, limits: options.limits).isComplete)
        }
    }

    struct `Pictures that JPEG XL can be written from` {
        @Test(arguments: [
            (1, 1_000_000), (40_000_000, 1), (1, 40_000_000), (1, 70_000), (9000, 9000), (2, 1 << 40),
        ])
        func `pictures that take gigabytes are not written as a JPEG XL`(_ width: Int, _ height: Int) {
            let size = PixelSize(width: width, height: height)
            #expect {
                try JXLEncoder.check(size)
            } throws: { error in
                guard case CodecError.encodingFailed(.jxl, let reason) = error else { return false }
                return reason.contains(size.description)
            }
        }

        @Test(arguments: [(1, 1), (1, 65_536), (8192, 8192), (131_072, 2), (1, 4000)])
        func `all other pictures are written as a JPEG XL`(_ width: Int, _ height: Int) throws {
            try JXLEncoder.check(PixelSize(width: width, height: height))
        }

        @Test func `pictures that are too thin for a JPEG XL are an error`() throws {
            let size = PixelSize(width: 1, height: 100_000)
            let bitmap = try PixelBuilder(size: size, alpha: .opaque).freeze()
            #expect(throws: CodecError.self) {
                try JXLCodec().encode(bitmap, as: .jxl, options: EncodeOptions())
            }
        }
    }
#endif
