#if JXL
    import AlcedoCodecs
    import AlcedoPixels
    import CJxl
    import Glibc

    /// Writes frames with libjxl, one at a time.
    struct JXLEncoder: ~Copyable {
        private let handle: OpaquePointer
        private let info: ImageInfo
        private let isAnimated: Bool
        private let options: EncodeOptions
        /// Bits of a channel.
        private let bits: Int
        private let space: ColorSpace

        /// Frames have 8 bits of sRGB, unless `colors` says what the only one has.
        init(
            _ info: ImageInfo, isAnimated: Bool, colors: WrittenColors? = nil, options: EncodeOptions
        ) throws(CodecError) {
            try Self.check(info.size)
            try libjxl.check()
            guard let handle = libjxl.EncoderCreate(nil) else { throw .outOfMemory(byteCount: 1 << 16) }
            self.handle = handle
            self.info = info
            self.isAnimated = isAnimated
            self.options = options
            (bits, space) = (colors?.bits ?? 8, colors?.space ?? .sRGB)
        }

        deinit { libjxl.EncoderDestroy(handle) }

        /// All frames from where `frames` stands.
        func encode(_ frames: any FrameDecoder) throws(CodecError) -> [UInt8] {
            try writeHeader()
            var output: [UInt8] = []
            var clock = FrameClock(unitsPerSecond: 1000, longest: Int(UInt32.max))
            guard var frame = try frames.next() else {
                throw .encodingFailed(.jxl, reason: "there are no frames")
            }
            while true {
                let settings = libjxl.EncoderFrameSettingsCreate(handle, nil)
                try configure(settings, duration: frame.duration, &clock)
                try add(frame.bitmap, settings)
                // libjxl must know that a frame is the last one before it is written.
                let following = try frames.next()
                if following == nil { libjxl.EncoderCloseInput(handle) }
                try drain(into: &output)
                guard let following else { return output }
                frame = following
            }
        }

        /// Throws for a size for which libjxl needs gigabytes; it ends the process if memory runs out.
        ///
        /// It needs about 75 bytes per pixel, padded to a multiple of 16 × 8 pixels.
        static func check(_ size: PixelSize) throws(CodecError) {
            let padded = PixelSize(width: (size.width + 15) & ~15, height: (size.height + 7) & ~7).area
            guard padded <= mostPixels else {
                throw .encodingFailed(
                    .jxl, reason: "\(size) pixels, padded as libjxl does, exceed \(mostPixels)")
            }
            guard padded <= max(size.area * mostPadding, mostSmallPixels) else {
                throw .encodingFailed(
                    .jxl, reason: "\(size) pixels are too thin, and take \(padded * 75) bytes")
            }
        }

        private static let mostPixels = 1 << 26
        private static let (mostPadding, mostSmallPixels) = (4, 1 << 20)

        private func check(_ status: JxlEncoderStatus) throws(CodecError) {
            guard status == JXL_ENC_SUCCESS else {
                throw .encodingFailed(.jxl, reason: "libjxl error \(libjxl.EncoderGetError(handle).rawValue)")
            }
        }

        private func writeHeader() throws(CodecError) {
            var header = JxlBasicInfo()
            libjxl.EncoderInitBasicInfo(&header)
            header.xsize = UInt32(info.size.width)
            header.ysize = UInt32(info.size.height)
            header.bits_per_sample = UInt32(bits)
            header.num_color_channels = 3
            header.num_extra_channels = info.hasAlpha ? 1 : 0
            header.alpha_bits = info.hasAlpha ? UInt32(bits) : 0
            // In libjxl's own colour space, XYB, a picture can't be stored without loss.
            header.uses_original_profile = options.isLossless ? 1 : 0
            if isAnimated {
                header.have_animation = 1
                header.animation.tps_numerator = 1000
                header.animation.tps_denominator = 1
                header.animation.num_loops = UInt32(clamping: info.loopCount)
            }
            try check(libjxl.EncoderSetBasicInfo(handle, &header))
            switch space {
            case .codePoints(let primaries, let transfer):
                var color = JxlColorEncoding(
                    RGBEncoding(primaries: Int(primaries), transfer: Int(transfer)))
                try check(libjxl.EncoderSetColorEncoding(handle, &color))
            case .icc(let profile):
                try check(libjxl.EncoderSetICCProfile(handle, profile, profile.count))
            }
        }

        private func configure(
            _ settings: OpaquePointer?,
            duration: Double,
            _ clock: inout FrameClock
        ) throws(CodecError) {
            try check(
                libjxl.EncoderFrameSettingsSetOption(
                    settings, JXL_ENC_FRAME_SETTING_EFFORT, Self.effort(for: info.size)))
            if options.isLossless {
                try check(libjxl.EncoderSetFrameLossless(settings, 1))
            } else {
                try check(
                    libjxl.EncoderSetFrameDistance(settings, Self.distance(quality: options.boundedQuality)))
            }
            guard isAnimated else { return }
            var header = JxlFrameHeader()
            libjxl.EncoderInitFrameHeader(&header)
            // A frame without a duration would be taken for a layer of the next.
            header.duration = UInt32(max(1, clock.units(for: duration)))
            try check(libjxl.EncoderSetFrameHeader(settings, &header))
        }

        /// Two steps below libjxl's default takes half its time for a few per cent more bytes.
        ///
        /// At an effort above 3, libjxl 0.7 ends the process for qualities below 0.46 of pictures of up to 8, or 17 to 24, columns and
        /// 2049 to 5000 rows.
        private static func effort(for size: PixelSize) -> Int64 {
            min(size.width, size.height) <= 64 && max(size.width, size.height) > 2048 ? 3 : 5
        }

        /// libjxl's measure of loss for a quality from 0 to 1, as its own programs translate a JPEG's.
        private static func distance(quality: Double) -> Float {
            let quality = quality * 100
            if quality >= 30 { return Float(0.1 + (100 - quality) * 0.09) }
            return Float(min(6.24 + pow(2.5, (30 - quality) / 5) / 6.25, 15))
        }

        private func add(_ bitmap: Bitmap, _ settings: OpaquePointer?) throws(CodecError) {
            guard bitmap.size == info.size else {
                throw .encodingFailed(.jxl, reason: "a frame is \(bitmap.size)")
            }
            let channels = info.hasAlpha ? 4 : 3
            var format = JxlPixelFormat(
                num_channels: UInt32(channels), data_type: bits > 8 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
                endianness: JXL_NATIVE_ENDIAN, align: 0)
            if bits > 8 {
                // libjxl scales the whole range of 16 bits to what the header says.
                let samples = try WrittenColors(bitmap, depth: 16, most: 16).samples()
                let count = bitmap.size.area * channels * 2
                guard !info.hasAlpha else {
                    return try check(libjxl.EncoderAddImageFrame(settings, &format, samples, count))
                }
                let packed = try PixelMemory.allocate(byteCount: count)
                defer { PixelMemory.free(packed) }
                let values = packed.bindMemory(to: UInt16.self, capacity: count / 2)
                for (index, sample) in samples.enumerated() {
                    (values[index * 3], values[index * 3 + 1], values[index * 3 + 2]) = (
                        sample.x, sample.y, sample.z
                    )
                }
                return try check(libjxl.EncoderAddImageFrame(settings, &format, packed, count))
            }
            var pixels = bitmap.bytes(in: PixelLayout(.rgba, .straight))
            if !info.hasAlpha {
                for index in 0..<bitmap.size.area {
                    for channel in 0..<3 { pixels[index * 3 + channel] = pixels[index * 4 + channel] }
                }
            }
            try check(libjxl.EncoderAddImageFrame(settings, &format, pixels, bitmap.size.area * channels))
        }

        private func drain(into output: inout [UInt8]) throws(CodecError) {
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                var rest = chunk.count
                let status = chunk.withUnsafeMutableBufferPointer { buffer in
                    var next = buffer.baseAddress
                    return libjxl.EncoderProcessOutput(handle, &next, &rest)
                }
                output += chunk.prefix(chunk.count - rest)
                if status == JXL_ENC_NEED_MORE_OUTPUT { continue }
                return try check(status)
            }
        }
    }

    extension JxlColorEncoding {
        fileprivate init(_ encoding: RGBEncoding) {
            self.init()
            libjxl.ColorEncodingSetToSRGB(&self, 0)
            func pair(_ point: RGBEncoding.Point) -> (Double, Double) { (point.x, point.y) }
            let known = [(1, JXL_PRIMARIES_SRGB), (9, JXL_PRIMARIES_2100), (12, JXL_PRIMARIES_P3)].first {
                let other = RGBEncoding(primaries: $0.0, transfer: 13)
                return (encoding.red, encoding.green, encoding.blue) == (other.red, other.green, other.blue)
            }
            primaries = known?.1 ?? JXL_PRIMARIES_CUSTOM
            primaries_red_xy = pair(encoding.red)
            primaries_green_xy = pair(encoding.green)
            primaries_blue_xy = pair(encoding.blue)
            if encoding.white != .d65 {
                white_point = JXL_WHITE_POINT_CUSTOM
                white_point_xy = pair(encoding.white)
            }
            switch encoding.transfer {
            case .linear: transfer_function = JXL_TRANSFER_FUNCTION_LINEAR
            case .pq: transfer_function = JXL_TRANSFER_FUNCTION_PQ
            case .hlg: transfer_function = JXL_TRANSFER_FUNCTION_HLG
            case .gamma(let exponent):
                transfer_function = JXL_TRANSFER_FUNCTION_GAMMA
                // libjxl's is that of the encoder.
                gamma = 1 / exponent
            // Those of code points are no others.
            case .sRGB, .bt709, .romm: break
            }
        }
    }
#endif
