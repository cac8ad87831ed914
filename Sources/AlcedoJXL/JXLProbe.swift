#if JXL
    import AlcedoPixels
    import CJxl

    /// Reads the headers before the first frame of a code stream.
    enum JXLProbe {
        /// The frames of `codestream`; nil if its headers are cut short after the sizes.
        ///
        /// - Throws: ``CodecError`` if they are more than `limits` allow, or of a kind that is not read.
        static func structure(
            of codestream: UnsafeRawBufferPointer,
            limits: DecodeLimits
        ) throws(CodecError) -> JXLStructure? {
            try libjxl.check()
            guard let handle = libjxl.DecoderCreate(nil) else { throw .outOfMemory(byteCount: 1 << 16) }
            defer { libjxl.DecoderDestroy(handle) }
            let events = JXL_DEC_BASIC_INFO.rawValue | JXL_DEC_COLOR_ENCODING.rawValue
            _ = libjxl.DecoderSubscribeEvents(handle, Int32(bitPattern: events))
            // Headers of frames have their sides as stored.
            _ = libjxl.DecoderSetKeepOrientation(handle, 1)
            let start = codestream.baseAddress?.assumingMemoryBound(to: UInt8.self)
            _ = libjxl.DecoderSetInput(handle, start, codestream.count)
            libjxl.DecoderCloseInput(handle)
            var info = JxlBasicInfo()
            guard try next(handle) == JXL_DEC_BASIC_INFO,
                libjxl.DecoderGetBasicInfo(handle, &info) == JXL_DEC_SUCCESS
            else { throw .corrupt(.jxl, reason: "it has no header") }
            try limits.check(
                frame: PixelSize(width: Int(info.xsize), height: Int(info.ysize)), of: .jxl)
            try checkChannels(info)
            do throws(CodecError) {
                guard try next(handle) == JXL_DEC_COLOR_ENCODING else { return nil }
            } catch .truncated {
                return nil
            }
            let first = codestream.count - libjxl.DecoderReleaseInput(handle)
            return try JXLStructure(codestream, from: first, info, limits: limits)
        }

        /// Runs libjxl until its next event.
        static func process(_ handle: OpaquePointer) -> JxlDecoderStatus {
            libjxl.DecoderProcessInput(handle)
        }

        private static func next(_ handle: OpaquePointer) throws(CodecError) -> JxlDecoderStatus {
            let status = process(handle)
            switch status {
            case JXL_DEC_ERROR: throw .corrupt(.jxl, reason: "its code stream is wrong")
            case JXL_DEC_NEED_MORE_INPUT: throw .truncated(.jxl)
            default: return status
            }
        }

        private static func checkChannels(_ info: JxlBasicInfo) throws(CodecError) {
            guard info.num_extra_channels <= 8 else {
                throw .unsupported(
                    .jxl, reason: "it has \(info.num_extra_channels) channels beside its colours")
            }
        }
    }
#endif
