#if DEBUG || FUZZ
    import AlcedoCodecs

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
    #if Video
        import AlcedoVideo
    #endif

    /// A parser of untrusted bytes.
    ///
    /// libFuzzer generates inputs (`AlcedoFuzz`), and the tests run its findings again. Only debug builds and builds for
    /// libFuzzer contain targets, because they use internals of modules.
    package struct FuzzTarget: Sendable {
        package let name: String

        /// Returns for all inputs; a trap, an invalid access or a hang is a finding.
        package let body: @Sendable ([UInt8]) -> Void

        package static let all: [FuzzTarget] =
            decoders + servers + [
                FuzzTarget(name: "sniffer", body: SnifferFuzz.run),
                FuzzTarget(name: "metadata", body: MetadataFuzz.run),
                FuzzTarget(name: "icc", body: ProfileFuzz.run),
                FuzzTarget(name: "headers", body: HeaderFuzz.run),
                FuzzTarget(name: "urls", body: URLFuzz.run),
                FuzzTarget(name: "cookies", body: CookieFuzz.run),
                FuzzTarget(name: "cache", body: CacheFuzz.run),
                FuzzTarget(name: "channel", body: ChannelFuzz.run),
            ]

        private static let servers: [FuzzTarget] = {
            #if Server
                return [FuzzTarget(name: "server-urls", body: ServerURLFuzz.run)]
            #else
                return []
            #endif
        }()

        private static let decoders: [FuzzTarget] = {
            var targets = [
                FuzzTarget(name: "jpeg", body: DecoderFuzz(codec: JPEGCodec()).run),
                FuzzTarget(name: "png", body: DecoderFuzz(codec: PNGCodec()).run),
                FuzzTarget(name: "gif", body: DecoderFuzz(codec: GIFCodec()).run),
                FuzzTarget(name: "webp", body: DecoderFuzz(codec: WebPCodec()).run),
                FuzzTarget(name: "bmp", body: DecoderFuzz(codec: BMPCodec()).run),
                FuzzTarget(name: "ico", body: DecoderFuzz(codec: ICOCodec()).run),
            ]
            #if HEIF
                targets.append(FuzzTarget(name: "heif", body: DecoderFuzz(codec: HEIFCodec()).run))
                targets.append(FuzzTarget(name: "heif-boxes", body: HEIFBoxFuzz.run))
                targets.append(FuzzTarget(name: "avif", body: DecoderFuzz(codec: HEIFCodec()).run))
            #endif
            #if JXL
                targets.append(FuzzTarget(name: "jxl-structure", body: JXLStructureFuzz.run))
                targets.append(FuzzTarget(name: "jxl", body: DecoderFuzz(codec: JXLCodec()).run))
            #endif
            #if TIFF
                targets.append(FuzzTarget(name: "tiff", body: DecoderFuzz(codec: TIFFCodec()).run))
            #endif
            #if JP2
                targets.append(FuzzTarget(name: "jp2", body: DecoderFuzz(codec: JP2Codec()).run))
            #endif
            #if SVG
                targets.append(FuzzTarget(name: "svg", body: DecoderFuzz(codec: SVGCodec()).run))
            #endif
            #if Video
                VideoDecoder.silence()
                targets.append(FuzzTarget(name: "video", body: VideoFuzz.run))
            #endif
            return targets
        }()
    }
#endif
