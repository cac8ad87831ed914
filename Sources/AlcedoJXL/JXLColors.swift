#if JXL
    import AlcedoCodecs
    import AlcedoPixels
    import CJxl

    /// The colours of the pixels that libjxl gives, and what they are kept as.
    struct JXLColors {
        /// Nil if they are unknown, and so sRGB.
        private(set) var source: ColorSource?
        /// The deep pixels to decode to; nil for 8 bits of sRGB.
        private(set) var target: DeepTarget?
        /// Whether pixels have more than 8 bits.
        private(set) var isDeep = false

        init() {}

        /// Finds out what libjxl gives, and requests it; called after the colour event.
        ///
        /// libjxl converts images encoded in its own colour space, with more than 8 bits. It clips light of PQ and HLG above white,
        /// which is compressed here instead. Frames that it composes it decodes in the colours of the file only, unless a profile
        /// has these (libjxl 0.7).
        init(of stream: borrowing JXLStream, options: DecodeOptions) {
            let limit = options.limits.metadataBytes
            isDeep = stream.isDeep
            if stream.black != nil {
                guard let profile = stream.profile(ofPixels: false, limit: limit) else {
                    target = DeepTarget(nil, layout: .invertedCMYK, isDeep: isDeep, options: options)
                    return
                }
                source = ColorSource(profile: profile, layout: .invertedCMYK)
                target = DeepTarget(.icc(profile), layout: .invertedCMYK, isDeep: isDeep, options: options)
                return
            }
            if !stream.keepsItsColors { request(of: stream, options) }
            let space: ColorSpace?
            let layout = stream.isGrey ? ColorLayout.grey : .rgba
            if let encoding = stream.encoding(ofPixels: true), let rgb = RGBEncoding(encoding) {
                source = ColorSource(rgb)
                space = rgb.space
                // Light that no space of a bitmap has.
                guard space != nil else { return }
                target = DeepTarget(space, layout: .rgba, isDeep: isDeep, options: options)
            } else {
                let profile = stream.profile(ofPixels: true, limit: limit)
                source = profile.map { ColorSource(profile: $0, layout: layout) }
                space = profile.map { .icc($0) }
                target = DeepTarget(space, layout: layout, isDeep: isDeep, options: options)
            }
        }

        /// Requests the colours of an image in libjxl's own colour space, which has more than 8 bits.
        private mutating func request(of stream: borrowing JXLStream, _ options: DecodeOptions) {
            if let encoding = stream.encoding(ofPixels: false) {
                // Without a request, libjxl gives the colours of the file.
                let isKept =
                    Self.isBrighterThanWhite(encoding) || stream.hasBlendedFrames
                    || options.colorRetention.keepsColors
                if !isKept { stream.preferSRGB() }
                return
            }
            let profile = stream.profile(ofPixels: false, limit: options.limits.metadataBytes)
            let isWide = profile.map { ColorSource(profile: $0, layout: .rgba).transform != nil } ?? false
            guard options.colorRetention.keepsColors, isWide, !stream.isGrey else {
                return stream.preferSRGB()
            }
            // libjxl does not convert to a profile.
            stream.preferBT2020()
            isDeep = true
        }

        private static func isBrighterThanWhite(_ encoding: JxlColorEncoding) -> Bool {
            encoding.transfer_function == JXL_TRANSFER_FUNCTION_PQ
                || encoding.transfer_function == JXL_TRANSFER_FUNCTION_HLG
        }
    }

    extension RGBEncoding {
        /// Nil if a profile is needed.
        fileprivate init?(_ encoding: JxlColorEncoding) {
            let transfer: Transfer
            switch encoding.transfer_function {
            case JXL_TRANSFER_FUNCTION_SRGB: transfer = .sRGB
            case JXL_TRANSFER_FUNCTION_709: transfer = .bt709
            case JXL_TRANSFER_FUNCTION_LINEAR: transfer = .linear
            case JXL_TRANSFER_FUNCTION_PQ: transfer = .pq
            case JXL_TRANSFER_FUNCTION_HLG: transfer = .hlg
            case JXL_TRANSFER_FUNCTION_GAMMA:
                guard encoding.gamma > 0 else { return nil }
                transfer = .gamma(1 / encoding.gamma)
            default: return nil
            }
            let white = Point(encoding.white_point_xy.0, encoding.white_point_xy.1)
            if encoding.color_space == JXL_COLOR_SPACE_GRAY {
                self.init(primaries: 1, transfer: 13)
                self.transfer = transfer
                return
            }
            guard encoding.color_space == JXL_COLOR_SPACE_RGB else { return nil }
            let number: Int
            switch encoding.primaries {
            case JXL_PRIMARIES_SRGB: number = 1
            case JXL_PRIMARIES_2100: number = 9
            case JXL_PRIMARIES_P3: number = 12
            default:
                self.init(
                    red: Point(encoding.primaries_red_xy.0, encoding.primaries_red_xy.1),
                    green: Point(encoding.primaries_green_xy.0, encoding.primaries_green_xy.1),
                    blue: Point(encoding.primaries_blue_xy.0, encoding.primaries_blue_xy.1),
                    white: white,
                    transfer: transfer
                )
                return
            }
            self.init(primaries: number, transfer: 13)
            self.transfer = transfer
            if encoding.white_point != JXL_WHITE_POINT_D65 { self.white = white }
        }
    }
#endif
