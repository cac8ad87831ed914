#if TIFF
    import AlcedoPixels
    import CTiff

    /// libtiff's functions, without “TIFF”; loaded when the first image needs them.
    let libtiff = alcedo_load_tiff()

    extension Libtiff {
        func check() throws(CodecError) {
            guard isLoaded else { throw .unsupported(.tiff, reason: "libtiff is not installed") }
        }
    }
#endif
