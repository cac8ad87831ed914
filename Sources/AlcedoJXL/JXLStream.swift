#if JXL
    import AlcedoPixels
    import CJxl

    /// A code stream that libjxl reads front to back; the bytes must outlive it.
    struct JXLStream: ~Copyable {
        /// The canvas, upright.
        var size: PixelSize { Self.size(header) }

        let header: JxlBasicInfo
        /// The number of the channel beside the colours that is black, of CMYK.
        let black: Int?
        /// Whether all frames are there.
        let isComplete: Bool
        private let handle: OpaquePointer
        private let runner: JXLRunner
        private let bytes: UnsafeRawBufferPointer
        private let ends: [Int]
        private let isClosed: Bool
        /// Whether libjxl composes frames; of images in its own colour space it can do so in the colours of the file only.
        let hasBlendedFrames: Bool
        private let hasModularFrames: Bool
        /// Bytes that libjxl has been given.
        private var given: Int

        /// Reads up to the basic info; with `layers`, each layer is a frame, without pixels.
        ///
        /// More bytes may follow if the stream is not `closed`.
        ///
        /// - Throws: ``CodecError`` if the headers of the file or of a frame exceed `limits`.
        init(
            _ bytes: UnsafeRawBufferPointer,
            limits: DecodeLimits,
            layers: Bool = false,
            closed: Bool = true
        ) throws(CodecError) {
            let structure = try JXLProbe.structure(of: bytes, limits: limits)
            let runner = JXLRunner(groupCounts: structure?.groupCounts ?? [])
            let ends = structure?.ends ?? []
            let given = min(ends.first ?? bytes.count, bytes.count)
            guard let handle = libjxl.DecoderCreate(nil) else { throw .outOfMemory(byteCount: 1 << 16) }
            runner.attach(to: handle)
            var events = JXL_DEC_BASIC_INFO.rawValue | JXL_DEC_FRAME.rawValue
            if !layers { events |= JXL_DEC_FULL_IMAGE.rawValue | JXL_DEC_COLOR_ENCODING.rawValue }
            _ = libjxl.DecoderSubscribeEvents(handle, Int32(bitPattern: events))
            _ = libjxl.DecoderSetCoalescing(handle, layers ? 0 : 1)
            _ = libjxl.DecoderSetInput(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), given)
            if given == bytes.count, closed { libjxl.DecoderCloseInput(handle) }
            var header = JxlBasicInfo()
            guard JXLProbe.process(handle) == JXL_DEC_BASIC_INFO,
                libjxl.DecoderGetBasicInfo(handle, &header) == JXL_DEC_SUCCESS
            else {
                libjxl.DecoderDestroy(handle)
                throw .corrupt(.jxl, reason: "it has no header")
            }
            self.header = header
            black = Self.black(of: handle, header)
            isComplete = structure?.isComplete ?? false
            self.handle = handle
            self.runner = runner
            self.bytes = bytes
            self.ends = ends
            self.given = given
            isClosed = closed
            hasBlendedFrames = structure?.hasBlendedFrames ?? false
            hasModularFrames = structure?.hasModularFrames ?? true
        }

        deinit { libjxl.DecoderDestroy(handle) }

        var hasAlpha: Bool { header.alpha_bits > 0 }

        var isGrey: Bool { header.num_color_channels == 1 }

        /// Whether samples have more than 8 bits.
        var isDeep: Bool { header.bits_per_sample > 8 || header.alpha_bits > 8 }

        /// Whether pixels have the file's colours, and not the requested ones.
        var keepsItsColors: Bool { header.uses_original_profile != 0 }

        /// Seconds that `ticks` take; 0 in a still image.
        func seconds(_ ticks: UInt32) -> Double {
            let animation = header.animation
            guard header.have_animation != 0, animation.tps_numerator > 0 else { return 0 }
            return Double(ticks) * Double(animation.tps_denominator) / Double(animation.tps_numerator)
        }

        private static func size(_ header: JxlBasicInfo) -> PixelSize {
            PixelSize(width: Int(header.xsize), height: Int(header.ysize))
        }

        private static func black(of handle: OpaquePointer, _ header: JxlBasicInfo) -> Int? {
            (0..<Int(header.num_extra_channels)).first { index in
                var channel = JxlExtraChannelInfo()
                return libjxl.DecoderGetExtraChannelInfo(handle, index, &channel) == JXL_DEC_SUCCESS
                    && channel.type == JXL_CHANNEL_BLACK
            }
        }

        /// The deadline of the next frame.
        func limitTime(_ deadline: Deadline) { runner.deadline = deadline }

        var deadline: Deadline { runner.deadline }

        /// The next event, or nil at the end.
        mutating func next() throws(CodecError) -> JxlDecoderStatus? {
            while true {
                try runner.deadline.check()
                let status = JXLProbe.process(handle)
                switch status {
                case JXL_DEC_SUCCESS: return nil
                case JXL_DEC_ERROR:
                    throw runner.isLate
                        ? runner.deadline.error : .corrupt(.jxl, reason: "its code stream is wrong")
                case JXL_DEC_NEED_MORE_INPUT: guard giveFrame() else { throw .truncated(.jxl) }
                default: return status
                }
            }
        }

        /// Gives libjxl the bytes up to the end of the next frame, so that there is a moment between any two; false if it
        /// has all.
        private mutating func giveFrame() -> Bool {
            guard given < bytes.count else { return false }
            let start = given - libjxl.DecoderReleaseInput(handle)
            given = min(ends.first { $0 > given } ?? bytes.count, bytes.count)
            let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            _ = libjxl.DecoderSetInput(handle, base.map { $0 + start }, given - start)
            if given == bytes.count, isClosed { libjxl.DecoderCloseInput(handle) }
            return true
        }
    }

    // MARK: - Frames

    extension JXLStream {
        var frameHeader: JxlFrameHeader {
            var frame = JxlFrameHeader()
            _ = libjxl.DecoderGetFrameHeader(handle, &frame)
            return frame
        }

        /// Sets the buffer of the next pixels: RGBA, colours as the file has them.
        ///
        /// A channel has 8 bits if there are four bytes for each pixel, and 16 if there are eight.
        func setOutput(_ output: UnsafeMutableRawBufferPointer) throws(CodecError) {
            let type = output.count == size.area * 8 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8
            var format = JxlPixelFormat(
                num_channels: 4, data_type: type, endianness: JXL_NATIVE_ENDIAN, align: 0)
            var byteCount = 0
            guard libjxl.DecoderImageOutBufferSize(handle, &format, &byteCount) == JXL_DEC_SUCCESS,
                byteCount == output.count,
                libjxl.DecoderSetImageOutBuffer(handle, &format, output.baseAddress, byteCount)
                    == JXL_DEC_SUCCESS
            else { throw .corrupt(.jxl, reason: "two headers disagree on the size") }
        }

        /// Sets the buffer of the next pixels' black, of 16 bits each.
        func setBlack(
            _ channel: Int, _ output: UnsafeMutableRawBufferPointer
        ) throws(CodecError) {
            var format = JxlPixelFormat(
                num_channels: 1, data_type: JXL_TYPE_UINT16, endianness: JXL_NATIVE_ENDIAN, align: 0)
            var byteCount = 0
            let index = UInt32(channel)
            guard
                libjxl.DecoderExtraChannelBufferSize(handle, &format, &byteCount, index) == JXL_DEC_SUCCESS,
                byteCount == output.count,
                libjxl.DecoderSetExtraChannelBuffer(handle, &format, output.baseAddress, byteCount, index)
                    == JXL_DEC_SUCCESS
            else { throw .corrupt(.jxl, reason: "two headers disagree on the size") }
        }

        /// Has `receiver` get the next pixels: RGBA, 16 bits a channel, colours as the file has them.
        ///
        /// libjxl calls it with parts of rows, on the thread that decodes, until the frame is complete; it must live as long.
        func setReceiver(_ receiver: JXLReceiver) throws(CodecError) {
            var format = JxlPixelFormat(
                num_channels: 4, data_type: JXL_TYPE_UINT16, endianness: JXL_NATIVE_ENDIAN, align: 0)
            let status = libjxl.DecoderSetImageOutCallback(
                handle, &format,
                { receiver, x, y, count, samples in
                    guard let receiver, let samples else { return }
                    Unmanaged<JXLReceiver>.fromOpaque(receiver).takeUnretainedValue()
                        .receive(samples, count: count, at: (x, y))
                }, Unmanaged.passUnretained(receiver).toOpaque())
            guard status == JXL_DEC_SUCCESS else {
                throw .corrupt(.jxl, reason: "libjxl takes no receiver of pixels")
            }
        }

        /// Writes the decoded part of a frame whose bytes have ended; false if there is none.
        ///
        /// Of a modular frame it would be black rectangles.
        func flush() -> Bool { !hasModularFrames && libjxl.DecoderFlushImage(handle) == JXL_DEC_SUCCESS }
    }

    // MARK: - Colours

    extension JXLStream {
        /// Requests sRGB, if the file allows it; called after the colour event.
        func preferSRGB() {
            var sRGB = JxlColorEncoding()
            libjxl.ColorEncodingSetToSRGB(&sRGB, isGrey ? 1 : 0)
            _ = libjxl.DecoderSetPreferredColorProfile(handle, &sRGB)
        }

        /// Requests the primaries of BT.2020 with sRGB's curve, as ``preferSRGB()``.
        func preferBT2020() {
            var colors = JxlColorEncoding()
            libjxl.ColorEncodingSetToSRGB(&colors, 0)
            colors.primaries = JXL_PRIMARIES_2100
            _ = libjxl.DecoderSetPreferredColorProfile(handle, &colors)
        }

        /// The encoding in the file, or that of the pixels; nil if it is a profile.
        func encoding(ofPixels: Bool) -> JxlColorEncoding? {
            var encoding = JxlColorEncoding()
            let target = ofPixels ? JXL_COLOR_PROFILE_TARGET_DATA : JXL_COLOR_PROFILE_TARGET_ORIGINAL
            let status = alcedo_jxl_get_encoding(libjxl, handle, target, &encoding)
            return status == JXL_DEC_SUCCESS ? encoding : nil
        }

        /// The ICC profile in the file, or that of the pixels, of at most `limit` bytes.
        func profile(ofPixels: Bool, limit: Int) -> [UInt8]? {
            let target = ofPixels ? JXL_COLOR_PROFILE_TARGET_DATA : JXL_COLOR_PROFILE_TARGET_ORIGINAL
            var count = 0
            guard alcedo_jxl_get_profile_size(libjxl, handle, target, &count) == JXL_DEC_SUCCESS, count > 0,
                count <= limit
            else { return nil }
            var profile = [UInt8](repeating: 0, count: count)
            let status = alcedo_jxl_get_profile(libjxl, handle, target, &profile, count)
            return status == JXL_DEC_SUCCESS ? profile : nil
        }
    }
#endif
