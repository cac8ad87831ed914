import AlcedoCodecs

#if HEIF
    import AlcedoHEIF
#endif

/// The codecs that images are read and written with: those of ``CodecRegistry/shared``, HEIF's if its trait is on.
let codecs: CodecRegistry = {
    #if HEIF
        CodecRegistry.shared.register(HEIFCodec())
    #endif
    return .shared
}()
