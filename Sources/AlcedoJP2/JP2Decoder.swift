#if JP2
    import AlcedoPixels
    import COpenJPEG

    /// An image of OpenJPEG's.
    final class JP2Image {
        let pointer: UnsafeMutablePointer<opj_image_t>

        init(_ pointer: UnsafeMutablePointer<opj_image_t>) { self.pointer = pointer }

        deinit { openJPEG.image_destroy(pointer) }
    }

    /// Runs OpenJPEG on bytes in memory, which must outlive it.
    struct JP2Decoder: ~Copyable {
        private let codec: UnsafeMutablePointer<opj_codec_t?>
        private let stream: UnsafeMutablePointer<opj_stream_t?>
        private let source: JP2Source
        private let header: JP2Header
        private let options: DecodeOptions

        init(
            _ bytes: UnsafeRawBufferPointer, _ header: JP2Header, options: DecodeOptions
        ) throws(CodecError) {
            try openJPEG.check()
            let kind = header.isBoxed ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K
            guard let codec = openJPEG.create_decompress(kind) else { throw .outOfMemory(byteCount: 1 << 16) }
            let source = JP2Source(bytes)
            guard let stream = source.makeStream() else {
                openJPEG.destroy_codec(codec)
                throw .outOfMemory(byteCount: JP2Source.bufferSize)
            }
            (self.codec, self.stream, self.source) = (codec, stream, source)
            (self.header, self.options) = (header, options)
        }

        deinit {
            openJPEG.stream_destroy(stream)
            openJPEG.destroy_codec(codec)
        }

        func decode() throws(CodecError) -> JP2Image {
            _ = openJPEG.set_error_handler(codec, JP2Source.note, source.pointer)
            var parameters = opj_dparameters_t()
            openJPEG.set_default_decoder_parameters(&parameters)
            var pointer: UnsafeMutablePointer<opj_image_t>?
            guard openJPEG.setup_decoder(codec, &parameters) != 0,
                openJPEG.decoder_set_strict_mode(codec, OPJ_TRUE) != 0,
                openJPEG.read_header(stream, codec, &pointer) != 0, let pointer
            else {
                if let pointer { openJPEG.image_destroy(pointer) }
                throw source.damage
            }
            let image = JP2Image(pointer)
            // OpenJPEG may have read another header than the one that was checked.
            guard pointer.pointee.numcomps == header.components.count else {
                throw .corrupt(.jp2, reason: "its headers differ")
            }
            let halvings = header.halvings(for: options.atLeast)
            try options.limits.check(frame: header.size.halved(halvings), of: .jp2)
            if halvings > 0 { _ = openJPEG.set_decoded_resolution_factor(codec, UInt32(halvings)) }
            // What follows the pixels is not read.
            guard openJPEG.decode(codec, stream, pointer) != 0 else { throw source.damage }
            return image
        }
    }

    /// Bytes that OpenJPEG reads as a stream, and its first error.
    final class JP2Source {
        static let bufferSize = 1 << 16

        private let bytes: UnsafeRawBufferPointer
        private var position = 0
        private var message: String?
        private var wasAtEnd = false

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        /// What is damaged in the bytes, unless memory ran out.
        var damage: CodecError {
            if message?.contains(/[Nn]ot enough memory|[Oo]ut of memory/) == true {
                return .outOfMemory(byteCount: bytes.count)
            }
            if wasAtEnd { return .truncated(.jp2) }
            return .corrupt(.jp2, reason: message.map { "OpenJPEG: \($0)" } ?? "OpenJPEG can't read it")
        }

        func makeStream() -> UnsafeMutablePointer<opj_stream_t?>? {
            guard let stream = openJPEG.stream_create(Self.bufferSize, OPJ_TRUE) else { return nil }
            openJPEG.stream_set_read_function(stream) { target, count, source in
                JP2Source.of(source)?.read(target, count) ?? -1
            }
            openJPEG.stream_set_skip_function(stream) { count, source in
                JP2Source.of(source)?.skip(count) ?? -1
            }
            openJPEG.stream_set_seek_function(stream) { offset, source in
                JP2Source.of(source)?.seek(offset) == true ? OPJ_TRUE : OPJ_FALSE
            }
            openJPEG.stream_set_user_data(stream, pointer, nil)
            openJPEG.stream_set_user_data_length(stream, UInt64(bytes.count))
            return stream
        }

        /// Keeps the first message, without characters that a terminal would act on.
        static let note: opj_msg_callback = { text, source in
            guard let source = JP2Source.of(source), source.message == nil, let text else { return }
            let characters = String(cString: text).unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }
            source.message = String(String.UnicodeScalarView(characters).prefix(200))
        }

        private static func of(_ pointer: UnsafeMutableRawPointer?) -> JP2Source? {
            pointer.map { Unmanaged<JP2Source>.fromOpaque($0).takeUnretainedValue() }
        }

        /// -1 at the end, as Swift imports OpenJPEG's `(OPJ_SIZE_T)-1`.
        private func read(_ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
            let available = min(count, bytes.count - position)
            guard available > 0, let target, let base = bytes.baseAddress else {
                wasAtEnd = true
                return -1
            }
            target.copyMemory(from: base + position, byteCount: available)
            position += available
            return available
        }

        private func skip(_ count: Int64) -> Int64 {
            let target = position.addingReportingOverflow(Int(count))
            guard !target.overflow, 0...bytes.count ~= target.partialValue else {
                wasAtEnd = true
                return -1
            }
            position = target.partialValue
            return count
        }

        private func seek(_ offset: Int64) -> Bool {
            guard 0...bytes.count ~= Int(offset) else { return false }
            position = Int(offset)
            return true
        }
    }
#endif
