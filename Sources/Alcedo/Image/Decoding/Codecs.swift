package import AlcedoCodecs
import AlcedoIsolation
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
///
/// All of Alcedo's can have a worker process decode.
package let codecs: CodecRegistry = {
    var added: [any ImageCodec] = []
    #if SVG
        added.append(IsolatedCodec(SVGCodec(), in: .svg))
    #endif
    #if HEIF
        added.append(IsolatedCodec(HEIFCodec(), in: .heavy))
    #endif
    #if JXL
        added.append(IsolatedCodec(JXLCodec(), in: .heavy))
    #endif
    CodecRegistry.shared.replaceEach { codec in
        switch codec {
        case is JPEGCodec, is PNGCodec, is GIFCodec, is WebPCodec:
            IsolatedCodec(codec, in: .common, readsHeadersHere: true)
        default: codec
        }
    }
    CodecRegistry.shared.registerLast(added)
    HelperFolder.memoryLimit = Int(clamping: min(MemoryAllowance().bytes / 2, 4 << 30))
    return .shared
}()

extension Data {
    /// The format that the first bytes tell; nil if no codec knows it.
    var encodedFormat: EncodedFormat? { codecs.codec(for: bytes)?.format(of: bytes) }
}
