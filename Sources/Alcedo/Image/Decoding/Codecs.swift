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

/// A format that a package trait adds.
package struct OptionalFormat: Sendable {
    let codec: any ImageCodec
    let group: DecoderGroup
    /// What servers call it in Content-Type.
    package let mediaTypes: [String]

    /// Those of this build, in the order in which they look at unknown bytes.
    package static let all: [OptionalFormat] = {
        var all: [OptionalFormat] = []
        #if SVG
            all.append(.init(codec: SVGCodec(), group: .svg, mediaTypes: ["image/svg+xml"]))
        #endif
        #if HEIF
            all.append(
                .init(
                    codec: HEIFCodec(), group: .heavy, mediaTypes: ["image/avif", "image/heic", "image/heif"])
            )
        #endif
        #if JXL
            all.append(.init(codec: JXLCodec(), group: .heavy, mediaTypes: ["image/jxl"]))
        #endif
        #if TIFF
            all.append(.init(codec: TIFFCodec(), group: .heavy, mediaTypes: ["image/tiff"]))
        #endif
        #if JP2
            all.append(.init(codec: JP2Codec(), group: .heavy, mediaTypes: ["image/jp2"]))
        #endif
        return all
    }()
}

/// ``CodecRegistry/shared`` with the codecs of the enabled package traits.
///
/// Each of Alcedo's codecs can decode in a worker process.
package let codecs: CodecRegistry = {
    CodecRegistry.shared.replaceEach { codec in
        guard CodecRegistry.builtIn.contains(where: { type(of: $0) == type(of: codec) }) else { return codec }
        return IsolatedCodec(
            codec, in: .common, readsHeadersHere: true, conversion: DeepColors.sRGB.conversion)
    }
    CodecRegistry.shared.registerLast(
        OptionalFormat.all.map {
            IsolatedCodec($0.codec, in: $0.group, conversion: DeepColors.sRGB.conversion)
        })
    HelperFolder.memoryLimit = Int(clamping: min(MemoryAllowance().bytes / 2, 4 << 30))
    return .shared
}()

extension Data {
    /// The format that a registered codec detects in the first bytes; nil if none does.
    var encodedFormat: EncodedFormat? { codecs.codec(for: bytes)?.format(of: bytes) }
}
