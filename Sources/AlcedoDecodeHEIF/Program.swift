import AlcedoPixels
import AlcedoWorker

#if HEIF
    import AlcedoHEIF
#endif
#if JXL
    import AlcedoJXL
#endif

/// `alcedo-decode-heif`: decodes HEIC, AVIF and JPEG XL in a sandbox, as far as their traits are on.
@main
enum Program {
    static func main() {
        var codecs: [any ImageCodec] = []
        #if HEIF
            codecs.append(HEIFCodec())
        #endif
        #if JXL
            codecs.append(JXLCodec())
        #endif
        DecodeWorker(codecs, samples: Samples.all).run()
    }
}
