#if Video
    import AlcedoCodecs
    import AlcedoPixels
    import CFFmpeg

    /// A file as FFmpeg's demuxers see it.
    struct Demuxer: ~Copyable {
        let context: UnsafeMutablePointer<AVFormatContext>

        /// Whether the file is cut short; nil for one whose parts are loaded when they are needed, as it would need all.
        let end: FileEnd?

        private let input: FileInput

        /// The most streams; an ordinary file has fewer than ten.
        private static let mostStreams = "100"

        /// With `isPartial` the file's holes are parts that are missing.
        init(_ file: Int32, isPartial: Bool = false, deadline: Deadline) throws(CodecError) {
            let input = try FileInput(file, isPartial: isPartial, deadline: deadline)
            guard let container = VideoContainer(file), let format = av_find_input_format(container.rawValue)
            else {
                throw .unsupported(
                    .video, reason: "it is no MP4, QuickTime, Matroska, WebM, AVI, MPEG-TS or Ogg file")
            }
            var context = avformat_alloc_context()
            guard let opened = context else { throw .outOfMemory(byteCount: 1 << 12) }
            opened.pointee.pb = input.context
            opened.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
            opened.pointee.interrupt_callback = input.interrupt
            // A file may name others.
            opened.pointee.io_open = { _, _, _, _, _ in alcedo_av_denied }
            let options = Options([
                "codec_whitelist": StreamDecoder.names.joined(separator: ","),
                "format_whitelist": container.rawValue, "protocol_whitelist": "none",
                "max_streams": Self.mostStreams,
            ])
            let status = avformat_open_input(&context, nil, format, &options.dictionary)
            // FFmpeg frees the context that it fails to open.
            guard status >= 0, let context else {
                try deadline.check()
                throw Self.error(status)
            }
            self.context = context
            self.input = input
            end = isPartial ? nil : FileEnd(file, container)
        }

        /// Throws if something was read that is missing.
        func checkParts() throws(CodecError) {
            if input.lacksPart { throw .truncated(.video) }
        }

        deinit {
            var context: UnsafeMutablePointer<AVFormatContext>? = context
            // Closing may still read: `input` is destroyed after this.
            avformat_close_input(&context)
        }

        /// Reads as much of the streams as it takes to know them.
        private func readStreams(_ limits: DecodeLimits, _ deadline: Deadline) throws(CodecError) {
            // Decoders that run meanwhile keep to the limit, too; those of streams that are found later, to the
            // worker's memory.
            let options = (0..<context.pointee.nb_streams).map { _ in
                Options([
                    "max_pixels": "\(min(max(1, limits.pixelsPerFrame), Int(Int32.max)))", "threads": "1",
                ])
            }
            var dictionaries = options.map(\.dictionary)
            let status = avformat_find_stream_info(context, &dictionaries)
            // FFmpeg replaces each dictionary by one with the entries that it did not use.
            for (options, dictionary) in zip(options, dictionaries) { options.dictionary = dictionary }
            try deadline.check()
            guard status >= 0 else { throw Self.error(status) }
        }

        /// The stream of pictures that a player would show.
        func video(
            limits: DecodeLimits, deadline: Deadline
        ) throws(CodecError) -> UnsafeMutablePointer<AVStream> {
            try readStreams(limits, deadline)
            let index = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
            guard index >= 0, index < context.pointee.nb_streams,
                let stream = context.pointee.streams[Int(index)],
                // The cover of a piece of music.
                stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
            else { throw .unsupported(.video, reason: "it has no video stream") }
            guard stream.pointee.time_base.num > 0, stream.pointee.time_base.den > 0 else {
                throw .corrupt(.video, reason: "its times have no unit")
            }
            let parameters = stream.pointee.codecpar.pointee
            let size = PixelSize(width: Int(parameters.width), height: Int(parameters.height))
            // What is not known before the first frame is checked with it.
            if !size.isEmpty { try limits.check(frame: size, of: .video) }
            return stream
        }

        static func error(_ status: Int32) -> CodecError {
            if status == alcedo_av_no_memory { return .outOfMemory(byteCount: 0) }
            // Some demuxers report an error of the file where it ends.
            if status == alcedo_av_eof || status == alcedo_av_io { return .truncated(.video) }
            var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
            av_strerror(status, &text, text.count)
            let end = text.firstIndex(of: 0) ?? text.count
            return .corrupt(.video, reason: String(decoding: text[..<end].map(UInt8.init), as: UTF8.self))
        }

        /// Options by their names; FFmpeg removes those that it knows.
        private final class Options {
            var dictionary: OpaquePointer?

            init(_ values: [String: String]) {
                for (name, value) in values { av_dict_set(&dictionary, name, value, 0) }
            }

            deinit { av_dict_free(&dictionary) }
        }
    }
#endif
