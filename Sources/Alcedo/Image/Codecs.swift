package import AlcedoCodecs
import Foundation

#if HEIF
    import AlcedoHEIF
#endif

/// The codecs that images are read and written with: those of ``CodecRegistry/shared``, and those of the traits that
/// are on.
package let codecs: CodecRegistry = {
    var added: [any ImageCodec] = []
    #if HEIF
        added.append(HEIFCodec())
    #endif
    CodecRegistry.shared.registerLast(added)
    return .shared
}()

extension Data {
    /// The format that the first bytes tell; nil if no codec knows it.
    var encodedFormat: EncodedFormat? { codecs.codec(for: bytes)?.format(of: bytes) }
}
