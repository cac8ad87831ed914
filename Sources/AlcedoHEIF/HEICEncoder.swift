#if HEIF
    import AlcedoCodecs
    import AlcedoLocks
    import AlcedoPixels
    import CHeif

    /// Writes one picture with libheif and the HEVC encoder that the system has for it.
    struct HEICEncoder: ~Copyable {
        private let context: OpaquePointer
        private let encoder: OpaquePointer
        private let options: EncodeOptions

        /// Whether the system has an HEVC encoder.
        static var isAvailable: Bool {
            libheif.isLoaded && libheif.have_encoder_for_format(heif_compression_HEVC) != 0
        }

        init(_ size: PixelSize, options: EncodeOptions) throws(CodecError) {
            try libheif.check()
            try EncoderLimits.check(size, of: .heic, longestSide: 16384)
            guard let context = libheif.context_alloc() else { throw .outOfMemory(byteCount: 1 << 12) }
            var encoder: OpaquePointer?
            let status = libheif.context_get_encoder_for_format(context, heif_compression_HEVC, &encoder)
            guard status.code == heif_error_Ok, let encoder else {
                libheif.context_free(context)
                throw .encodingFailed(.heic, reason: AbsentEncoder.advice(for: .heic))
            }
            (self.context, self.encoder, self.options) = (context, encoder, options)
        }

        deinit {
            libheif.encoder_release(encoder)
            libheif.context_free(context)
        }

        /// Encodes; the first call of the process with a depth encodes a small picture before, for which all
        /// others wait.
        ///
        /// x265 fills its table of functions in the first encoding, without a lock. Another that starts meanwhile finds the
        /// table in use, and calls functions that are not in it yet. Each depth is a library of its own.
        func encode(_ bitmap: Bitmap) throws(CodecError) -> [UInt8] {
            let colors = try WrittenColors(
                bitmap, depth: options.depth, most: options.isLossless ? 12 : 10)
            try Self.prepared.withLock { prepared throws(CodecError) in
                guard !prepared.contains(colors.bits) else { return }
                let size = PixelSize(width: 64, height: 64)
                let pixels = try PixelBuilder(size: size, alpha: .opaque).freeze()
                let first = try WrittenColors(pixels, depth: colors.bits, most: 8)
                _ = try HEICEncoder(size, options: EncodeOptions()).encodePrepared(first)
                prepared.insert(colors.bits)
            }
            return try encodePrepared(colors)
        }

        /// The depths that have been used.
        private static let prepared = Lock<Set<Int>>([])

        private func encodePrepared(_ written: WrittenColors) throws(CodecError) -> [UInt8] {
            try configure()
            let image = try HEICPicture(written)
            guard let settings = libheif.encoding_options_alloc() else {
                throw .outOfMemory(byteCount: 1 << 12)
            }
            defer { libheif.encoding_options_free(settings) }
            guard let colors = libheif.nclx_color_profile_alloc() else {
                throw .outOfMemory(byteCount: 1 << 12)
            }
            defer { libheif.nclx_color_profile_free(colors) }
            // The matrix of BT.601 as in JPEGs.
            colors.pointee.matrix_coefficients = heif_matrix_coefficients_ITU_R_BT_601_6
            colors.pointee.full_range_flag = 1
            switch written.space {
            case .codePoints(let primaries, let transfer):
                colors.pointee.color_primaries = heif_color_primaries(rawValue: UInt32(primaries))
                colors.pointee.transfer_characteristics = heif_transfer_characteristics(
                    rawValue: UInt32(transfer))
                if primaries == 9 {
                    colors.pointee.matrix_coefficients =
                        heif_matrix_coefficients_ITU_R_BT_2020_2_non_constant_luminance
                }
            case .icc(let profile):
                colors.pointee.color_primaries = heif_color_primaries_unspecified
                colors.pointee.transfer_characteristics = heif_transfer_characteristic_unspecified
                try check(
                    libheif.image_set_raw_color_profile(image.handle, "prof", profile, profile.count))
                // A reader needs the matrix too.
                settings.pointee.save_two_colr_boxes_when_ICC_and_nclx_available = 1
            }
            settings.pointee.save_alpha_channel = written.hasAlpha ? 1 : 0
            // libheif 1.15 takes the matrix from here, and the rest from the image.
            settings.pointee.output_nclx_profile = colors
            try check(libheif.image_set_nclx_color_profile(image.handle, colors))
            settings.pointee.macOS_compatibility_workaround_no_nclx_profile = 0
            let status = libheif.context_encode_image(context, image.handle, encoder, settings, nil)
            let size = written.bitmap.size
            // HEVC's levels for a longer side have no blocks of 16 pixels, which libheif 1.15 takes for a shorter one.
            let isStrip = max(size.width, size.height) > 4222 && min(size.width, size.height) < 32
            guard status.code == heif_error_Ok || !isStrip else {
                throw .encodingFailed(
                    .heic, reason: "\(size) has a side under 32 pixels beside one over 4222")
            }
            try check(status)
            return try file()
        }

        /// 4:4:4 from 0.9 on.
        private func configure() throws(CodecError) {
            let quality = options.isLossless ? 100 : AVIFEncoder.percent(options)
            try check(libheif.encoder_set_lossless(encoder, options.isLossless ? 1 : 0))
            if !options.isLossless { try check(libheif.encoder_set_lossy_quality(encoder, Int32(quality))) }
            // Parameters of libheif's x265 plugin; other encoders have others, and their defaults do.
            for (name, value) in [("chroma", quality < 90 ? "420" : "444"), ("preset", "fast")] {
                _ = libheif.encoder_set_parameter_string(encoder, name, value)
            }
        }

        private func file() throws(CodecError) -> [UInt8] {
            var bytes: [UInt8] = []
            var writer = heif_writer(
                writer_api_version: 1,
                write: { _, data, count, user in
                    user?.assumingMemoryBound(to: [UInt8].self).pointee
                        .append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
                    return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
                }
            )
            let status = withUnsafeMutablePointer(to: &bytes) { libheif.context_write(context, &writer, $0) }
            try check(status)
            return bytes
        }

        private func check(_ status: heif_error) throws(CodecError) {
            guard status.code == heif_error_Ok else {
                let reason = status.message.map { String(cString: $0) } ?? "no reason given"
                throw .encodingFailed(.heic, reason: "libheif: \(reason)")
            }
        }
    }

    /// A bitmap as libheif's own.
    private struct HEICPicture: ~Copyable {
        let handle: OpaquePointer

        init(_ colors: WrittenColors) throws(CodecError) {
            let (bitmap, hasAlpha, isDeep) = (colors.bitmap, colors.hasAlpha, colors.bits > 8)
            let (width, height) = (Int32(bitmap.width), Int32(bitmap.height))
            let memory = bitmap.size.area * (isDeep ? 8 : 4)
            var handle: OpaquePointer?
            let chroma =
                switch (isDeep, hasAlpha) {
                case (false, false): heif_chroma_interleaved_RGB
                case (false, true): heif_chroma_interleaved_RGBA
                case (true, false): heif_chroma_interleaved_RRGGBB_LE
                case (true, true): heif_chroma_interleaved_RRGGBBAA_LE
                }
            _ = libheif.image_create(width, height, heif_colorspace_RGB, chroma, &handle)
            guard let handle else { throw .outOfMemory(byteCount: memory) }
            _ = libheif.image_add_plane(
                handle, heif_channel_interleaved, width, height, Int32(colors.bits))
            var stride: Int32 = 0
            guard let plane = libheif.image_get_plane(handle, heif_channel_interleaved, &stride) else {
                libheif.image_release(handle)
                throw .outOfMemory(byteCount: memory)
            }
            let channels = hasAlpha ? 4 : 3
            if isDeep {
                let samples = colors.samples()
                for y in 0..<bitmap.height {
                    let row = UnsafeMutableRawPointer(plane + y * Int(stride))
                    for x in 0..<bitmap.width {
                        let pixel = samples[y * bitmap.width + x]
                        for channel in 0..<channels {
                            row.storeBytes(
                                of: pixel[channel].littleEndian, toByteOffset: (x * channels + channel) * 2,
                                as: UInt16.self)
                        }
                    }
                }
            } else {
                let pixels = bitmap.bytes(in: PixelLayout(.rgba, .straight))
                for y in 0..<bitmap.height {
                    let row = plane + y * Int(stride)
                    let start = y * bitmap.width * 4
                    for x in 0..<bitmap.width {
                        for channel in 0..<channels {
                            row[x * channels + channel] = pixels[start + x * 4 + channel]
                        }
                    }
                }
            }
            self.handle = handle
        }

        deinit { libheif.image_release(handle) }
    }
#endif
