#if HEIF
    import AlcedoPixels
    import CAvif
    import CHeif

    // Loaded when the first image needs them: to link them would take each start of a program 6 ms.

    /// libheif's functions, without “heif_”.
    let libheif = alcedo_load_heif()

    /// libavif's functions, without “avif”.
    let libavif = alcedo_load_avif()

    extension Libheif {
        func check() throws(CodecError) {
            guard isLoaded else { throw .unsupported(.heic, reason: "libheif is not installed") }
        }
    }

    extension Libavif {
        func check() throws(CodecError) {
            guard isLoaded else { throw .unsupported(.avif, reason: "libavif is not installed") }
        }

        /// What libavif says of a failure.
        func reason(_ status: avifResult) -> String {
            ResultToString(status).map { String(cString: $0) } ?? "no reason given"
        }
    }
#endif
