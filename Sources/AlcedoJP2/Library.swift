#if JP2
    import AlcedoPixels
    import COpenJPEG

    /// OpenJPEG's functions, without “opj_”; loaded when the first image needs them.
    let openJPEG = alcedo_load_openjpeg()

    extension OpenJPEG {
        func check() throws(CodecError) {
            guard isLoaded else { throw .unsupported(.jp2, reason: "OpenJPEG is not installed") }
        }
    }
#endif
