#if HEIF
    public import AlcedoPixels

    extension HEIFCodec {
        /// AVIF; HEIC too if libheif finds an HEVC encoder on this system.
        public var encodableFormats: [EncodedFormat] { HEICEncoder.isAvailable ? [.avif, .heic] : [.avif] }

        /// Writes a still image, by ``EncodeOptions/quality`` or without loss; below a quality of 0.9 colours have half the
        /// resolution.
        ///
        /// AVIF takes about 0.1 s a megapixel, HEIC 0.8 s. A HEIC without loss may differ by one level of 255, as libheif
        /// converts the colours.
        ///
        /// - Throws: ``CodecError/encodingFailed(_:reason:)`` for more than 2²⁶ pixels, a side longer than the libraries
        ///   read, 32,768 pixels in an AVIF and 16,384 in a HEIC, and for HEIC if libheif has no HEVC encoder.
        public func encode(
            _ bitmap: Bitmap,
            as format: EncodedFormat,
            options: EncodeOptions
        ) throws(CodecError) -> [UInt8] {
            switch format {
            case .avif:
                return try AVIFEncoder(bitmap.size, hasAlpha: bitmap.alpha != .opaque, options: options)
                    .encode(bitmap)
            case .heic: return try HEICEncoder(bitmap.size, options: options).encode(bitmap)
            default: throw .unsupported(format, reason: "the HEIF codec does not write it")
            }
        }
    }
#endif
