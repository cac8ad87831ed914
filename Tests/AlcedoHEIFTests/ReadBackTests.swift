#if HEIF
    import AlcedoHEIF
    import AlcedoPixels
    import AlcedoTestSupport
    import Testing

    struct `What the HEIF codec writes` {
        @Test(arguments: [EncodedFormat.avif, .heic], ReadBack.sizes)
        func `the HEIF codec reads what it writes`(_ format: EncodedFormat, _ size: PixelSize) throws {
            #expect(ReadBack.failures(of: HEIFCodec(), format, size) == [])
        }
    }
#endif
