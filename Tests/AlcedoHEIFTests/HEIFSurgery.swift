#if HEIF
    import AlcedoTestSupport
    import CAvif
    import CHeif
    import Testing

    /// Bytes of a box file, to be changed.
    struct BoxFile {
        var bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        init(fixture name: String) throws { bytes = try Fixture.data("heif/\(name)") }

        /// Where the content of the first box of that name starts.
        func content(of name: String) throws -> Int {
            try #require(bytes.firstRange(of: Array(name.utf8))).upperBound
        }

        mutating func put(_ new: [UInt8], at offset: Int) {
            bytes.replaceSubrange(offset..<(offset + new.count), with: new)
        }

        /// Writes `new` over all of `old`, which are as long.
        mutating func replace(_ old: String, with new: String) {
            while let range = bytes.firstRange(of: Array(old.utf8)) {
                bytes.replaceSubrange(range, with: Array(new.utf8))
            }
        }

        func number(at offset: Int) -> Int { bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }

        /// Has every picture claim to be `side` pixels wide and high.
        mutating func claim(side: Int) {
            var start = 0
            while let found = bytes[start...].firstRange(of: Array("ispe".utf8)) {
                put(Self.u32(side) + Self.u32(side), at: found.upperBound + 4)
                start = found.upperBound
            }
        }

        static func u32(_ number: Int) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    /// Pictures as the libraries write them.
    enum Written {
        private struct Failure: Error {}

        /// 40 × 30 pixels of 10 bits of sRGB and alpha, to be turned anticlockwise and mirrored.
        static func deepSRGB(turns: Int, axis: Int?) throws -> [UInt8] {
            let image = try #require(avifImageCreate(40, 30, 10, AVIF_PIXEL_FORMAT_YUV444))
            defer { avifImageDestroy(image) }
            image.pointee.yuvRange = AVIF_RANGE_FULL
            (image.pointee.colorPrimaries, image.pointee.transferCharacteristics) = (1, 13)
            image.pointee.matrixCoefficients = 0
            avifImageAllocatePlanes(image, UInt32(AVIF_PLANES_ALL.rawValue))
            func fill(_ plane: UnsafeMutablePointer<UInt8>?, _ stride: UInt32, _ factors: (Int, Int)) {
                guard let plane else { return }
                for y in 0..<30 {
                    for x in 0..<40 {
                        UnsafeMutableRawPointer(plane).storeBytes(
                            of: UInt16((x * factors.0 + y * factors.1) % 1024),
                            toByteOffset: y * Int(stride) + x * 2, as: UInt16.self)
                    }
                }
            }
            let (planes, strides) = (image.pointee.yuvPlanes, image.pointee.yuvRowBytes)
            fill(planes.0, strides.0, (25, 3))
            fill(planes.1, strides.1, (7, 31))
            fill(planes.2, strides.2, (13, 17))
            fill(image.pointee.alphaPlane, image.pointee.alphaRowBytes, (11, 19))
            if turns > 0 {
                image.pointee.transformFlags |= AVIF_TRANSFORM_IROT.rawValue
                image.pointee.irot.angle = UInt8(turns)
            }
            if let axis {
                image.pointee.transformFlags |= AVIF_TRANSFORM_IMIR.rawValue
                alcedo_avif_set_mirror_axis(image, UInt8(axis))
            }
            let encoder = try #require(avifEncoderCreate())
            defer { avifEncoderDestroy(encoder) }
            (encoder.pointee.maxQuantizer, encoder.pointee.maxQuantizerAlpha) = (0, 0)
            encoder.pointee.speed = 10
            var output = avifRWData()
            defer { avifRWDataFree(&output) }
            guard avifEncoderWrite(encoder, image, &output) == AVIF_RESULT_OK else { throw Failure() }
            return Array(UnsafeBufferPointer(start: output.data, count: output.size))
        }

        /// Grey from black on the left to white on the right, coded with 219 steps in between.
        static func limitedGrey(width: Int, height: Int, depth: Int) throws -> [UInt8] {
            let image = try #require(
                avifImageCreate(UInt32(width), UInt32(height), UInt32(depth), AVIF_PIXEL_FORMAT_YUV400))
            defer { avifImageDestroy(image) }
            image.pointee.yuvRange = AVIF_RANGE_LIMITED
            image.pointee.colorPrimaries = 1
            image.pointee.transferCharacteristics = 13
            image.pointee.matrixCoefficients = 6
            avifImageAllocatePlanes(image, UInt32(AVIF_PLANES_YUV.rawValue))
            let stride = Int(image.pointee.yuvRowBytes.0)
            let plane = try #require(image.pointee.yuvPlanes.0)
            for y in 0..<height {
                for x in 0..<width {
                    let level = (16 + 219 * x / (width - 1)) << (depth - 8)
                    if depth == 8 {
                        plane[y * stride + x] = UInt8(level)
                    } else {
                        UnsafeMutableRawPointer(plane).storeBytes(
                            of: UInt16(level), toByteOffset: y * stride + x * 2, as: UInt16.self)
                    }
                }
            }
            let encoder = try #require(avifEncoderCreate())
            defer { avifEncoderDestroy(encoder) }
            encoder.pointee.maxQuantizer = 0
            encoder.pointee.speed = 10
            var output = avifRWData()
            defer { avifRWDataFree(&output) }
            guard avifEncoderWrite(encoder, image, &output) == AVIF_RESULT_OK else { throw Failure() }
            return Array(UnsafeBufferPointer(start: output.data, count: output.size))
        }

        /// One colour, in a square of `side` pixels.
        static func plain(_ format: heif_compression_format, side: Int) throws -> [UInt8] {
            let context = try #require(heif_context_alloc())
            defer { heif_context_free(context) }
            var image: OpaquePointer?
            let length = Int32(side)
            heif_image_create(length, length, heif_colorspace_YCbCr, heif_chroma_420, &image)
            defer { heif_image_release(image) }
            for (channel, size) in [
                (heif_channel_Y, length), (heif_channel_Cb, length / 2), (heif_channel_Cr, length / 2),
            ] {
                heif_image_add_plane(image, channel, size, size, 8)
                var stride: Int32 = 0
                let plane = try #require(heif_image_get_plane(image, channel, &stride))
                plane.update(repeating: 100, count: Int(stride * size))
            }
            var encoder: OpaquePointer?
            guard heif_context_get_encoder_for_format(context, format, &encoder).code == heif_error_Ok else {
                throw Failure()
            }
            defer { heif_encoder_release(encoder) }
            heif_encoder_set_parameter(encoder, "preset", "ultrafast")
            heif_encoder_set_parameter(encoder, "speed", "9")
            guard heif_context_encode_image(context, image, encoder, nil, nil).code == heif_error_Ok else {
                throw Failure()
            }
            var bytes: [UInt8] = []
            var writer = heif_writer(
                writer_api_version: 1,
                write: { _, data, count, user in
                    user?.assumingMemoryBound(to: [UInt8].self).pointee
                        .append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
                    return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
                }
            )
            let status = withUnsafeMutablePointer(to: &bytes) { heif_context_write(context, &writer, $0) }
            guard status.code == heif_error_Ok else { throw Failure() }
            return bytes
        }
    }
#endif
