package import AlcedoCodecs
import Foundation

#if HEIF
    import AlcedoHEIF
#endif
#if JXL
    import AlcedoJXL
#endif
#if SVG
    import AlcedoSVG
#endif

/// The codecs that images are read and written with: those of ``CodecRegistry/shared``, and those of the traits that
/// are on.
package let codecs: CodecRegistry = {
    var added: [any ImageCodec] = []
    #if SVG
        added.append(SVGCodec())
    #endif
    #if HEIF
        added.append(HEIFCodec())
    #endif
    #if JXL
        added.append(JXLCodec())
    #endif
    CodecRegistry.shared.registerLast(added)
    return .shared
}()

extension Data {
    /// The format that the first bytes tell; nil if no codec knows it.
    var encodedFormat: EncodedFormat? { codecs.codec(for: bytes)?.format(of: bytes) }
}
