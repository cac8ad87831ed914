import AlcedoPixels
import AlcedoWorker

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

/// `alcedo-decode-heif`: decodes HEIC, AVIF, JPEG XL, TIFF and JPEG 2000 in a sandbox, as far as their traits are on.
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
        #if TIFF
            codecs.append(TIFFCodec(isInWorker: true))
        #endif
        #if JP2
            codecs.append(JP2Codec())
        #endif
        DecodeWorker(codecs, samples: Samples.all).run()
    }
}
