#if DEBUG || FUZZ
    import AlcedoCodecs
    import AlcedoPixels

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

        /// The extensions of the fixtures to start from; `*` for small files of any.
        package let seeds: [String]

        /// How many changed seeds the tests try; 0 for those that take long, or that only libFuzzer gets far with.
        package let mutations: Int

        /// Returns for all inputs; a trap, an invalid access or a hang is a finding.
        package let body: @Sendable ([UInt8]) -> Void

        init(
            _ name: String, seeds: [String] = [], mutations: Int = 0,
            _ body: @escaping @Sendable ([UInt8]) -> Void
        ) {
            (self.name, self.seeds, self.mutations, self.body) = (name, seeds, mutations, body)
        }

        package static let all: [FuzzTarget] =
            decoders + structures + servers + [
                FuzzTarget("sniffer", seeds: ["*"], SnifferFuzz.run),
                FuzzTarget("metadata", seeds: ["icc", "jpg", "tiff"], mutations: 500, MetadataFuzz.run),
                FuzzTarget(
                    "metadata-files", seeds: ["jpg", "png", "webp", "tiff", "heic", "avif", "jxl"],
                    mutations: 2000,
                    MetadataFileFuzz.run),
                FuzzTarget(
                    "pages", seeds: ["tiff", "ico", "cur", "heic", "avif"], mutations: 4000, PagesFuzz.run),
                FuzzTarget("exif", seeds: ["tiff"], mutations: 4000, EXIFFuzz.run),
                FuzzTarget("xmp", seeds: ["svg"], mutations: 2000, XMPFuzz.run),
                FuzzTarget("png-text", mutations: 4000, PNGTextFuzz.run),
                FuzzTarget("jpeg-markers", seeds: ["jpg"], mutations: 4000, JPEGMarkerFuzz.run),
                FuzzTarget("icc", seeds: ["icc"], ProfileFuzz.run),
                FuzzTarget("headers", HeaderFuzz.run),
                FuzzTarget("urls", URLFuzz.run),
                FuzzTarget("cookies", CookieFuzz.run),
                FuzzTarget("cache", CacheFuzz.run),
                FuzzTarget("channel", seeds: ["*"], ChannelFuzz.run),
            ]

        private static let servers: [FuzzTarget] = {
            #if Server
                return [FuzzTarget("server-urls", ServerURLFuzz.run)]
            #else
                return []
            #endif
        }()

        /// All operations of a codec, and its estimates.
        private static func codec(
            _ name: String, _ extensions: [String], _ codec: some ImageCodec, mutations: Int = 0
        ) -> [FuzzTarget] {
            [
                FuzzTarget(name, seeds: extensions, mutations: mutations, DecoderFuzz(codec: codec).run),
                FuzzTarget(
                    "\(name)-estimate", seeds: extensions, mutations: 150, EstimateFuzz(codec: codec).run),
            ]
        }

        private static let decoders: [FuzzTarget] = {
            var targets = codec("jpeg", ["jpg"], JPEGCodec())
            targets += codec("png", ["png"], PNGCodec())
            targets += codec("gif", ["gif"], GIFCodec())
            targets += codec("webp", ["webp"], WebPCodec())
            targets += codec("bmp", ["bmp"], BMPCodec())
            targets += codec("ico", ["ico", "cur"], ICOCodec())
            targets += codec("qoi", ["qoi"], QOICodec(), mutations: 1000)
            targets += codec("pnm", ["pbm", "pgm", "ppm", "pam"], PNMCodec(), mutations: 1000)
            targets += codec("tga", ["tga"], TGACodec(), mutations: 1000)
            #if HEIF
                targets += codec("heif", ["heic"], HEIFCodec())
                targets += codec("avif", ["avif"], HEIFCodec())
            #endif
            #if JXL
                targets += codec("jxl", ["jxl"], JXLCodec())
            #endif
            #if TIFF
                targets += codec("tiff", ["tiff"], TIFFCodec())
            #endif
            #if JP2
                targets += codec("jp2", ["jp2", "j2k"], JP2Codec())
            #endif
            #if SVG
                targets += codec("svg", ["svg"], SVGCodec())
            #endif
            #if Video
                VideoDecoder.silence()
                targets.append(FuzzTarget("video", seeds: videos, VideoFuzz.run))
            #endif
            return targets
        }()

        /// What is read of a file before a library sees it.
        private static let structures: [FuzzTarget] = {
            var targets: [FuzzTarget] = []
            #if HEIF
                targets.append(
                    FuzzTarget("heif-boxes", seeds: ["heic", "avif"], mutations: 2000, HEIFBoxFuzz.run))
            #endif
            #if JXL
                targets.append(
                    FuzzTarget("jxl-structure", seeds: ["jxl"], mutations: 2000, JXLStructureFuzz.run))
            #endif
            #if TIFF
                targets.append(
                    FuzzTarget("tiff-directory", seeds: ["tiff"], mutations: 4000, TIFFDirectoryFuzz.run))
            #endif
            #if JP2
                targets.append(
                    FuzzTarget(
                        "jp2-structure", seeds: ["jp2", "j2k"], mutations: 2000, JP2StructureFuzz.run))
            #endif
            #if SVG
                targets.append(
                    FuzzTarget("svg-document", seeds: ["svg"], mutations: 1000, SVGDocumentFuzz.run))
            #endif
            #if Video
                targets.append(FuzzTarget("video-end", seeds: videos, mutations: 1000, VideoEndFuzz.run))
            #endif
            return targets
        }()

        private static let videos = ["mp4", "mov", "webm", "mkv", "avi", "ts", "ogv", "m4a"]
    }
#endif
