#if Video
    import AlcedoCodecs
    package import AlcedoPixels
    import AlcedoRaster
    import CFFmpeg

    /// Decodes a frame of a video through FFmpeg's libraries.
    ///
    /// It gives the frame that is shown at ``DecodeOptions/time``: the last one that starts by then, exactly, however far away
    /// the next key frame is. Before the first frame that is the first one. Times count from the start of the file, to the
    /// microsecond. The picture is upright, has square pixels and is in sRGB; light of PQ and HLG above white is
    /// compressed as in HEIC. A transparent picture whose pixels were not square is scaled, and returned, with premultiplied alpha,
    /// also with ``DecodeOptions/keepsStraightAlpha``.
    ///
    /// Files are MP4, QuickTime, Matroska, WebM, AVI, MPEG-TS and Ogg. Only those demuxers, and the decoders of
    /// ``StreamDecoder/names``, run; nothing but the file is opened.
    package struct VideoDecoder: FileDecoder {
        package init() {}

        /// Has FFmpeg's libraries print nothing in this process.
        package static func silence() { av_log_set_level(AV_LOG_QUIET) }

        package func decode(_ file: Int32, options: DecodeOptions) throws(CodecError) -> Bitmap {
            let deadline = Deadline(options.limits)
            try deadline.check()
            let demuxer = try Demuxer(file, isPartial: options.partialFile != nil, deadline: deadline)
            let stream = try demuxer.video(limits: options.limits, deadline: deadline)
            let decoder = try StreamDecoder(stream, limits: options.limits)
            let frame = try Frame()
            let search = try FrameSearch(demuxer, stream, decoder, deadline: deadline)
            try search.find(at: options.time, into: frame)
            try demuxer.checkParts()
            try deadline.check()
            let picture = FramePicture(frame, stream: stream)
            let bitmap = try picture.bitmap(options: options).oriented(Turn.orientation(of: stream))
            // The pointers are borrowed.
            withExtendedLifetime(demuxer) {}
            withExtendedLifetime(decoder) {}
            withExtendedLifetime(frame) {}
            return bitmap
        }
    }

    /// The way a stream's pictures have to be turned, which its container has.
    enum Turn {
        /// The orientation that is closest to the stream's matrix.
        static func orientation(of stream: UnsafeMutablePointer<AVStream>) -> ImageOrientation {
            guard let matrix = alcedo_display_matrix(stream) else { return .up }
            // A point (x, y) is shown at (ax + cy, bx + dy), with y downwards.
            let (a, b, c, d) = (Int(matrix[0]), Int(matrix[1]), Int(matrix[3]), Int(matrix[4]))
            if abs(a) + abs(d) >= abs(b) + abs(c) {
                return a < 0 ? (d < 0 ? .down : .upMirrored) : (d < 0 ? .downMirrored : .up)
            }
            return b < 0 ? (c < 0 ? .rightMirrored : .left) : (c < 0 ? .right : .leftMirrored)
        }
    }
#endif
