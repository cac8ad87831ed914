#if HEIF
    import AlcedoCodecs
    import AlcedoPixels
    import CHeif

    /// The primary image of a file in memory, as libheif sees it; the bytes must outlive it.
    struct HEIFImage: ~Copyable {
        private let context: OpaquePointer
        private let handle: OpaquePointer
        private let format: EncodedFormat
        /// What crops, turns and mirrors the image; nil if it is composed of images to which this may happen.
        private let transforms: [HEIFTransform]?

        init(
            _ bytes: UnsafeRawBufferPointer,
            format: EncodedFormat,
            limits: DecodeLimits
        ) throws(CodecError) {
            try libheif.check()
            guard let items = HEIFItems(bytes.bytes) else { throw HEIFItems.malformed(format, bytes.bytes) }
            try items.check(format, byteCount: bytes.count, limits)
            guard let context = libheif.context_alloc() else { throw .outOfMemory(byteCount: 1 << 12) }
            // A side can be no longer than all pixels in one row; libheif's own bound for a side is 32768.
            let longestSide = Int32(min(max(limits.pixelsPerFrame, 1), 32768))
            libheif.context_set_maximum_image_size_limit(context, longestSide)
            libheif.context_set_max_decoding_threads(context, 0)
            var handle: OpaquePointer?
            let (start, count) = (bytes.baseAddress, bytes.count)
            var status = libheif.context_read_from_memory_without_copy(context, start, count, nil)
            if status.code == heif_error_Ok {
                status = libheif.context_get_primary_image_handle(context, &handle)
            }
            guard status.code == heif_error_Ok, let handle else {
                // The message lies in the context.
                let error = Self.error(status, format, byteCount: bytes.count)
                libheif.context_free(context)
                throw error
            }
            do throws(CodecError) {
                try Self.check(handle, items, bytes.bytes, format: format, limits: limits)
            } catch {
                libheif.image_handle_release(handle)
                libheif.context_free(context)
                throw error
            }
            self.context = context
            self.handle = handle
            self.format = format
            transforms = items.transforms(ofPrimary: ["hvc1", "hev1", "grid"])
        }

        /// Throws if the coded size exceeds the limit, or the size in the boxes by more than the tolerance.
        private static func check(
            _ handle: OpaquePointer,
            _ items: HEIFItems,
            _ bytes: RawSpan,
            format: EncodedFormat,
            limits: DecodeLimits
        ) throws(CodecError) {
            let shown = PixelSize(
                width: Int(libheif.image_handle_get_width(handle)),
                height: Int(libheif.image_handle_get_height(handle))
            )
            let stored = PixelSize(
                width: Int(libheif.image_handle_get_ispe_width(handle)),
                height: Int(libheif.image_handle_get_ispe_height(handle))
            )
            try limits.check(frame: shown, of: format)
            try limits.check(frame: stored, of: format)
            guard let coded = HEVCSizes(of: items, in: bytes) else {
                throw .corrupt(format, reason: "its boxes are malformed")
            }
            guard !items.kinds.values.contains(HEIFBoxes.name("av01")) else {
                throw .unsupported(format, reason: "AV1 in a file that claims to be HEIC")
            }
            guard coded.largest <= stored.area + mostExcess else {
                throw .corrupt(format, reason: "two headers disagree on the size")
            }
            guard max(coded.total, coded.canvases) / mostOverlap <= stored.area + mostExcess else {
                throw .corrupt(format, reason: "its parts are larger than the whole")
            }
        }

        /// Pixels by which a coded image may exceed the size in the boxes: a small image may consist of larger tiles.
        private static let mostExcess = 1 << 20
        /// How often the parts of a picture and its auxiliary pictures may cover it, and so may the canvases on which libheif
        /// composes them.
        private static let mostOverlap = 4

        deinit {
            libheif.image_handle_release(handle)
            libheif.context_free(context)
        }

        /// Width and height once upright.
        var size: PixelSize {
            PixelSize(
                width: Int(libheif.image_handle_get_width(handle)),
                height: Int(libheif.image_handle_get_height(handle))
            )
        }

        var hasAlpha: Bool { libheif.image_handle_has_alpha_channel(handle) != 0 }

        var isPremultiplied: Bool { libheif.image_handle_is_premultiplied_alpha(handle) != 0 }

        /// The ICC profile, if there is one of at most `limit` bytes.
        func profile(limit: Int) -> [UInt8]? {
            let kind = libheif.image_handle_get_color_profile_type(handle)
            let count = libheif.image_handle_get_raw_color_profile_size(handle)
            let isICC = kind == heif_color_profile_type_rICC || kind == heif_color_profile_type_prof
            guard isICC, count > 0, count <= limit else { return nil }
            var profile = [UInt8](repeating: 0, count: count)
            let status = libheif.image_handle_get_raw_color_profile(handle, &profile)
            return status.code == heif_error_Ok ? profile : nil
        }

        /// What the file says about its colours.
        private func space(limit: Int) -> ColorSpace? {
            if let profile = profile(limit: limit) { return .icc(profile) }
            var codes: UnsafeMutablePointer<heif_color_profile_nclx>?
            guard libheif.image_handle_get_nclx_color_profile(handle, &codes).code == heif_error_Ok, let codes
            else {
                return nil
            }
            defer { libheif.nclx_color_profile_free(codes) }
            return ColorSpace(
                primaries: Int(codes.pointee.color_primaries.rawValue),
                transfer: Int(codes.pointee.transfer_characteristics.rawValue))
        }

        /// Decodes to a bitmap of ``size``.
        func bitmap(options: DecodeOptions) throws(CodecError) -> Bitmap {
            let deadline = Deadline(options.limits)
            try deadline.check()
            let space = space(limit: options.limits.metadataBytes)
            func converter(isDeep: Bool) -> SampleConverter {
                SampleConverter(
                    space, isDeep: isDeep, hasAlpha: hasAlpha, isPremultiplied: isPremultiplied,
                    options: options)
            }
            if libheif.image_handle_get_luma_bits_per_pixel(handle) > 8 {
                do throws(CodecError) {
                    let picture = try HEIFPicture(decoded(heif_chroma_interleaved_RRGGBBAA_LE))
                    try deadline.check()
                    return try bitmap(of: picture, converter(isDeep: true), until: deadline)
                } catch {
                    // libheif has no way from some pictures to 16 bits a channel, such as grey ones.
                    guard case .unsupported = error else { throw error }
                }
            }
            let size = size
            let picture = try HEIFPicture(decoded(heif_chroma_interleaved_RGBA))
            let source = picture.rows(of: size, transforms, bytesPerPixel: 4)
            guard let source else { throw .corrupt(format, reason: "two headers disagree on the size") }
            return try converter(isDeep: false)
                .bitmap(of: size, until: deadline) { output in
                    guard let start = output.baseAddress else { return }
                    for y in 0..<size.height {
                        (start + y * size.width * 4)
                            .copyMemory(from: source.start + y * source.stride, byteCount: size.width * 4)
                    }
                }
        }

        /// The pixels of `picture`, which has more than 8 bits a channel.
        private func bitmap(
            of picture: borrowing HEIFPicture, _ converter: SampleConverter, until deadline: Deadline
        ) throws(CodecError) -> Bitmap {
            let (size, bits) = (size, picture.bits)
            let source = picture.rows(of: size, transforms, bytesPerPixel: 8)
            guard let source, (9...16).contains(bits) else {
                throw .corrupt(format, reason: "two headers disagree on the size")
            }
            let most = UInt32(1) << UInt32(bits) - 1
            return try converter.bitmap(of: size, until: deadline) { y, pixels in
                let row = UnsafeRawPointer(source.start + y * source.stride)
                for x in 0..<size.width {
                    let pixel = row.loadUnaligned(fromByteOffset: x * 8, as: SIMD4<UInt16>.self)
                    func level(_ channel: Int) -> UInt16 {
                        UInt16((min(UInt32(pixel[channel]), most) * 65535 + most / 2) / most)
                    }
                    pixels[x] = SIMD4(level(0), level(1), level(2), level(3))
                }
            }
        }

        /// Has libheif decode to an image of its own.
        private func decoded(_ chroma: heif_chroma) throws(CodecError) -> OpaquePointer {
            guard let options = libheif.decoding_options_alloc() else {
                throw .outOfMemory(byteCount: 1 << 12)
            }
            defer { libheif.decoding_options_free(options) }
            options.pointee.convert_hdr_to_8bit = chroma == heif_chroma_interleaved_RGBA ? 1 : 0
            // Otherwise libheif reports some damage as warnings beside a picture.
            options.pointee.strict_decoding = 1
            var decoded: OpaquePointer?
            let status = libheif.decode_image(handle, &decoded, heif_colorspace_RGB, chroma, options)
            guard status.code == heif_error_Ok, let decoded else {
                throw Self.error(status, format, byteCount: size.area * 4)
            }
            return decoded
        }

        /// `byteCount` is what decoding takes, for the case that there is no memory.
        private static func error(
            _ status: heif_error, _ format: EncodedFormat, byteCount: Int
        ) -> CodecError {
            let reason = status.message.map { String(cString: $0) } ?? "no reason given"
            return switch (status.code, status.subcode) {
            case (_, heif_suberror_End_of_data): .truncated(format)
            // libheif's own limits have this code, too.
            case (heif_error_Memory_allocation_error, let detail)
            where detail != heif_suberror_Security_limit_exceeded:
                .outOfMemory(byteCount: byteCount)
            case (heif_error_Unsupported_filetype, _), (heif_error_Unsupported_feature, _):
                .unsupported(format, reason: reason)
            default: .corrupt(format, reason: reason)
            }
        }
    }

    /// Interleaved pixels that libheif has decoded.
    private struct HEIFPicture: ~Copyable {
        private let image: OpaquePointer

        /// Owns `image`.
        init(_ image: OpaquePointer) { self.image = image }

        deinit { libheif.image_release(image) }

        /// Bits of a sample.
        var bits: Int { Int(libheif.image_get_bits_per_pixel_range(image, heif_channel_interleaved)) }

        /// The rows that are shown, of `size`; nil if they are not there.
        ///
        /// `transforms` are those of the image; nil if it is composed.
        func rows(
            of size: PixelSize, _ transforms: [HEIFTransform]?, bytesPerPixel: Int
        ) -> (start: UnsafePointer<UInt8>, stride: Int)? {
            let picture = PixelSize(
                width: Int(libheif.image_get_width(image, heif_channel_interleaved)),
                height: Int(libheif.image_get_height(image, heif_channel_interleaved)))
            var stride: Int32 = 0
            guard let plane = libheif.image_get_plane_readonly(image, heif_channel_interleaved, &stride),
                Int(stride) >= picture.width * bytesPerPixel, transforms != nil || picture == size,
                let padding = HEIFPadding(of: picture, shown: size, transforms ?? [])
            else { return nil }
            return (plane + padding.top * Int(stride) + padding.left * bytesPerPixel, Int(stride))
        }
    }
#endif
