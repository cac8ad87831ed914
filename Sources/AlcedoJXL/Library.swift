#if JXL
    import AlcedoPixels
    import CJxl

    /// libjxl's functions, without “Jxl”; loaded when the first image needs them.
    let libjxl = alcedo_load_jxl()

    extension Libjxl {
        func check() throws(CodecError) {
            guard isLoaded else { throw .unsupported(.jxl, reason: "libjxl is not installed") }
        }
    }
#endif
