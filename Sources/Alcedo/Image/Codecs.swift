import AlcedoCodecs
import Foundation

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

extension Data {
    /// The format that the first bytes tell; nil if no codec knows it.
    var encodedFormat: EncodedFormat? { codecs.codec(for: bytes)?.format(of: bytes) }
}
