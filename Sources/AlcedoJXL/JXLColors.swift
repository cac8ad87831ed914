#if JXL
    import AlcedoCodecs
    import CJxl

    /// From a file's colours to sRGB.
    enum JXLColors {
        /// The colours of the pixels that libjxl gives; nil if they are unknown, and so sRGB.
        ///
        /// libjxl converts images encoded in its own colour space, with more than 8 bits. It clips light of PQ and HLG above white,
        /// which is compressed here instead. Frames that it composes it decodes in the colours of the file only, unless a profile
        /// has these (libjxl 0.7).
        static func colors(of stream: borrowing JXLStream, limit: Int) -> ColorSource? {
            if stream.black != nil {
                return stream.profile(ofPixels: false, limit: limit)
                    .map { ColorSource(profile: $0, layout: .invertedCMYK) }
            }
            let encoding = stream.encoding(ofPixels: false)
            let isKept = encoding.map { isBrighterThanWhite($0) || stream.hasBlendedFrames } ?? false
            if !stream.keepsItsColors, !isKept { stream.preferSRGB() }
            if let encoding = stream.encoding(ofPixels: true), let rgb = RGBEncoding(encoding) {
                return ColorSource(rgb)
            }
            let layout = stream.isGrey ? ColorLayout.grey : .rgba
            return stream.profile(ofPixels: true, limit: limit)
                .map { ColorSource(profile: $0, layout: layout) }
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
