#if TIFF
    import AlcedoPixels
    import AlcedoTIFF
    import AlcedoTestSupport
    import Testing

    struct `What the TIFF codec writes` {
        @Test(arguments: ReadBack.sizes)
        func `the TIFF codec reads what it writes`(_ size: PixelSize) throws {
            #expect(ReadBack.failures(of: TIFFCodec(), .tiff, size) == [])
        }
    }
#endif
