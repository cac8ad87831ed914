package import AlcedoCodecs
import AlcedoIsolation
import Foundation

#if HEIF
    import AlcedoHEIF
#endif
#if JXL
    import AlcedoJXL
#endif
#if TIFF
    import AlcedoTIFF
#endif
#if JP2
    import AlcedoJP2
#endif
#if SVG
    import AlcedoSVG
#endif

/// ``CodecRegistry/shared`` with the codecs of the enabled package traits.
///
/// Each of Alcedo's codecs can decode in a worker process.
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
    #if TIFF
        added.append(IsolatedCodec(TIFFCodec(), in: .heavy))
    #endif
    #if JP2
        added.append(IsolatedCodec(JP2Codec(), in: .heavy))
    #endif
    CodecRegistry.shared.replaceEach { codec in
        switch codec {
        case is JPEGCodec, is PNGCodec, is GIFCodec, is WebPCodec, is BMPCodec, is ICOCodec:
            IsolatedCodec(codec, in: .common, readsHeadersHere: true)
        default: codec
        }
    }
    CodecRegistry.shared.registerLast(added)
    HelperFolder.memoryLimit = Int(clamping: min(MemoryAllowance().bytes / 2, 4 << 30))
    return .shared
}()

extension Data {
    /// The format that a registered codec detects in the first bytes; nil if none does.
    var encodedFormat: EncodedFormat? { codecs.codec(for: bytes)?.format(of: bytes) }
}
