#if Video
    import AlcedoPixels
    import CFFmpeg
    import Glibc

    struct StreamDecoder: ~Copyable {
        /// FFmpeg's names of the decoders that may run.
        static let names = [
            "h264", "hevc", "vp8", "vp9", "libvpx", "libvpx-vp9", "libdav1d", "libaom-av1", "mpeg4",
            "mpeg1video",
            "mpeg2video", "mjpeg", "theora", "prores", "qtrle",
        ]

        /// Those that decode transparency, by the names of those that don't.
        private static let transparent = ["vp8": "libvpx", "vp9": "libvpx-vp9"]

        /// More threads do little for one frame, and other processes decode meanwhile.
        private static let mostThreads = 4

        let context: UnsafeMutablePointer<AVCodecContext>

        init(_ stream: UnsafeMutablePointer<AVStream>, limits: DecodeLimits) throws(CodecError) {
            let parameters = stream.pointee.codecpar
            let codec = try Self.codec(of: stream)
            var allocated = avcodec_alloc_context3(codec)
            guard let context = allocated else {
                throw .outOfMemory(byteCount: MemoryLayout<AVCodecContext>.size)
            }
            // FFmpeg counts rows and columns that it pads; the frame's own size is checked when it has come.
            func padded(_ side: Int32?) -> Int64 { (Int64(max(0, side ?? 0)) + 127) & ~127 }
            context.pointee.max_pixels = max(
                Int64(max(1, limits.pixelsPerFrame)),
                padded(parameters?.pointee.width) * padded(parameters?.pointee.height))
            context.pointee.pkt_timebase = stream.pointee.time_base
            let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
            context.pointee.thread_count = Int32(min(max(1, cores), Self.mostThreads))
            var status = avcodec_parameters_to_context(context, parameters)
            if status >= 0 { status = avcodec_open2(context, codec, nil) }
            guard status >= 0 else {
                avcodec_free_context(&allocated)
                throw Demuxer.error(status)
            }
            self.context = context
        }

        deinit {
            var context: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&context)
        }

        private static func codec(
            of stream: UnsafeMutablePointer<AVStream>
        ) throws(CodecError) -> UnsafePointer<AVCodec> {
            let id = stream.pointee.codecpar.pointee.codec_id
            let name = avcodec_get_name(id).map { String(cString: $0) } ?? "an unknown codec"
            let alpha = av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0)
            if let alpha, String(cString: alpha.pointee.value) == "1", let other = transparent[name],
                let codec = avcodec_find_decoder_by_name(other)
            {
                return codec
            }
            guard id != AV_CODEC_ID_NONE else { throw .corrupt(.video, reason: "its codec is unknown") }
            guard let codec = avcodec_find_decoder(id) else {
                throw .unsupported(.video, reason: "this system's FFmpeg has no decoder of \(name)")
            }
            guard names.contains(String(cString: codec.pointee.name)) else {
                throw .unsupported(.video, reason: "it is coded as \(name)")
            }
            return codec
        }
    }

    struct Packet: ~Copyable {
        let pointer: UnsafeMutablePointer<AVPacket>

        init() throws(CodecError) {
            guard let pointer = av_packet_alloc() else {
                throw .outOfMemory(byteCount: MemoryLayout<AVPacket>.size)
            }
            self.pointer = pointer
        }

        deinit {
            var pointer: UnsafeMutablePointer<AVPacket>? = pointer
            av_packet_free(&pointer)
        }
    }

    struct Frame: ~Copyable {
        let pointer: UnsafeMutablePointer<AVFrame>

        init() throws(CodecError) {
            guard let pointer = av_frame_alloc() else {
                throw .outOfMemory(byteCount: MemoryLayout<AVFrame>.size)
            }
            self.pointer = pointer
        }

        deinit {
            var pointer: UnsafeMutablePointer<AVFrame>? = pointer
            av_frame_free(&pointer)
        }

        func take(_ other: borrowing Frame) {
            av_frame_unref(pointer)
            av_frame_move_ref(pointer, other.pointer)
        }

        /// Whether the decoder has made up a part of it.
        var isDamaged: Bool {
            pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || pointer.pointee.decode_error_flags != 0
        }
    }
#endif
