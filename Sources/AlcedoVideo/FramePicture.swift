#if Video
    import AlcedoCodecs
    import AlcedoPixels
    import AlcedoRaster
    import CFFmpeg

    /// A decoded frame as a picture of square pixels in sRGB.
    struct FramePicture: ~Copyable {
        private let frame: UnsafeMutablePointer<AVFrame>
        private let stream: UnsafeMutablePointer<AVStream>

        /// Borrows both.
        init(_ frame: borrowing Frame, stream: UnsafeMutablePointer<AVStream>) {
            self.frame = frame.pointer
            self.stream = stream
        }

        /// As stored, before it is turned.
        func bitmap(options: DecodeOptions) throws(CodecError) -> Bitmap {
            let stored = PixelSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
            try options.limits.check(frame: stored, of: .video)
            let size = PixelSize(width: width, height: stored.height)
            try options.limits.check(frame: size, of: .video)
            guard hasAlpha, size != stored else { return try picture(of: size, options: options) }
            // swscale would blend the colours of transparent pixels into their neighbours, as it scales straight alpha.
            var premultiplied = options
            premultiplied.keepsStraightAlpha = false
            return try picture(of: stored, options: premultiplied).resized(to: size)
        }

        /// In sRGB, scaled by swscale if `size` is not that of the frame.
        private func picture(of size: PixelSize, options: DecodeOptions) throws(CodecError) -> Bitmap {
            let rgba = try converted(to: size)
            let space = ColorSpace(
                primaries: Int(frame.pointee.color_primaries.rawValue),
                transfer: Int(frame.pointee.color_trc.rawValue))
            let convert = SampleConverter(
                space, isDeep: isDeep, hasAlpha: hasAlpha, isPremultiplied: false,
                options: options.inStandardColor)
            let deadline = Deadline(options.limits)
            return try convert.bitmap(of: size, until: deadline) { samples throws(CodecError) in
                guard let source = rgba.pointer.pointee.data.0, let target = samples.baseAddress else {
                    throw .outOfMemory(byteCount: samples.count)
                }
                let stride = Int(rgba.pointer.pointee.linesize.0)
                let rowBytes = samples.count / size.height
                for y in 0..<size.height {
                    (target + y * rowBytes).copyMemory(from: source + y * stride, byteCount: rowBytes)
                }
            }
        }

        /// The width of the picture with square pixels.
        private var width: Int {
            // As FFmpeg does, the container's before the codec's.
            var ratio = stream.pointee.sample_aspect_ratio
            if ratio.num <= 0 || ratio.den <= 0 { ratio = frame.pointee.sample_aspect_ratio }
            if ratio.num <= 0 || ratio.den <= 0 { return Int(frame.pointee.width) }
            // At most 2⁶².
            let width = Double(frame.pointee.width) * Double(ratio.num) / Double(ratio.den)
            return Int(max(1, min(width.rounded(), Double(Int32.max))))
        }

        /// RGBA, of 16 bits a channel if the frame has more than 8, in rows that swscale may write beyond, which it does.
        private func converted(to size: PixelSize) throws(CodecError) -> Frame {
            let target = try Frame()
            target.pointer.pointee.format =
                (isDeep ? alcedo_av_rgba64 : AV_PIX_FMT_RGBA).rawValue
            target.pointer.pointee.width = Int32(size.width)
            target.pointer.pointee.height = Int32(size.height)
            guard av_frame_get_buffer(target.pointer, 0) >= 0 else {
                throw .outOfMemory(byteCount: size.area * (isDeep ? 8 : 4))
            }
            let colours = try colours
            let status = alcedo_convert(
                target.pointer, frame, colours.format, colours.matrix, colours.isFull ? 1 : 0)
            guard status >= 0 else { throw Demuxer.error(status) }
            return target
        }

        /// Whether samples have more than 8 bits.
        private var isDeep: Bool {
            av_pix_fmt_desc_get(AVPixelFormat(rawValue: frame.pointee.format))
                .map { $0.pointee.comp.0.depth > 8 } ?? false
        }

        private var hasAlpha: Bool {
            guard let format = av_pix_fmt_desc_get(AVPixelFormat(rawValue: frame.pointee.format)) else {
                return false
            }
            return format.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
        }

        // MARK: - Colours

        /// Formats that stand for full range, and the same ones without it.
        private static let fullRange: [AVPixelFormat: AVPixelFormat] = [
            AV_PIX_FMT_YUVJ420P: AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ422P: AV_PIX_FMT_YUV422P,
            AV_PIX_FMT_YUVJ444P: AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUVJ440P: AV_PIX_FMT_YUV440P,
        ]

        /// Matrices that swscale knows, by the numbers of ITU-T H.273; 2 is none.
        private static let matrices: Set<UInt32> = [0, 1, 2, 4, 5, 6, 7, 9, 10]

        /// The layout of the frame's pixels and what its numbers mean.
        private var colours: (format: AVPixelFormat, matrix: Int32, isFull: Bool) {
            get throws(CodecError) {
                let format = AVPixelFormat(rawValue: frame.pointee.format)
                var matrix = UInt32(frame.pointee.colorspace.rawValue)
                guard Self.matrices.contains(matrix) else {
                    throw .unsupported(.video, reason: "its colours have the matrix \(matrix) of H.273")
                }
                // Files that don't tell are of BT.709 if they are larger than television was.
                if matrix == 2 { matrix = frame.pointee.width >= 1280 || frame.pointee.height > 576 ? 1 : 5 }
                let isFull = frame.pointee.color_range == AVCOL_RANGE_JPEG
                if let plain = Self.fullRange[format] { return (plain, Int32(matrix), true) }
                return (format, Int32(matrix), isFull)
            }
        }
    }
#endif
