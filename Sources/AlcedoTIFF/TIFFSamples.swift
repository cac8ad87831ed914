#if TIFF
    import AlcedoCodecs
    import AlcedoPixels
    import CTiff

    /// What the samples of a pixel are (TIFF 6.0, sections 3 to 6, 16, 18 and 19), for images whose samples are converted here.
    struct TIFFSamples {
        /// What the first samples of a pixel mean.
        enum Colors: Equatable {
            /// 0 is black, or white.
            case grey(isInverted: Bool)
            case rgb
            case palette
            case cmyk

            var count: Int {
                switch self {
                case .grey, .palette: 1
                case .rgb: 3
                case .cmyk: 4
                }
            }
        }

        enum Number: Equatable {
            case unsigned
            /// Two's complement.
            case signed
            case float
        }

        /// The sample that is alpha.
        struct Alpha: Equatable {
            let sample: Int
            /// Whether the colours are multiplied by it.
            let isAssociated: Bool
        }

        let colors: Colors
        let number: Number
        let bits: Int
        /// Samples of a pixel, those included that are not shown.
        let perPixel: Int
        /// Whether each sample has its own strips or tiles.
        let isPlanar: Bool
        /// Nil for opaque images.
        let alpha: Alpha?

        /// Nil if libtiff has to convert the colours; throws if it can't either.
        init?(_ file: TIFFFile) throws(CodecError) {
            perPixel = file.samplesPerPixel
            bits = Int(file.u16(TIFFTAG_BITSPERSAMPLE) ?? 1)
            isPlanar = perPixel > 1 && Int32(file.u16(TIFFTAG_PLANARCONFIG) ?? 1) == PLANARCONFIG_SEPARATE
            let extras = file.extraSamples
            guard let colors = try Self.colors(of: file, count: perPixel - extras.count) else { return nil }
            self.colors = colors
            number = try Self.number(of: file, bits, isIndex: colors == .palette)
            guard perPixel >= colors.count else {
                throw .unsupported(
                    .tiff, reason: "it has \(perPixel) samples per pixel for \(colors.count) colours")
            }
            let first = perPixel - extras.count
            let kinds = [EXTRASAMPLE_ASSOCALPHA, EXTRASAMPLE_UNASSALPHA]
            alpha = extras.indices
                .first { kinds.contains(Int32(extras[$0])) && first + $0 >= colors.count }
                .map {
                    // The number of a colour can't be multiplied.
                    let isAssociated = Int32(extras[$0]) == EXTRASAMPLE_ASSOCALPHA && colors != .palette
                    return Alpha(sample: first + $0, isAssociated: isAssociated)
                }
        }

        /// The samples that are shown: the colours and then alpha.
        var shown: [Int] { Array(0..<colors.count) + (alpha.map { [$0.sample] } ?? []) }

        /// The bytes of a row of `width` pixels of a strip or a tile.
        func rowBytes(width: Int) -> Int { (width * bits * (isPlanar ? 1 : perPixel) + 7) / 8 }

        /// Nil for colours that libtiff converts.
        ///
        /// `count` is the number of samples that are no extra samples.
        private static func colors(of file: TIFFFile, count: Int) throws(CodecError) -> Colors? {
            guard let photometric = file.u16(TIFFTAG_PHOTOMETRIC).map(Int32.init) else {
                // As libtiff guesses.
                guard count == 1 || count == 3 else {
                    throw .unsupported(.tiff, reason: "it has no photometric interpretation")
                }
                return count == 3 ? .rgb : .grey(isInverted: file.isFax)
            }
            switch photometric {
            case PHOTOMETRIC_MINISWHITE: return .grey(isInverted: true)
            case PHOTOMETRIC_MINISBLACK: return .grey(isInverted: false)
            case PHOTOMETRIC_RGB: return .rgb
            case PHOTOMETRIC_PALETTE: return .palette
            case PHOTOMETRIC_SEPARATED:
                guard Int32(file.u16(TIFFTAG_INKSET) ?? 1) == INKSET_CMYK else {
                    throw .unsupported(.tiff, reason: "its inks are not cyan, magenta, yellow and black")
                }
                return .cmyk
            case PHOTOMETRIC_YCBCR, PHOTOMETRIC_CIELAB, PHOTOMETRIC_LOGL, PHOTOMETRIC_LOGLUV: return nil
            default: throw .unsupported(.tiff, reason: "its photometric interpretation is \(photometric)")
            }
        }

        private static func number(
            of file: TIFFFile, _ bits: Int, isIndex: Bool
        ) throws(CodecError) -> Number {
            let (number, name): (Number, String)
            switch Int32(file.u16(TIFFTAG_SAMPLEFORMAT) ?? 1) {
            case SAMPLEFORMAT_UINT, SAMPLEFORMAT_VOID: (number, name) = (.unsigned, "unsigned")
            case SAMPLEFORMAT_INT: (number, name) = (.signed, "signed")
            case SAMPLEFORMAT_IEEEFP: (number, name) = (.float, "floating-point")
            default: throw .unsupported(.tiff, reason: "its samples are complex numbers")
            }
            let isSupported =
                switch number {
                case _ where isIndex: number == .unsigned && (1...16).contains(bits)
                case .float: [16, 24, 32, 64].contains(bits)
                case .unsigned, .signed: (1...32).contains(bits) || bits == 64
                }
            guard isSupported else {
                let place = isIndex ? " for a palette" : ""
                throw .unsupported(.tiff, reason: "its samples are \(name) numbers of \(bits) bits\(place)")
            }
            return number
        }
    }
#endif
