#if JXL
    import AlcedoJXL
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    struct `What the JPEG XL codec writes` {
        /// Sizes for which libjxl 0.7 ends the process, and those around them.
        private static let fragile = [
            (8, 2048), (8, 2049), (9, 4096), (17, 4097), (24, 4096), (25, 2049), (64, 2049), (65, 2049),
            (2049, 8),
            (4096, 24),
        ].map { PixelSize(width: $0.0, height: $0.1) }

        @Test(arguments: ReadBack.sizes + fragile)
        func `the JPEG XL codec reads the images that it writes`(_ size: PixelSize) throws {
            #expect(ReadBack.failures(of: JXLCodec(), .jxl, size) == [])
        }

        @Test(arguments: fragile.prefix(4))
        func `the JPEG XL codec reads the animations that it writes`(_ size: PixelSize) throws {
            #expect(ReadBack.failures(of: JXLCodec(), .jxl, size, isAnimated: true) == [])
        }
    }
#endif
