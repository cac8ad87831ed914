#if HEIF
    import AlcedoCodecs
    public import AlcedoPixels

    /// HEIC and AVIF still images through libheif, read only.
    ///
    /// libheif turns the pixels upright by itself, so the orientation is always ``Orientation/up``. Of a file with
    /// several images the primary one is read.
    public struct HEIFCodec: ImageCodec {
        /// Makes the codec.
        public init() {}

        /// HEIC or AVIF by the brands in the first box.
        public func format(of bytes: RawSpan) -> EncodedFormat? { HEIFBoxes.format(of: bytes) }

        /// Has libheif read the boxes; no picture is decoded.
        public func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            let format = try check(bytes, limits)
            return try bytes.withUnsafeBytes { input throws(CodecError) in
                let image = try HEIFImage(input, format: format, limits: limits)
                try limits.check(frame: image.size, of: format)
                return ImageInfo(
                    format: format,
                    size: image.size,
                    hasAlpha: image.hasAlpha,
                    isComplete: HEIFBoxes.areComplete(bytes)
                )
            }
        }

        /// Decodes at full size, whatever ``DecodeOptions/atLeast`` says.
        public func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
            let format = try check(bytes, options.limits)
            guard HEIFBoxes.areComplete(bytes) else { throw .truncated(format) }
            return try bytes.withUnsafeBytes { input throws(CodecError) in
                let image = try HEIFImage(input, format: format, limits: options.limits)
                try options.limits.check(frame: image.size, of: format)
                var pixels = try PixelBuilder(size: image.size, alpha: .opaque)
                let size = pixels.size
                let profile = image.profile(limit: options.limits.metadataBytes)
                pixels.alpha = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
                    try image.decode(into: output)
                    return Self.finish(PixelRows(output, size), of: image, profile, options)
                }
                return pixels.freeze()
            }
        }

        /// One frame.
        public func frames(of bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
            try StillFrames(of: bytes, with: self, options: options)
        }

        /// The ICC profile of the primary image.
        public func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
            guard let format = try? check(bytes, limits) else { return nil }
            return bytes.withUnsafeBytes { input in
                (try? HEIFImage(input, format: format, limits: limits))?.profile(limit: limits.metadataBytes)
            }
        }

        private func check(_ bytes: RawSpan, _ limits: DecodeLimits) throws(CodecError) -> EncodedFormat {
            try limits.check(encodedBytes: bytes.byteCount)
            guard let format = format(of: bytes) else { throw .unknownFormat }
            return format
        }

        /// Turns libheif's RGBA into what was asked for.
        private static func finish(
            _ rows: PixelRows,
            of image: borrowing HEIFImage,
            _ profile: [UInt8]?,
            _ options: DecodeOptions
        ) -> Bitmap.Alpha {
            if image.hasAlpha, image.isPremultiplied { rows.unpremultiply() }
            if let transform = profile.flatMap({ ColorTransform.toSRGB(from: $0, layout: .rgba) }) {
                transform.apply(to: rows)
            } else {
                rows.swapRedAndBlue()
            }
            if !image.hasAlpha || rows.isOpaque { return .opaque }
            if options.keepsStraightAlpha { return .straight }
            _ = rows.premultiply()
            return .premultiplied
        }
    }
#endif
